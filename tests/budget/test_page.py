"""docs/budget.md: its example prints what it says, its sums are right, and it names every key of the JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

from gpuobs.cli.budget import command

PAGE = Path(__file__).parents[2] / "docs" / "budget.md"
FLEETS = Path(__file__).parent / "fleets"
TIERS = (FLEETS / "mig" / "specs" / "tiers.yaml").read_text(encoding="utf-8")
# Names of the project's own, not of the report.
_BY_NAME = ("clusters", "byMetric", "byPool", "byLevel", "byRule", "byGroup")


def test_the_example_prints_what_the_page_says(tmp_path: Path, update_golden: bool) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, text in re.findall(r"```yaml\n# specs/(\w+\.yaml)\n(.*?)```", page, re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "tiers.yaml").write_text(TIERS, encoding="utf-8")
    (shown,) = re.findall(r"\$ gpuobs budget\n```\n\n```text\n(.*?)```", page, re.DOTALL)
    done = CliRunner().invoke(command, ["--specs", str(tmp_path)], standalone_mode=False)
    assert done.exception is None, done.exception
    seen = done.stdout.split("\nWhat one more would cost")[0].rstrip("\n") + "\n"
    if update_golden:
        PAGE.write_text(page.replace(shown, seen), encoding="utf-8")
    assert seen == shown


def test_the_questions_of_the_page_have_answers() -> None:
    page = PAGE.read_text(encoding="utf-8")
    asked = re.findall(r"^\$ gpuobs budget (what-if .*)$", page, re.MULTILINE)
    assert len(asked) >= 5
    for line in asked:
        words = [*line.split(), "--specs", str(PAGE.parents[1] / "specs")]
        done = CliRunner().invoke(command, words, standalone_mode=False)
        assert done.exception is None, (line, done.exception)


def test_the_sums_of_the_page_are_right() -> None:
    found = re.findall(r"^    ([\d,].* = [\d,]+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(found) == 3
    for text in found:
        numbers = [int(n.replace(",", "")) for n in re.findall(r"(?<!\w)[\d,]*\d(?!\w)", text)]
        product = 1
        for number in numbers[:-1]:
            product *= number
        assert product == numbers[-1], text


def _keys(tree: object, parent: str = "") -> Iterator[str]:
    if isinstance(tree, dict):
        for key, value in tree.items():
            if parent not in _BY_NAME:
                yield key
            yield from _keys(value, key if parent not in _BY_NAME else "")
    elif isinstance(tree, list):
        for value in tree:
            yield from _keys(value)


def test_every_key_of_the_report_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = {part for code in re.findall(r"`([\w.*]+)`", page) for part in code.split(".")}
    report = json.loads((FLEETS / "mig" / "report.json").read_text(encoding="utf-8"))
    arguments = ["what-if", "--specs", str(FLEETS / "mig" / "specs"), "--replicas", "3"]
    done = CliRunner().invoke(command, [*arguments, "--format", "json"], standalone_mode=False)
    what_if = json.loads(done.stdout)
    assert sorted({*_keys(report), *_keys(what_if)} - named) == []
