"""The committed output of the reference policy, in every promtool that it is for."""

from __future__ import annotations

from pathlib import Path

from gpuobs.verify.promtool import Promtool
from gpuobs.verify.unit_tests import run
from tests.promtool import check_rules

ROOT = Path(__file__).parent.parent
RULES = sorted((ROOT / "generated/prometheus/rules").glob("*.yaml"))
TESTS = sorted([*(ROOT / "generated/tests").glob("*.yaml"), *(ROOT / "rules_tests").glob("*.yaml")])


def test_rules_are_accepted_without_a_warning(each_promtool: Promtool) -> None:
    assert RULES
    assert check_rules(each_promtool, *RULES) == ""


def test_unit_tests_pass(each_promtool: Promtool) -> None:
    assert TESTS
    report = run(each_promtool, None, ROOT, TESTS)
    assert [diagnostic.message for diagnostic in report.diagnostics] == []
