"""What the Fleet says there is, as constants in groups that the long-term store takes."""

from __future__ import annotations

from pathlib import Path

from tests.lower.test_rollups import compiled

POOLS = "\n".join(
    f"      - {{name: pool-{number}, gpu: H100-SXM5-80GB, nodes: {number}, gpusPerNode: 8}}"
    for number in range(1, 9)
)
FLEET = f"clusters:\n  - name: one\n    pools:\n{POOLS}\n"


def sizes(folder: Path, store: str) -> dict[str, int]:
    program = compiled(folder, f"{FLEET}storage: {{longTerm: {{kind: {store}}}}}\n")
    (file,) = (file for file in program.rule_files if file.name == "inventory")
    return {group.name: len(group.rules) for group in file.groups}


def test_three_constants_a_pool_stand_in_one_group(tmp_path: Path) -> None:
    assert sizes(tmp_path, "thanos") == {"gpuobs.inventory.small": 24}


def test_mimir_takes_twenty_rules_a_group(tmp_path: Path) -> None:
    assert sizes(tmp_path, "mimir") == {
        "gpuobs.inventory.small": 20,
        "gpuobs.inventory.small.2": 4,
    }
