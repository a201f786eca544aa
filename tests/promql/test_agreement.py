"""We accept what Prometheus accepts at each version, and refuse what it refuses; promtool itself confirms the tables."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from gpuobs import promql
from gpuobs.promql import re2
from gpuobs.verify.promtool import Promtool
from tests.promql.tables import VERSIONS, Verdict, expressions, matcher, patterns

INDEX = {version: index for index, version in enumerate(VERSIONS)}


def ours(text: str) -> str:
    """Our verdicts on an expression."""
    parsed = (promql.parse(text, version) for version in VERSIONS)
    return "".join("-" if isinstance(each, promql.Refused) else "+" for each in parsed)


@pytest.mark.parametrize("verdict", expressions(), ids=lambda verdict: verdict.text)
def test_expression(verdict: Verdict) -> None:
    assert ours(verdict.text) == verdict.ours


@pytest.mark.parametrize("verdict", patterns(), ids=lambda verdict: verdict.text)
def test_pattern(verdict: Verdict) -> None:
    assert ours(matcher(verdict.text)) == verdict.ours


@pytest.mark.parametrize("verdict", patterns(), ids=lambda verdict: verdict.text)
def test_pattern_that_takes_the_empty_text(verdict: Verdict) -> None:
    if verdict.ours.endswith("+"):
        assert re2.matches_empty(verdict.text) == (verdict.mark == "0")


@pytest.mark.promtool
def test_promtool_confirms_the_tables(each_promtool: Promtool, tmp_path: Path) -> None:
    rows = [*expressions(), *(_as_expression(verdict) for verdict in patterns())]
    column = INDEX[each_promtool.number]
    refused = _refused(each_promtool, [row.text for row in rows], tmp_path / "rules.yaml")
    said = {row.text: "-" if number in refused else "+" for number, row in enumerate(rows)}
    assert said == {row.text: row.promtool[column] for row in rows}


def _as_expression(verdict: Verdict) -> Verdict:
    return Verdict(matcher(verdict.text), verdict.promtool, verdict.ours)


def _refused(promtool: Promtool, texts: list[str], file: Path) -> set[int]:
    """Numbers of the expressions that promtool cannot parse, each being a rule of one file."""
    rules = "".join(
        f"      - record: r:{number}:x\n        expr: {json.dumps(text, ensure_ascii=False)}\n"
        for number, text in enumerate(texts)
    )
    file.write_text(f"groups:\n  - name: g\n    rules:\n{rules}", encoding="utf-8")
    command = [str(promtool.path), "check", "rules", "--lint=none", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return {
        int(number) for number in re.findall(r'"?r:(\d+):x"?: could not', done.stdout + done.stderr)
    }
