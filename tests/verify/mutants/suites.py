"""Rules and tests as files, and what becomes of their mutants."""

from __future__ import annotations

from pathlib import Path

from gpuobs.foreign import world
from gpuobs.verify import foreign_suites, mutants
from gpuobs.verify.foreign_suites import ForeignSuite
from gpuobs.verify.promtool import Promtool

RULES = """\
groups:
  - name: g
    rules:
{rules}
"""


def suite(folder: Path, rules: str, tests: str, promtool: Promtool) -> ForeignSuite:
    """A rule file and a test file beside it."""
    (folder / "rules.yaml").write_text(rules, encoding="utf-8")
    text = f"rule_files: [rules.yaml]\nevaluation_interval: 1m\ntests:\n{tests}"
    (folder / "tests.yaml").write_text(text, encoding="utf-8")
    paths = [folder / "rules.yaml", folder / "tests.yaml"]
    return foreign_suites.read(paths, world.built_in(), promtool.number)


def report(read: ForeignSuite, promtool: Promtool) -> mutants.Report:
    assert read.problems == ()
    return mutants.run(promtool, read.program, read.cases, lambda rule: id(rule) in read.wanted)


def told(report: mutants.Report) -> dict[str, list[str]]:
    """By state, what was changed where."""
    found: dict[str, list[str]] = {}
    for verdict in report.verdicts:
        said = f"{verdict.mutant.name}: {verdict.mutant.said}"
        found.setdefault(verdict.state, []).append(said)
    return found
