"""promtool unit test files: what is called broken breaks, at the place that is pointed at."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuobs import checks
from gpuobs.verify.promtool import Promtool
from tests.checks.test_pages import FOREIGN, example
from tests.foreign.promtool_files import found, run

RULES = """\
groups:
  - name: g
    rules:
      - {record: 'node:x:max', expr: max by (node) (x)}
      - {alert: Low, expr: sum(rate(x[2m])) < 10, for: 1m}
      - {alert: Gone, expr: absent(x), for: 3m}
"""


def page(code: str, title: str) -> tuple[str, dict[str, str]]:
    """A page's example with the rules that the page gives."""
    rules = re.search(r"^Rules:", checks.module(code).__doc__ or "", re.MULTILINE)
    return example(code, title), {"rules.yaml": example(code, "Rules")} if rules else {}


@pytest.mark.parametrize("code", sorted(FOREIGN))
def test_bad_example_gives_exactly_its_code(code: str) -> None:
    findings = found(*page(code, "Bad"), version=(2, 42))
    assert [(f.code, f.severity) for f in findings] == [(code, checks.module(code).SEVERITY)]


@pytest.mark.parametrize("code", sorted(FOREIGN))
def test_good_example_gives_nothing_and_passes(
    code: str, each_promtool: Promtool, tmp_path: Path
) -> None:
    tests, rules = page(code, "Good")
    assert found(tests, rules, (2, 42)) == []
    assert run(each_promtool, tmp_path, tests, rules) == ""


# promtool itself lets these pass, always or on some days.
PASSING = {"test/group-order", "test/missing-rule-file", "test/unknown-alert"}


@pytest.mark.parametrize("code", sorted(FOREIGN - PASSING))
def test_bad_example_fails(code: str, each_promtool: Promtool, tmp_path: Path) -> None:
    if code == "target/unsupported-field" and each_promtool.version == "3.5":
        pytest.skip("3.5 has the field")
    assert run(each_promtool, tmp_path, *page(code, "Bad")) != ""
