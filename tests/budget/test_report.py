"""What `gpuobs budget` prints and builds: the seed's whiteboard, whole reports, and every sum, computed again."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpuobs.budget.ledger import ledger
from gpuobs.budget.report import report
from gpuobs.budget.text import TABLES, lines
from gpuobs.cli.budget import command
from gpuobs.ir import Program
from gpuobs.pipeline import check_project
from gpuobs.targets import budget_report

ROOT = Path(__file__).parents[2]
FLEETS = Path(__file__).parent / "fleets"
CASES = sorted(path.name for path in FLEETS.iterdir())


@cache
def program(name: str) -> Program:
    specs = ROOT / "specs" if name == "reference" else FLEETS / name / "specs"
    done = check_project(specs)
    assert done.program is not None, done.diagnostics
    return done.program


def built(name: str, suffix: str) -> str:
    made = {artifact.path: artifact for artifact in budget_report.render(program(name))}
    return made[f"budget/report.{suffix}"].content.decode()


def printed(specs: Path, *arguments: str) -> str:
    done = CliRunner().invoke(command, ["--specs", str(specs), *arguments], standalone_mode=False)
    assert done.exception is None, done.exception
    return done.stdout


# Whole reports -------------------------------------------------------------------------------------------------------


def compare(golden: Path, seen: str, update: bool) -> None:
    if update:
        golden.write_text(seen, encoding="utf-8")
    assert seen == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("suffix", ["md", "json"])
def test_what_is_built(name: str, suffix: str, update_golden: bool) -> None:
    compare(FLEETS / name / f"report.{suffix}", built(name, suffix), update_golden)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("width", [80, 120])
def test_what_a_terminal_shows(name: str, width: int, update_golden: bool) -> None:
    seen = list(lines(report(program(name)), width=width))
    compare(FLEETS / name / f"terminal-{width}.txt", "\n".join(seen) + "\n", update_golden)
    assert [line for line in seen if len(line) > width] == []


@pytest.mark.parametrize("by", TABLES)
def test_tables_on_request(by: str, update_golden: bool) -> None:
    seen = printed(FLEETS / "mig" / "specs", "--cluster", "a", "--by", by, "--top", "8")
    compare(FLEETS / "mig" / f"by-{by}.txt", seen, update_golden)


# The seed's whiteboard -----------------------------------------------------------------------------------------------


def test_labels_that_follow_the_gpu_add_nothing() -> None:
    seen = printed(FLEETS / "thousand-nodes" / "specs")
    assert re.search(r"series scraped +480,000 series += 1,000 nodes x 8 GPUs x 60 metrics\n", seen)


def test_a_node_of_a_hundred_metrics() -> None:
    seen = printed(FLEETS / "one-node" / "specs")
    assert re.search(r"series scraped +800 series += 1 node x 8 GPUs x 100 metrics\n", seen)
    assert re.search(r"samples scraped +53\.3 samples/s += 800 series / 15 s\n", seen)


def test_a_label_of_forty_values_multiplies() -> None:
    seen = printed(FLEETS / "ecc-blocks" / "specs", "--format", "json")
    total = json.loads(seen)["budget"]["clusters"]["one"]["totals"]["scraped"]
    how = "1,000 nodes x 8 GPUs x 60 metrics + 1,000 nodes x 8 GPUs x 40 values of block"
    assert total == {"value": 800_000, "unit": "series", "sum": how}


def test_a_shorter_interval_adds_samples_and_no_series() -> None:
    tree = json.loads(printed(FLEETS / "thousand-nodes" / "specs", "--format", "json"))["budget"]
    change = next(each for each in tree["oneMore"] if each["change"].startswith("half"))
    assert change == {
        "change": "half the scrape interval of 15s: twice the samples, the same series",
        "active": 0,
        "head": 0,
        "appendedPerSecond": pytest.approx((480_000 + 5_000) / 15),
        "sentPerSecond": 0,
        "memory": 0,
    }


# Exit codes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "code"), [("mig", 1), ("eight-gpus", 0)])
def test_a_broken_limit_fails(name: str, code: int) -> None:
    arguments = ["--specs", str(FLEETS / name / "specs"), "--format", "json"]
    done = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert done.return_value == code
    assert json.loads(done.stdout)["budget"]["exceeded"] == bool(code)


def test_colours_are_for_limits_and_headings() -> None:
    arguments = ("--cluster", "a", "--color")
    seen = printed(FLEETS / "mig" / "specs", *arguments).splitlines()
    coloured = [line for line in seen if "\x1b" in line]
    assert [line.split("m")[0] for line in coloured[:3]] == ["\x1b[1", "\x1b[33", "\x1b[31"]
    plain = "\n".join(re.sub("\x1b\\[[0-9;]*m", "", line) for line in seen)
    assert plain == printed(FLEETS / "mig" / "specs", "--cluster", "a").rstrip("\n")


# Every sum, computed again by what stands in the report alone ----------------------------------------------------------


def numbers(text: str) -> list[float]:
    return [
        float(found.replace(",", "")) for found in re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", text)
    ]


def value(text: str) -> float:
    """A sum of products, each factor of which begins with its number: `a x b / c + d`."""
    total = 0.0
    for term in text.split(" + "):
        product = 1.0
        for factor in term.split(" x "):
            parts = [numbers(part)[0] for part in factor.split(" / ")]
            product *= parts[0] if len(parts) == 1 else parts[0] / parts[1]
        total += product
    return total


_UNITS = {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


def shown(text: str) -> tuple[float, float]:
    """A printed number, and by how much it may be rounded."""
    count = numbers(text)[0]
    digits = re.findall(r"\d[\d,]*(?:\.(\d+))?", text)[0]
    step = 10.0 ** -len(digits)
    unit = _UNITS.get(text.rsplit(maxsplit=1)[-1], 1.0)
    return count * unit, step * unit


def rows(text: str) -> Iterator[list[str]]:
    """The cells of every table."""
    for line in text.splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def section(text: str, title: str) -> str:
    return text.split(f"\n### {title}\n")[1].split("\n#", maxsplit=1)[0]


def clusters(text: str) -> list[str]:
    return text.split("\n## Cluster ")[1:]


@pytest.mark.parametrize("name", [*CASES, "reference"])
def test_every_sum_of_a_cell_is_right(name: str) -> None:
    """Cells of the form `a x b + c = d`."""
    found = [c for row in rows(built(name, "md")) for c in row if " = " in c and "`" not in c]
    assert len(found) >= 3
    for cell in found:
        how, _, what = cell.rpartition(" = ")
        found_value = math.ceil(value(how)) if "rounded up" in how else value(how)
        assert found_value == pytest.approx(numbers(what)[0], abs=0.5), cell


@pytest.mark.parametrize("name", [*CASES, "reference"])
@pytest.mark.parametrize("title", ["Totals of one Prometheus", "All replicas together, and what the long-term store takes of them"])  # fmt: skip
def test_every_total_is_its_sum(name: str, title: str) -> None:
    for cluster in clusters(built(name, "md")):
        if f"### {title}" in cluster:
            for what, total, how in list(rows(section(cluster, title)))[1:]:
                expected, step = shown(total)
                # A part of a series counts as one.
                assert value(how) == pytest.approx(expected, abs=step, rel=1e-6), what


@pytest.mark.parametrize("name", [*CASES, "reference"])
def test_tables_add_up_to_their_last_row(name: str) -> None:
    checked = 0
    for cluster in clusters(built(name, "md")):
        for part in cluster.split("\n### ")[1:]:
            found = list(rows(part))[1:]
            if found and found[-1][0] == "all" and not part.startswith("Things"):
                column = next(i for i, cell in enumerate(found[-1]) if i and cell)
                counts = [numbers(row[column].rpartition(" = ")[2])[0] for row in found]
                assert sum(counts[:-1]) == counts[-1], part.splitlines()[0]
                checked += 1
    assert checked >= 3


@pytest.mark.parametrize("name", [*CASES, "reference"])
def test_parts_of_totals_are_totals_of_tables(name: str) -> None:
    """A reader goes from a total to the table that it comes from, and finds the same number there."""
    for cluster in clusters(built(name, "md")):
        totals = {row[0]: row[1] for row in rows(section(cluster, "Totals of one Prometheus"))}
        for what, title in (
            ("series scraped", "Series scraped"),
            ("series recorded", "Series recorded"),
        ):
            if f"### {title}\n" in cluster:
                last = list(rows(section(cluster, title)))[-1]
                assert last[0] == "all"
                assert f"{next(filter(None, last[1:]))} series" == totals[what]


@pytest.mark.parametrize("name", [*CASES, "reference"])
def test_the_numbers_are_the_accounts(name: str) -> None:
    tree = json.loads(built(name, "json"))
    for account in ledger(program(name)).clusters:
        totals = {
            key: each["value"] for key, each in tree["clusters"][account.name]["totals"].items()
        }
        assert totals["active"] == account.active
        assert totals["head"] == account.head
        assert totals["recorded"] == account.recorded
        assert totals["read"] == account.read
        assert totals["appendedPerSecond"] == pytest.approx(account.appended_per_second)
        parts = tree["clusters"][account.name]
        assert sum(each["series"] for each in parts["products"]) == account.scraped
        assert sum(e["series"] * len(e["rules"]) for e in parts["records"]) == account.recorded


@pytest.mark.parametrize("name", CASES)
def test_without_a_label_there_would_be_so_many_fewer(name: str) -> None:
    """What a label that multiplies adds is what is left when each thing has one value of it."""
    for account in ledger(program(name)).clusters:
        costs = {
            (c.exporter, c.label): c
            for c in next(
                r for r in report(program(name)).clusters if r.name == account.name
            ).labels
        }
        for (exporter, label), cost in costs.items():
            if cost.role != "multiplies":
                continue
            without = 0
            for line in account.lines:
                series = line.active if str(line.exporter.catalog.name) == exporter else 0
                for factor in line.factors:
                    if factor.of_label and factor.what == label:
                        without += series - series // factor.count
            assert cost.adds == without


# From the Fleet to the report ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*CASES, "reference"])
def test_factors_of_products_are_numbers_of_the_fleet(name: str) -> None:
    """A reader finds each factor in the pool's line of the Fleet, or under a label of the catalog or the Budget."""
    policy = program(name).policy
    assert policy is not None
    pools = {
        (str(cluster.name), str(pool.name)): {
            "nodes": pool.nodes,
            "GPUs": pool.gpus_per_node,
            "MIG instances": sum(pool.mig.values()),
            "pods": cluster.workloads.pods_per_gpu if cluster.workloads else 1,
            "network ports": pool.per_node.nics if pool.per_node else 0,
            "switches": pool.per_node.switches if pool.per_node else 0,
        }
        for cluster, pool, _ in policy.pools
    }
    for cluster in report(program(name)).clusters:
        for product in cluster.products:
            for factor in product.factors:
                if product.pool and not factor.of_label:
                    assert factor.count == pools[cluster.name, product.pool][factor.what]
