"""Every text comes back as the same text from every reader of YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gpuobs.targets._yaml import Comment, document
from gpuobs.verify.promtool import Promtool
from tests.promtool import run_tests

# What some reader takes for something else than text, or stumbles over.
AWKWARD = [
    *"y n yes no on off Yes NO On true false TRUE null Null ~ nan .nan .inf -.Inf".split(),
    *"12:30 12:30:45 190:20:30 010 0o10 0x1f 0b11 1e3 1_000 +1 -1 1. .5 1.5 0 00 1,000".split(),
    *"2001-01-01 2001-01-01T00:00:00Z = << - ? : ! & * @ ` % | > # , [ ] { } ' \" \\ --- ...".split(),
    *["", " ", "\n", "\t", "\r", "\r\n", " x", "x ", "\tx", "x\t", "\nx", "x\n", "x\n\n", "\n\n"],
    *[
        "a: b",
        "a:b",
        "a :b",
        "a #b",
        "a#b",
        "#b",
        "- a",
        "-a",
        "? a",
        "a,b",
        "[a]",
        "{a}",
        "a]",
        "a}",
    ],
    *[
        "!tag",
        "&a",
        "*a",
        "@a",
        "%a",
        "'a",
        '"a',
        "a'b",
        'a"b',
        "a\\b",
        "`a`",
        "|",
        ">",
        "|-\n",
        "=a",
    ],
    *[
        "a\nb",
        "a\nb\n",
        " a\nb",
        "a\n b",
        "a \nb",
        "a\n\nb",
        "a\n\n",
        "a\tb",
        "a\rb",
        "a\r\nb",
        "#\na",
    ],
    *[
        "---\na",
        "...\na",
        "a\n---\nb",
        "a\n...\nb",
        "a\n# b",
        "\n a",
        "a\n\t\nb",
        "5m",
        "1h30m",
        "5",
    ],
    *["\x85", "\u2028", "\u2029", "a\u2028b", "\ufeff", "a\ufeff", "\x00", "\x1f", "\x7f", "\x9f"],
    *[
        "\ufffe",
        "\uffff",
        "\xa0",
        "\xa0a",
        "\u3000",
        "é",
        "日本",
        "😀",
        "a" * 300,
        "a b " * 80,
        "😀 " * 80,
    ],
    *[f"{'long ' * 30}\n  {'more ' * 30}", f"{'long ' * 30}end", f"{'long ' * 30}: end # x"],
]


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_text_is_read_as_itself(text: str) -> None:
    _assert_same(text)


@given(st.text(max_size=120))
def test_any_text_is_read_as_itself(text: str) -> None:
    _assert_same(text)


@given(st.text(alphabet=" \n\t:#-'\"\\|>[]{}&*!%@`,?=~<019exyno.", max_size=40))
def test_any_text_of_yaml_s_own_characters_is_read_as_itself(text: str) -> None:
    _assert_same(text)


def _assert_same(text: str) -> None:
    """As a value, an item, a key, and nested: PyYAML reads YAML 1.1, the most eager to see other types."""
    value: dict[str, Any] = {"value": text, "list": [text, [text]], "map": {text: {text: text}}}
    assert yaml.safe_load(document(value)) == value


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@example(texts=AWKWARD)
@given(texts=st.lists(st.text(max_size=60), min_size=60, max_size=120))
def test_promtool_reads_any_text_as_itself(
    texts: list[str], promtool: Promtool, tmp_path: Path
) -> None:
    _assert_promtool_reads(promtool, texts, tmp_path)


def test_every_promtool_reads_awkward_text_as_itself(
    each_promtool: Promtool, tmp_path: Path
) -> None:
    _assert_promtool_reads(each_promtool, AWKWARD, tmp_path)


def _assert_promtool_reads(promtool: Promtool, texts: list[str], folder: Path) -> None:
    """Labels and annotations of a firing alert, compared with the same texts in escapes for every character."""
    # Prometheus expands templates, and drops labels that are empty.
    texts = [text.replace("{{", "{") or "." for text in texts]
    given = {f"t{number}": text for number, text in enumerate(texts)}
    alert = {"alert": "A", "expr": "vector(1)", "labels": given, "annotations": given}
    rules = {"groups": [{"name": "g", "rules": [alert]}]}
    (folder / "rules.yaml").write_bytes(document(rules))
    lines = [
        "rule_files: [rules.yaml]",
        "tests:",
        "  - interval: 1m",
        "    alert_rule_test:",
        "      - alertname: A",
        "        eval_time: 1m",
        "        exp_alerts:",
        "          - exp_labels:",
        *(f"              {name}: {_escaped(text)}" for name, text in given.items()),
        "            exp_annotations:",
        *(f"              {name}: {_escaped(text)}" for name, text in given.items()),
    ]
    (folder / "test.yaml").write_text("\n".join(lines) + "\n", encoding="ascii")
    assert run_tests(promtool, folder / "test.yaml") == ""


def _escaped(text: str) -> str:
    return '"' + "".join(f"\\U{ord(character):08x}" for character in text) + '"'


def test_long_and_multi_line_text_stands_in_block_scalars() -> None:
    value = {
        "short": "sum by (node) (up)",
        "long": "sum by (cluster, node) (rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])) > on () group_left () 3",
        "lines": "a\n  b\nc",
        "ended": "a\nb\n",
        "number": "1",
        "empty": {},
        "none": [],
        "nested": [{"a": 1, "b": ["x", 2.5, True, None]}],
        "said": [Comment("why\nthis", {"a": 1})],
    }
    assert (
        document(value, ("one", "two")).decode()
        == """\
# one
# two
short: sum by (node) (up)
long: |-
  sum by (cluster, node) (rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])) > on () group_left () 3
lines: |-
  a
    b
  c
ended: |
  a
  b
number: '1'
empty: {}
none: []
nested:
  - a: 1
    b:
      - x
      - 2.5
      - true
      - null
said:
  - # why this
    a: 1
"""
    )


@given(st.floats())
def test_any_number_is_read_as_the_same_number(number: float) -> None:
    read = yaml.safe_load(document({"value": number}))["value"]
    assert isinstance(read, int | float)
    assert read == number or (read != read and number != number)
