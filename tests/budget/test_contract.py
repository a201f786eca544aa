"""The contract: what fits its budget to the last series compiles, and one label too many does not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from click.testing import CliRunner

from gpuobs.cli import run
from gpuobs.cli.build import command
from gpuobs.pipeline import Compilation, compile_project

FLEETS = Path(__file__).parent / "fleets"
_BUDGET = """\
apiVersion: gpuobs/v1
kind: Budget
name: exact
limits: {{activeSeriesPerCluster: {limit}, headroom: 0}}
"""


def compiled(folder: Path, limit: int, metric: str = "") -> Compilation:
    specs = folder / f"{limit}-{len(metric)}"
    shutil.copytree(FLEETS / "one-node" / "specs", specs)
    (specs / "budget.yaml").write_text(_BUDGET.format(limit=limit))
    with (specs / "catalog.yaml").open("a") as catalog:
        catalog.write(metric)
    return compile_project(specs)


def test_a_fleet_at_its_budget_compiles_and_one_label_too_many_does_not(tmp_path: Path) -> None:
    # 800 of the exporter, 5 of its scrape, and 3 records of what the fleet has.
    assert [d.message for d in compiled(tmp_path, 808).diagnostics] == []
    more = (
        "  - {name: gpu_lanes, kind: gauge, labels: [lane], each: {lane: 2}, groups: [default]}\n"
    )
    (finding,) = compiled(tmp_path, 808, more).diagnostics
    assert finding.code == "budget/exceeded"
    assert finding.message.startswith("'one' has 824 active series")
    assert "8 GPUs x 2 values of lane" in finding.message


def test_one_series_less_is_too_little(tmp_path: Path) -> None:
    (finding,) = compiled(tmp_path, 807).diagnostics
    assert (finding.code, finding.message.split(":")[0]) == (
        "budget/exceeded",
        "'one' has 808 active series, 1 % above 'activeSeriesPerCluster",
    )


def test_the_line_that_changed_since_the_last_build_is_the_cause(tmp_path: Path) -> None:
    """Two more nodes break the limit, and so would any other choice: the report of the last build tells which it was."""
    specs, out = tmp_path / "specs", tmp_path / "out"
    shutil.copytree(FLEETS / "one-node" / "specs", specs)
    (specs / "budget.yaml").write_text(_BUDGET.format(limit=1_000))
    build = ["build", "--specs", str(specs), "--out", str(out), "--no-cache", "--format", "json"]
    assert run(build) == 0
    fleet = specs / "fleet.yaml"
    fleet.write_text(fleet.read_text().replace("nodes: 1,", "nodes: 3,"))
    done = CliRunner().invoke(command, build[1:], standalone_mode=False)
    (finding,) = json.loads(done.stdout)["diagnostics"]
    assert (finding["code"], finding["file"]) == ("budget/exceeded", str(fleet))
    assert finding["hint"].endswith("and 1 of its 3 nodes fit")
