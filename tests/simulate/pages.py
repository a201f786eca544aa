"""A strict reader of Prometheus' text format: it takes what the format's page allows, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_METRIC = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_HELP = re.compile(rf"# HELP ({_METRIC}) ((?:[^\\\n]|\\\\|\\n)*)")
_TYPE = re.compile(rf"# TYPE ({_METRIC}) (counter|gauge|histogram|summary|untyped)")
_PAIR = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
_SAMPLE = re.compile(rf"({_METRIC})\{{((?:{_PAIR}(?:,{_PAIR})*)?)\}} (\S+)")
_LABEL = re.compile(r'([a-zA-Z0-9_]+)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"')
_PARTS = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("", "_sum", "_count")}
_ESCAPED = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


@dataclass(frozen=True)
class Sample:
    """One line of a page; `family` is what its TYPE line names."""

    name: str
    labels: Mapping[str, str]
    value: float
    family: str


@dataclass(frozen=True)
class Family:
    """What the two lines before samples say."""

    kind: str
    help: str


def read(page: bytes) -> tuple[Mapping[str, Family], list[Sample]]:
    """Families by name, and samples; AssertionError where the page is not well formed."""
    text = page.decode("utf-8")
    assert text.endswith("\n") or not text
    families: dict[str, Family] = {}
    samples = list(_samples(iter(text.split("\n")[:-1]), families))
    seen = [(each.name, *sorted(each.labels.items())) for each in samples]
    assert len(set(seen)) == len(seen), "a series stands twice"
    _buckets(samples, families)
    return families, samples


def _samples(lines: Iterator[str], families: dict[str, Family]) -> Iterator[Sample]:
    family, names = "", {""}
    for line in lines:
        if line.startswith("#"):
            said = _HELP.fullmatch(line)
            assert said, line
            kind = _TYPE.fullmatch(next(lines))
            assert kind, line
            assert said[1] == kind[1], line
            family = said[1]
            assert family not in families, f"{family} stands in two places"
            families[family] = Family(kind[2], _unescaped(said[2]))
            names = {family + part for part in _PARTS.get(kind[2], ("",))}
            continue
        found = _SAMPLE.fullmatch(line)
        assert found, line
        assert found[1] in names, f"{found[1]} under {family}"
        pairs = [(name, _unescaped(value)) for name, value in _LABEL.findall(found[2])]
        labels = dict(pairs)
        assert len(labels) == len(pairs), line
        assert all(labels.values()), f"an empty label: {line}"
        yield Sample(found[1], labels, float(found[3]), family)


def _buckets(samples: list[Sample], families: Mapping[str, Family]) -> None:
    """A histogram ends with +Inf, which has as many as are counted; a summary has quantiles."""
    last: dict[object, float] = {}
    for sample in samples:
        kind = families[sample.family].kind
        rest = frozenset(
            pair for pair in sample.labels.items() if pair[0] not in ("le", "quantile")
        )
        if kind == "histogram" and sample.name.endswith("_bucket"):
            before = last.get((sample.family, rest), 0.0)
            assert sample.value >= before, sample
            last[sample.family, rest] = sample.value
            if sample.labels["le"] == "+Inf":
                last[sample.family, rest, "whole"] = sample.value
        if kind == "histogram" and sample.name.endswith("_count"):
            # Where the catalog does not say how many buckets there are, there are none.
            assert last.get((sample.family, rest, "whole"), sample.value) == sample.value, sample
        if kind == "summary" and sample.name == sample.family:
            assert 0 <= float(sample.labels["quantile"]) <= 1, sample


def _unescaped(text: str) -> str:
    return re.sub(r"\\[\\\"n]", lambda match: _ESCAPED[match[0]], text)
