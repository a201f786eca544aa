"""Rule files made to break what reads them: invented ones, and known ones with parts replaced."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.foreign.fuzz.chance import DURATIONS, LABELS, NAMES, NUMBERS, OPERATORS, TEXTS, Chance
from tests.foreign.fuzz.configurations import configuration

ROOT = Path(__file__).parents[3]


def seeds() -> list[str]:
    """Rule files that are there to be mutated."""
    corpora = os.environ.get("GPUOBS_CORPORA")
    folders = [ROOT / "generated/prometheus/rules", ROOT / "generated/prometheus-operator"]
    folders += [ROOT / "tests/judgement/cases", ROOT / "tests/foreign/golden"]
    folders += [Path(corpora)] if corpora else []
    found = (path for folder in folders for path in sorted(folder.rglob("*.y*ml")))
    return [path.read_text(encoding="utf-8") for path in found if path.stat().st_size < 60_000]


def expressions(texts: Sequence[str]) -> list[str]:
    """What stands under `expr` in rule files."""
    found = []
    for text in texts:
        try:
            nodes = list(yaml.compose_all(text, yaml.CSafeLoader))
        except yaml.YAMLError:
            continue
        found += [expr for node in nodes for expr in _exprs(node, set())]
    return sorted(set(found))


def _exprs(node: yaml.Node, seen: set[int]) -> Iterator[str]:
    """Values of `expr`; what aliases repeat only once."""
    if id(node) in seen or not isinstance(node, yaml.CollectionNode):
        return
    seen.add(id(node))
    for each in node.value:
        if isinstance(each, tuple) and each[0].value == "expr":
            yield str(each[1].value)
        for child in each if isinstance(each, tuple) else (each,):
            yield from _exprs(child, seen)


@dataclass(frozen=True)
class Maker:
    """Makes the text of a case from its seed and its number."""

    texts: Sequence[str]
    exprs: Sequence[str]

    def text(self, seed: int, number: int) -> str:
        chance = Chance(seed * 1_000_003 + number)
        kind = chance.random()
        if kind < 0.4:
            return self._made(chance)
        if kind < 0.55:
            return configuration(chance)
        if kind < 0.8:
            return self._mutated(chance)
        return self._cut(chance)

    def _made(self, chance: Chance) -> str:
        """A rule file of its own, whose rules read each other."""
        names = [chance.of((*NAMES, "a:b:c", "a:b:d", "a:b:e", "a:b:f", "")) for _ in range(6)]
        groups = [
            {
                "name": chance.of(("g", "h", chance.of(TEXTS))),
                "rules": self._rules(chance, names),
                **self._odd_group(chance),
            }
            for _ in range(chance.randrange(1, 4))
        ]
        return yaml.dump({"groups": groups}, Dumper=yaml.CSafeDumper, allow_unicode=True)

    def _odd_group(self, chance: Chance) -> dict[str, Any]:
        odd: dict[str, Any] = {}
        if chance.random() < 0.2:
            odd["interval"] = chance.of(DURATIONS)
        if chance.random() < 0.1:
            odd["labels"] = {chance.of(LABELS): chance.of(TEXTS)}
        if chance.random() < 0.1:
            odd["query_offset"] = chance.of(DURATIONS)
        return odd

    def _rules(self, chance: Chance, names: Sequence[str]) -> list[dict[str, Any]]:
        return [self._rule(chance, names) for _ in range(chance.randrange(1, 5))]

    def _rule(self, chance: Chance, names: Sequence[str]) -> dict[str, Any]:
        expr = chance.expr(self.exprs)
        if chance.random() < 0.4:
            expr = f"{chance.of(names)} {chance.of(OPERATORS)} {expr}"
        labels = {
            chance.of(LABELS): chance.of((*TEXTS, "v", "w")) for _ in range(chance.randrange(3))
        }
        if chance.random() < 0.5:
            return {"record": chance.of(names), "expr": expr, "labels": labels}
        rule: dict[str, Any] = {
            "alert": chance.of(("A", "B", chance.of(TEXTS))),
            "expr": expr,
            "labels": labels,
        }
        rule["annotations"] = {
            chance.of(("summary", "description", "runbook_url", "x")): chance.of(TEXTS)
        }
        rule |= {
            key: chance.of(DURATIONS) for key in ("for", "keep_firing_for") if chance.random() < 0.3
        }
        return rule

    def _mutated(self, chance: Chance) -> str:
        """A known file with values, keys and expressions replaced."""
        try:
            document = yaml.load(chance.of(self.texts), yaml.CSafeLoader)
        except yaml.YAMLError:
            return self._cut(chance)
        for _ in range(chance.randrange(1, 6)):
            document = self._replaced(chance, document)
        return yaml.dump(document, Dumper=yaml.CSafeDumper, allow_unicode=True)

    def _replaced(self, chance: Chance, value: Any) -> Any:
        """The value with something below it replaced."""
        if isinstance(value, dict) and value and chance.random() < 0.97:
            key = chance.choice(list(value))
            if chance.random() < 0.02:
                return {(chance.of(TEXTS) if k == key else k): v for k, v in value.items()}
            return {k: self._replaced(chance, v) if k == key else v for k, v in value.items()}
        if isinstance(value, list) and value and chance.random() < 0.97:
            place = chance.randrange(len(value))
            copies = (
                [value[place]] * chance.choice([0, 2, 2])
                if chance.random() < 0.1
                else [self._replaced(chance, value[place])]
            )
            return [*value[:place], *copies, *value[place + 1 :]]
        if isinstance(value, str) and chance.random() < 0.6:
            return chance.retokened(value) if chance.random() < 0.5 else chance.expr(self.exprs)
        return chance.choice(
            [
                None,
                True,
                -1,
                1e308,
                [],
                {},
                [[]],
                chance.of(TEXTS),
                chance.of(DURATIONS),
                10**400,
                "2001-01-01",
            ]
        )

    def _cut(self, chance: Chance) -> str:
        """A known file with pieces of its text cut out, doubled or replaced."""
        text = chance.of(self.texts)
        for _ in range(chance.randrange(1, 5)):
            start = chance.randrange(len(text) + 1)
            end = min(len(text), start + chance.randrange(30))
            other = chance.of(
                (*TEXTS, *NUMBERS, *NAMES, *"&a *a <<: - : ? | > # % @ !!str --- ...".split())
            )
            text = (
                text[:start]
                + chance.of(("", text[start:end] * 2, other, text[end : end + 40]))
                + text[end:]
            )
        return text
