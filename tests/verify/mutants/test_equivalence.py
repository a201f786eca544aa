"""Mutants that no test can notice, with the reason; and their neighbours that one can."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.foreign import world
from gpuobs.verify import mutants
from gpuobs.verify.foreign_suites import read
from gpuobs.verify.mutants.equivalence import Prover
from tests.verify.mutants.suites import RULES

PROVED = {
    (
        "count(a) > 0.5",
        "'>' becomes '>='",
    ): "its values are whole numbers, 1 or more: none lies where the two differ",
    (
        "count(a) > 0",
        "'>' becomes '>='",
    ): "its values are whole numbers, 1 or more: none lies where the two differ",
    ("count(a) > 1", "'>' becomes '>='"): "",
    (
        "count(a) >= 1",
        "'1' becomes '0'",
    ): "its values are whole numbers, 1 or more: none lies where the two differ",
    (
        "0 < count(a) and b",
        "'0' becomes '-1'",
    ): "its values are whole numbers, 1 or more: none lies where the two differ",
    (
        "changes(a[5m]) > 2.5",
        "'>' becomes '>='",
    ): "its values are whole numbers, 0 or more: none lies where the two differ",
    ("rate(a[5m]) > 0.5", "'>' becomes '>='"): "",
    ("a > 0.5", "'>' becomes '>='"): "",
    ("a <= 1", "'1' becomes '1.01'"): "",
    ("max by (x) (sum by (x) (a))", "'max' becomes 'avg'"): "each group has one series",
    ("max by (x) (sum by (x, y) (a))", "'max' becomes 'avg'"): "",
    ("max by (x) (a)", "'max' becomes 'avg'"): "",
    (
        'max by (z) (label_replace(sum by (x) (a), "z", "$1", "x", "(.*)"))',
        "'max' becomes 'avg'",
    ): "each group has one series",
    (
        'max by (z) (label_replace(sum by (x) (a), "z", "$1", "x", "(.).*"))',
        "'max' becomes 'avg'",
    ): "",
    ("sum(group by (x) (a))", "'sum' becomes 'count'"): "every value is 1",
    (
        "max by (x) (max by (x, y) (a))",
        "'y' of 'by' is dropped",
    ): "the 'max' around it drops 'y' all the same",
    ("sum by (x) (max by (x, y) (a))", "'y' of 'by' is dropped"): "",
    ("max by (x, z) (sum by (x) (a))", "'z' of 'by' is dropped"): "no series has a label 'z' here",
    ("a * on (x) group by (x) (b)", "'*' becomes '/'"): "what stands on its right is always 1",
    ("a * on (x) b", "'*' becomes '/'"): "",
    ("count by (x) (a + b)", "'+' becomes '-'"): "'count' does not look at values",
    (
        "a unless on (x) max by (x) (b)",
        "'max' becomes 'min'",
    ): "'unless' does not look at the values on its right",
    ("a unless on (x) (max by (x) (b) > 1)", "'max' becomes 'min'"): "",
    ("absent(sum(a))", "'sum' becomes 'avg'"): "'absent' does not look at values",
    ("sum by (x) (a)", "'sum' becomes 'avg'"): "the alert's texts do not show its value",
    ("sum by (x) (a) > 1", "'sum' becomes 'avg'"): "",
    (
        "a or (group(b) > 2)",
        "the branch '(group(b) > 2)' of 'or' is dropped",
    ): "the branch can never give a result",
    ('a{job="x"}', "the matcher 'job=\"x\"' is dropped"): "",
}


@pytest.mark.parametrize(("expr", "said"), PROVED)
def test_what_is_proved_of_foreign_rules(expr: str, said: str, tmp_path: Path) -> None:
    """Records show their value, so all but two of these are recorded; of foreign metrics nothing is known."""
    shown = PROVED[expr, said] != "the alert's texts do not show its value"
    kind = "record: r" if shown else "alert: A"
    rules = tmp_path / "rules.yaml"
    rules.write_text(RULES.format(rules=f"      - {kind}\n        expr: |-\n          {expr}"))
    (tmp_path / "tests.yaml").write_text("rule_files: [rules.yaml]\ntests: [{interval: 1m}]\n")
    found = read([rules, tmp_path / "tests.yaml"], world.built_in(), (2, 42))
    prover = Prover(found.program)
    made = {
        mutant.said: prover.reason(mutant)
        for mutant in mutants.made(found.program, lambda rule: True)
    }
    assert made[said] == PROVED[expr, said]
