"""Numbers have the value that Prometheus computes with: promtool evaluates the same table."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.promql import quantity
from gpuobs.promql.cursor import Cursor
from gpuobs.promql.lexer import tokens
from gpuobs.verify.promtool import Promtool
from tests.promtool import run_tests

NUMBERS = {
    "10": 10.0,
    "010": 8.0,
    "0777": 511.0,
    "08": 8.0,
    "0109": 109.0,
    "010.0": 10.0,
    "010e1": 100.0,
    "0x1F": 31.0,
    "0" + "7" * 21: 2.0**63,
    "0" + "7" * 22: float("7" * 22),
    ".5": 0.5,
    "1.": 1.0,
}


@pytest.mark.parametrize(("text", "value"), NUMBERS.items(), ids=NUMBERS)
def test_number(text: str, value: float) -> None:
    cursor = Cursor(text, tokens(text), (2, 42))
    assert quantity.number(cursor, cursor.advance()) == value


@pytest.mark.promtool
def test_promtool_confirms_the_numbers(each_promtool: Promtool, tmp_path: Path) -> None:
    file = tmp_path / "tests.yaml"
    assertions = "".join(
        f"      - expr: vector({text})\n        eval_time: 1m\n        exp_samples: [{{value: {value!r}}}]\n"
        for text, value in NUMBERS.items()
    )
    file.write_text(f"tests:\n  - interval: 1m\n    promql_expr_test:\n{assertions}")
    assert run_tests(each_promtool, file) == ""
