"""Results of expressions by promtool: it prints what it got where it expected something else."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpuobs.promql.labelset import NAME
from gpuobs.verify.promtool import Promtool
from tests.promql.random_fleets import SAMPLES, RawFleet

_AT = f"{SAMPLES - 1}m"
_SERIES = re.compile(r'(?:[^{", ]\S*)?\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\} (\S+?)(?:, |$)')
_LABEL = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*")')

Result = list[tuple[dict[str, str], float]]


def evaluated(
    promtool: Promtool, fleet: RawFleet, rules: Sequence[Path], texts: Sequence[str], file: Path
) -> list[Result | None]:
    """What promtool gives for each expression: it prints it where it expected something else. None where it fails."""
    wrong = [{"labels": '{never="so"}', "value": 12345}]
    inputs = [
        {
            "series": f"{each.name}{{{', '.join(f'{k}={json.dumps(v)}' for k, v in each.labels.items())}}}",
            "values": each.values,
        }
        for each in fleet.series
    ]
    test = {
        "interval": "1m",
        "input_series": inputs,
        "promql_expr_test": [
            {"expr": text, "eval_time": _AT, "exp_samples": wrong} for text in texts
        ],
    }
    content = {
        "rule_files": [str(rule) for rule in rules],
        "evaluation_interval": "1m",
        "tests": [test],
    }
    file.write_text(json.dumps(content), encoding="utf-8")
    command = [str(promtool.path), "test", "rules", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = re.split(r"^    expr: ", done.stdout + done.stderr, flags=re.MULTILINE)[1:]
    return [_result(each) for each in told]


def _result(told: str) -> Result | None:
    got = re.search(r"^        got:\s?(.*)$", told, re.MULTILINE)
    if got is None:
        return None
    if got[1].strip() == "nil":
        return []
    found = [(dict(_labels(labels)), float(value)) for labels, value in _SERIES.findall(got[1])]
    assert "".join(match[0] for match in _SERIES.finditer(got[1])) == got[1], got[1]
    return found


def _labels(text: str) -> Iterator[tuple[str, str]]:
    for label, value in _LABEL.findall(text):
        if label != NAME:
            yield label, json.loads(value)
