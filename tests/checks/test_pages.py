"""Every code has a page, and every page's examples hold: Bad gives exactly its code, Good gives nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuobs import checks, foreign
from gpuobs.foreign import world
from gpuobs.foreign.world import World
from gpuobs.pipeline import compile_project
from tests.conftest import BASE
from tests.projects import project

# Codes of which a YAML text in a page can be no example; tests elsewhere bring each of them about.
WITHOUT_EXAMPLE = {
    "budget/sample-limit",
    "jsonnet/error",
    "jsonnet/limit",
    "output/drift",
    "output/edited-by-hand",
    "output/foreign-file",
    "promql/too-complex",
    "rollup/no-source",
    "route/default-only",
    "rule/group-cut",
    "rule/group-too-large",
    "spec/missing-document",
    "suppression/expired",
    "target/object-too-large",
    "test/branch-uncovered",
    "test/failed",
    "test/survivor",
    "test/uncovered",
    *checks.OF_TESTS,  # tests/foreign/test_promtool_tests.py runs these pages
    "yaml/encoding",
    "yaml/outside",
    "yaml/tab",
    "yaml/too-deep",
    "yaml/too-large",
}
PACKAGE = Path(checks.__file__).parent.parent
_LITERAL = re.compile(
    r'"((?:yaml|jsonnet|spec|fleet|signal|rollup|alert|check|promql|rule|scenario|suppression|output|target|test|scrape|tiers|slo|route)/[a-z-]+)"'
)


def example(code: str, title: str) -> str:
    page = checks.module(code).__doc__ or ""
    match = re.search(rf"^{title}:\n\n```yaml\n(.*?)\n```", page, re.MULTILINE | re.DOTALL)
    assert match is not None, f"the page of {code} has no {title} example"
    return match[1]


def with_examples() -> list[str]:
    return [code for code in checks.codes() if code not in WITHOUT_EXAMPLE]


def findings(folder: Path, text: str) -> set[tuple[str, str]]:
    """What a text gives: a rule file of others where it is one, else a part of a project."""
    if text.startswith(
        ("groups:", "apiVersion: monitoring", "scrape_configs:", "remote_write:", "route:")
    ):
        (folder / "rules.yaml").write_text(text, encoding="utf-8")
        found = foreign.lint([folder / "rules.yaml"], against(text)).diagnostics
    else:
        found = compile_project(project(folder, text)).diagnostics
    return {(finding.code, finding.severity) for finding in found}


def against(text: str) -> World:
    """The built-in fleet; of remote writes a project that has rollups to send."""
    if not text.startswith("remote_write:"):
        return world.built_in()
    program = compile_project(BASE).program
    assert program is not None
    return world.of_project(program)


@pytest.mark.parametrize("code", with_examples())
def test_bad_example_gives_exactly_its_code(code: str, tmp_path: Path) -> None:
    assert findings(tmp_path, example(code, "Bad")) == {(code, checks.module(code).SEVERITY)}


@pytest.mark.parametrize("code", with_examples())
def test_good_example_gives_nothing(code: str, tmp_path: Path) -> None:
    assert findings(tmp_path, example(code, "Good")) == set()


@pytest.mark.parametrize("code", checks.codes())
def test_page_is_named_after_its_code_and_begins_with_a_sentence(code: str) -> None:
    module = checks.module(code)
    first = (module.__doc__ or "").split("\n")[0]
    assert (module.CODE, first.endswith("."), len(first) <= 90) == (code, True, True)


def test_every_code_in_the_package_has_a_page() -> None:
    used = {
        code
        for path in PACKAGE.rglob("*.py")
        if path.parent.name != "checks"
        for code in _LITERAL.findall(path.read_text(encoding="utf-8"))
    }
    assert used - set(checks.codes()) == set()


def test_every_check_that_runs_has_a_module() -> None:
    assert [code for code in checks.CHECKS if not hasattr(checks.module(code), "check")] == []
    with_check = [code for code in checks.codes() if hasattr(checks.module(code), "check")]
    assert with_check == list(checks.CHECKS)
