"""The wrong queries of the documents that gpuobs was made from are reported, with the right ones as hints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.checks.alerts import EXPORTERS
from tests.rule_files import findings

SEEDS = yaml.safe_load((Path(__file__).parent / "seeds.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed['expr']} {seed['hint']}")
def test_a_query_as_printed(seed: Mapping[str, str]) -> None:
    rule: dict[str, object] = {"expr": seed["expr"]}
    rule |= {"record": seed["record"]} if "record" in seed else {"alert": "A"}
    if "summary" in seed:
        rule["annotations"] = {"summary": seed["summary"]}
    text = yaml.safe_dump({"groups": [{"name": "g", "rules": [rule]}]})
    found = [(each.code, each.hint) for each in findings({"a.yml": text}, EXPORTERS)]
    assert any(code == seed["code"] and seed["hint"] in hint for code, hint in found), found
