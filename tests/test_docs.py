"""What the documentation says is there: generated pages are current, links lead somewhere, the README's alert works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuobs.pipeline import compile_project
from tests.projects import project
from tools.docs import pages

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])


def test_generated_pages_are_current() -> None:
    kept = {name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in pages()}
    assert kept == pages()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_alert_of_the_readme_compiles_and_has_its_tests(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n# specs/alerts/mine.yaml\n(.*?)```", text, re.DOTALL)
    done = compile_project(project(tmp_path, example))
    assert done.diagnostics == ()
    assert done.program is not None
    assert [case.name for file in done.program.test_files for case in file.cases] == [
        "GpuHotterThanUsual: boundaries",
        "GpuHotterThanUsual: one hot GPU among eight",
    ]
