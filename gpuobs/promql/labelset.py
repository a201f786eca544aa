"""What is known of the labels of an expression's series: certain, possible or impossible, and for some the values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from gpuobs.promql import re2
from gpuobs.promql.selecting import Matcher

NAME = "__name__"
MADE = ""
# No series has as many labels: of what adds more, nothing is known, so that sets do not grow along chains of rules.
_MOST = 100
_PLAIN = re.compile(r"[A-Za-z0-9_:/@ ~,=;<>!%&-]*")


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Labels:
    """`certain` labels are on every series, `possible` ones (which include them) may be.

    With `open` any other label may be there too, except those in `gone`. `values` has the only values that a label can
    have where it is there, for the few labels of which that is known. `origins` has, for a label that no exporter wrote,
    the exporter's label that it is a copy of; MADE where there is none, or where some series lack what all should have.
    """

    certain: frozenset[str] = frozenset()
    possible: frozenset[str] = frozenset()
    open: bool = False
    gone: frozenset[str] = frozenset()
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)

    def can_have(self, label: str) -> bool:
        return label in self.possible or (self.open and label not in self.gone)

    def keep(self, labels: Iterable[str]) -> Labels:
        """What an aggregation by these labels leaves."""
        kept = frozenset(label for label in labels if self.can_have(label))
        return Labels(
            self.certain & kept,
            kept,
            values=_only(kept, self.values),
            origins=_only(kept, self.origins),
        )

    def drop(self, labels: Iterable[str]) -> Labels:
        """What is left without these labels."""
        dropped = frozenset(labels)
        if not self.open and self.possible.isdisjoint(dropped):
            return self
        gone = self.gone | dropped if self.open else frozenset()
        possible = self.possible - dropped
        values, origins = _only(possible, self.values), _only(possible, self.origins)
        return Labels(self.certain - dropped, possible, self.open, gone, values, origins)

    def with_value(self, label: str, value: str, origin: str | None = None) -> Labels:
        """With a label set to a value; the empty one takes the label away."""
        if not value:
            return self.drop((label,))
        return self.with_label(label, frozenset((value,)), origin=origin)

    def with_label(
        self,
        label: str,
        values: frozenset[str] | None = None,
        certain: bool = True,
        origin: str | None = None,
    ) -> Labels:
        """With a label that is there always, or only sometimes, its values where they are known, and a new origin if any."""
        there = label in self.possible and (label in self.certain) == certain
        if there and self.values.get(label) == values and origin in (None, self.origins.get(label)):
            return self
        origins = self.origins if origin is None else {**self.origins, label: origin}
        known = {key: value for key, value in self.values.items() if key != label}
        if values is not None:
            known[label] = values
        fixed = self.certain | {label} if certain else self.certain - {label}
        possible = self.possible | {label}
        if len(possible) > _MOST:
            return OPEN
        return Labels(fixed, possible, self.open, self.gone - {label}, known, origins)

    def origin(self, label: str) -> str:
        """The exporter's label that has these values; MADE if it is none's."""
        return self.origins.get(label, label)

    def union(self, other: Labels) -> Labels:
        """Of series that are of either kind."""
        if self is other:
            return self
        listed = self.possible | other.possible
        if len(listed) > _MOST:
            return OPEN
        possible = frozenset(k for k in listed if self.can_have(k) or other.can_have(k))
        gone = frozenset(
            k for k in self.gone | other.gone if not self.can_have(k) and not other.can_have(k)
        )
        both: dict[str, frozenset[str]] = {}
        for label in possible:
            values = [side.values.get(label) for side in (self, other) if side.can_have(label)]
            if all(value is not None for value in values):
                both[label] = frozenset().union(*(value for value in values if value is not None))
        is_open = self.open or other.open
        certain = self.certain & other.certain
        origins = {label: self._joint_origin(other, label) for label in possible}
        return Labels(certain, possible, is_open, gone if is_open else frozenset(), both, origins)

    def _joint_origin(self, other: Labels, label: str) -> str:
        """Of series of either kind; where the one kind may lack a label and the other not, no arithmetic counts it."""
        alike = (label in self.certain) == (label in other.certain)
        alike = alike and self.can_have(label) == other.can_have(label)
        return self.origin(label) if alike and self.origin(label) == other.origin(label) else MADE

    def matched(self, other: Labels, on: Iterable[str] | None, ignoring: Iterable[str]) -> Labels:
        """Of series for which the other side has one with equal labels: on these, or on all but some."""
        ignored = frozenset(ignoring)
        found = self
        if on is None:
            listed = (self.possible | other.possible | self.gone | other.gone) - ignored
        else:
            listed = frozenset(on)
        for label in listed:
            if not other.can_have(label):
                found = found.drop((label,))
            elif label in other.certain and found.can_have(label):
                found = found.with_label(label, found.common(other, label))
        if on is None and found.open and not other.open and not ignored:
            found = replace(found, open=False, gone=frozenset())
        return found

    def never_meets(
        self, other: Labels, on: Iterable[str] | None, ignoring: Iterable[str]
    ) -> tuple[str, ...]:
        """Labels because of which no series of the one side can match one of the other."""
        listed = self.possible | other.possible if on is None else frozenset(on)
        apart = []
        for label in sorted(listed - frozenset(ignoring)):
            one_sided = (label in self.certain and not other.can_have(label)) or (
                label in other.certain and not self.can_have(label)
            )
            if one_sided or self._disjoint(other, label):
                apart.append(label)
        return tuple(apart)

    def narrowed(self, matchers: Iterable[Matcher]) -> Labels:
        """Of the series that some matchers select."""
        found = self
        for matcher in matchers:
            if matcher.label != NAME:
                found = found._narrowed(matcher)
        return found

    def _narrowed(self, matcher: Matcher) -> Labels:
        label, known = matcher.label, self.values.get(matcher.label)
        if matcher.op == "=":
            return self.with_value(label, matcher.value)
        if matcher.op == "!=":
            left = known - {matcher.value} if known is not None else None
            if left is None and matcher.value:
                return self
            return self._restricted(label, left, certain=not matcher.value)
        pattern = re2.anchored(matcher.value)
        if pattern is None:
            return self
        wanted = matcher.op == "=~"
        accepts_empty = (pattern.fullmatch("") is not None) == wanted
        left = alternatives(matcher.value) if wanted and not accepts_empty else None
        if known is not None:
            left = frozenset(v for v in known if (pattern.fullmatch(v) is not None) == wanted)
        return self._restricted(label, left, certain=not accepts_empty)

    def _restricted(self, label: str, values: frozenset[str] | None, certain: bool) -> Labels:
        if not self.can_have(label) or (values is None and not certain):
            return self
        kept = self.values.get(label) if values is None else values
        return self.with_label(label, kept, certain or label in self.certain)

    def common(self, other: Labels, label: str) -> frozenset[str] | None:
        """The values of a label that both sides can have; None where they are not known."""
        mine, theirs = self.values.get(label), other.values.get(label)
        return mine & theirs if mine is not None and theirs is not None else mine or theirs

    def _disjoint(self, other: Labels, label: str) -> bool:
        mine, theirs = self.values.get(label), other.values.get(label)
        if mine is None or theirs is None or mine & theirs:
            return False
        return label in self.certain or label in other.certain


OPEN = Labels(open=True)
NONE = Labels()


def _only(labels: frozenset[str], known: Mapping[str, T]) -> dict[str, T]:
    return {label: value for label, value in known.items() if label in labels}


def alternatives(pattern: str) -> frozenset[str] | None:
    """The values of a pattern that is a list of literals, such as `a|b`; None for any other."""
    inside = (
        pattern[1:-1] if pattern[:1] == "(" and pattern.find(")") == len(pattern) - 1 else pattern
    )
    parts = inside.split("|")
    return frozenset(parts) if all(_PLAIN.fullmatch(part) for part in parts) else None
