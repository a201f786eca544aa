"""What the documentation says is there: generated pages are current, links lead somewhere, the README's alert works."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpuobs.cli import cli
from gpuobs.pipeline import compile_project
from gpuobs.spec.reference import EXAMPLES
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
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    (tmp_path / "specs" / "alerts" / "mine.yaml").write_text(example, encoding="utf-8")
    done = compile_project(tmp_path / "specs")
    assert done.diagnostics == ()
    assert done.program is not None
    cases = [case.name for file in done.program.test_files for case in file.cases]
    assert [name for name in cases if name.startswith("GpuHotterThanUsual")] == [
        "GpuHotterThanUsual: boundaries",
        "GpuHotterThanUsual: one hot GPU among eight",
    ]


def test_the_project_of_the_readme_compiles(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    documents = re.findall(r"```yaml\n# specs/(\w+\.yaml): [^\n]*\n(.*?)```", text, re.DOTALL)
    for name, document in documents:
        (tmp_path / name).write_text(document, encoding="utf-8")
    done = compile_project(tmp_path)
    assert sorted(name for name, _ in documents) == [
        "alerts.yaml",
        "fleet.yaml",
        "rollups.yaml",
        "tiers.yaml",
    ]
    assert done.diagnostics == ()


def test_the_examples_of_the_reference_compile_together(tmp_path: Path) -> None:
    for kind, document in EXAMPLES.items():
        (tmp_path / f"{kind}.yaml").write_text(document, encoding="utf-8")
    assert compile_project(tmp_path).diagnostics == ()


@pytest.mark.parametrize("page", ["README.md", "docs/lint.md"])
def test_the_rule_file_of_a_page_gives_the_text_of_the_page(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, update_golden: bool
) -> None:
    file = ROOT / page
    text = file.read_text(encoding="utf-8")
    example = re.search(
        r"```yaml\n# (\S+)\n(groups:\n.*?)```\n\n```console\n\$ gpuobs lint \1\n```\n\n```text\n(.*?)```",
        text,
        re.DOTALL,
    )
    assert example is not None
    monkeypatch.chdir(tmp_path)
    Path(example[1]).parent.mkdir(exist_ok=True)
    Path(example[1]).write_text(f"# {example[1]}\n{example[2]}", encoding="utf-8")
    done = CliRunner().invoke(cli, ["lint", example[1]])
    if update_golden:
        file.write_text(text.replace(example[3], done.stderr), encoding="utf-8")
    assert done.stderr == example[3]
