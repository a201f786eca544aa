"""What `gpuobs budget` prints: the seed's whiteboard, and every sum, which a reader can compute again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpuobs.cli.budget import command
from gpuobs.pipeline import compile_project
from tests.budget.whiteboards import whiteboard

ROOT = Path(__file__).parents[2]


def printed(specs: Path, *arguments: str) -> str:
    done = CliRunner().invoke(command, ["--specs", str(specs), *arguments], standalone_mode=False)
    assert done.exception is None, done.exception
    return done.output


def totals(specs: Path) -> dict[str, tuple[float, str]]:
    tree = json.loads(printed(specs, "--format", "json"))["budget"]
    return {
        key: (each["value"], each["sum"]) for key, each in tree["clusters"]["one"]["totals"].items()
    }


def test_labels_that_follow_the_gpu_add_nothing(tmp_path: Path) -> None:
    found = totals(whiteboard(tmp_path, nodes=1000, gpus=8, metrics=60))
    assert found["scraped"] == (480_000, "1,000 nodes x 8 GPUs x 60 metrics")


def test_a_node_of_a_hundred_metrics(tmp_path: Path) -> None:
    specs = whiteboard(tmp_path, nodes=1, gpus=8, metrics=100)
    found = totals(specs)
    assert found["scraped"] == (800, "8 GPUs x 100 metrics")
    assert found["scrapedPerSecond"] == (53.333333, "800 series / 15s")
    assert re.search(r"samples scraped +53\.3 samples/s  = 800 series / 15s", printed(specs))


def test_a_thousand_nodes_of_a_hundred_metrics(tmp_path: Path) -> None:
    found = totals(whiteboard(tmp_path, nodes=1000, gpus=8, metrics=100))
    assert found["scrapedPerSecond"] == (53_333.333333, "800,000 series / 15s")


def test_a_label_of_forty_values_multiplies(tmp_path: Path) -> None:
    ecc = "  - {name: gpu_ecc_correct, kind: counter, labels: [block], each: {block: 40}, groups: [default]}\n"
    found = totals(whiteboard(tmp_path, nodes=1000, gpus=8, metrics=60, more=ecc))
    assert found["scraped"] == (
        800_000,
        "1,000 nodes x 8 GPUs x 60 metrics + 1,000 nodes x 8 GPUs x 40 block",
    )


def test_a_shorter_interval_adds_samples_and_no_series(tmp_path: Path) -> None:
    specs = whiteboard(tmp_path, nodes=1000, gpus=8, metrics=60)
    tree = json.loads(printed(specs, "--format", "json"))["budget"]
    change = next(each for each in tree["oneMore"] if each["change"].startswith("scrapeInterval"))
    assert change == {
        "change": "scrapeInterval: 7s500ms",
        "active": 0,
        "head": 0,
        "appendedPerSecond": pytest.approx((480_000 + 5_000) / 15),
        "sentPerSecond": 0,
    }


# Every sum ----------------------------------------------------------------------------------------------------------


def _value(text: str) -> float:
    """A sum of products of the numbers in a text; other words are what they count."""
    total = 0.0
    for term in text.split(" + "):
        product = 1.0
        for part in term.split(" x "):
            over = [
                float(n.replace(",", "")) for n in re.findall(r"(?<![\w.])[\d,]+(?:\.\d+)?", part)
            ]
            product *= over[0] if len(over) == 1 else over[0] / over[1]
        total += product
    return total


@pytest.fixture(scope="module")
def report() -> str:
    done = compile_project(ROOT / "specs", targets=("budget",))
    return next(a.content.decode() for a in done.artifacts if a.path == "budget/report.md")


def _rows(text: str, title: str) -> list[list[str]]:
    """The tables under a title, row by row."""
    parts = text.split(f"\n### {title}\n")[1:]
    lines = [line for part in parts for line in re.split(r"\n##", part)[0].splitlines()]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("|")
    ]
    return [row for row in rows if row[0] not in ("what", "pool", "---")]


def test_each_product_is_what_it_says(report: str) -> None:
    rows = _rows(report, "Series scraped, product by product")
    assert len(rows) > 20
    for pool, product, series in rows:
        if pool != "all":
            assert _value(product) == float(series.replace(",", "")), product


def test_products_sum_up_to_the_total(report: str) -> None:
    for part in report.split("\n### Series scraped, product by product\n")[1:]:
        rows = _rows(
            "\n### Series scraped, product by product\n" + part,
            "Series scraped, product by product",
        )
        last = next(index for index, row in enumerate(rows) if row[0] == "all")
        numbers = [int(row[2].replace(",", "")) for row in rows[: last + 1]]
        assert sum(numbers[:-1]) == numbers[-1]


@pytest.mark.parametrize(
    "what",
    ["targets", "series scraped", "series of the scrapes", "series recorded", "active series",
     "series that ended within 3 h", "series in the head, at most", "series sent on"],
)  # fmt: skip
def test_each_total_is_its_sum(report: str, what: str) -> None:
    rows = [row for row in _rows(report, "Totals") if row[0] == what]
    assert rows
    for _, value, how in rows:
        assert _value(how) == pytest.approx(float(value.split()[0].replace(",", "")), abs=1), how
