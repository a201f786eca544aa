"""Rule files that were not written to be read: an answer within seconds, and never a traceback."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from gpuobs import foreign
from gpuobs.foreign import world

_SEEDS = sorted((Path(__file__).parent / "golden").glob("*/rules.yaml"))
_PIECES = (
    "&a *a <<: { } [ ] - : | > ' \" {{ }} \t \0 \n --- ? ! !!str # % @ ` , groups rules".split(" ")
)
_BAD = "groups:\n- name: g\n  rules:\n"


def mutated(text: str, chance: random.Random) -> str:
    """A text with some of its parts cut out, doubled, moved or replaced."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.randrange(20))
        piece = chance.choice(
            ["", text[start:end] * 2, chance.choice(_PIECES), text[end : end + 30]]
        )
        text = text[:start] + piece + text[end:]
    return text


def test_mutated_files_give_findings_and_no_traceback(tmp_path: Path) -> None:
    chance = random.Random(3)
    texts = [path.read_text(encoding="utf-8") for path in _SEEDS]
    file = tmp_path / "rules.yaml"
    built_in = world.built_in()
    for _ in range(1500):
        file.write_text(mutated(chance.choice(texts), chance), encoding="utf-8")
        start = time.monotonic()
        foreign.lint([file], built_in)
        assert time.monotonic() - start < 2, file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{" * 100_000,
        "- " * 100_000,
        "{{" * 100_000,
        '{{"' * 100_000,
        "{{`" * 100_000,
        "a: &a [*a]\n" * 10_000,
        "&a " * 100_000,
        "? " * 50_000,
        "a: |\n" + "  {{ $labels.x }}\n" * 50_000,
        f"{_BAD}  - alert: A\n    expr: up\n    annotations: {{a: '{'{{ $x }}' * 6_000}'}}\n",
        f"{_BAD}  - alert: A\n    expr: up\n    annotations: {{a: '{'{{' * 30_000}'}}\n",
        f"{_BAD}  - &r {{alert: A, expr: '{'(' * 5_000}'}}\n" + "  - *r\n" * 5_000,
        f"{_BAD}  - record: a\n    expr: {'a + ' * 20_000}a\n",
        "groups:\n" + "- {name: g}\n" * 20_000,
        "namespace: {a: b}\ngroups: [[]]\n",
        "apiVersion: []\nkind: {}\n",
        "kind: PrometheusRule\napiVersion: v1\nspec: []\nmetadata: []\n",
        "kind: List\napiVersion: v1\nitems: {a: b}\n",
        "rule_files: 1\ntests: 2\n",
        "\n---\n" * 50_000,
    ],
    ids=range(21),
)
def test_large_and_odd_files_end(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(text, encoding="utf-8")
    start = time.monotonic()
    foreign.lint([file], world.built_in())
    assert time.monotonic() - start < 10
