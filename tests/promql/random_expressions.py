"""Random PromQL over given metrics: every function, aggregation and operator that rules can have."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from gpuobs.promql.functions import FUNCTIONS, MATRIX, VECTOR

_AGGREGATIONS = ("sum", "avg", "min", "max", "count", "group", "stddev", "stdvar")
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_ARITHMETIC = ("+", "-", "*", "/", "%", "^", "atan2")
_NUMBERS = ("0", "1", "2", "0.5", "-1", "100", "1e9", "3.7", "-0.25", "7", "Inf", "NaN")
# Those of one vector or of one range vector; the rest is written out below.
_OF_VECTOR = tuple(
    name for name, row in FUNCTIONS.items() if row.arguments == (VECTOR,) and row.result == VECTOR
)
_OF_MATRIX = tuple(name for name, row in FUNCTIONS.items() if row.arguments == (MATRIX,))
_WINDOWS = ("1m", "3m", "5m", "10m")


@dataclass(frozen=True)
class Vocabulary:
    """Metrics with the labels of their series and the values that are there, and all labels; `common` ones are on many series."""

    metrics: Mapping[str, Mapping[str, Sequence[str]]]
    labels: Mapping[str, Sequence[str]]
    common: Sequence[str]


@dataclass(frozen=True)
class Writer:
    """Writes expressions; every method draws anew."""

    random: Random
    words: Vocabulary

    def vector(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.1:
            return self._offset(self._selector())
        of = self.random.choices(
            (
                self._aggregated,
                self._called,
                self._with_scalar,
                self._matched,
                self._set,
                self._relabelled,
                self._other,
            ),
            (6, 6, 4, 6, 3, 2, 1),
        )[0]
        return of(depth - 1)

    def rule(self) -> str:
        """An expression that cannot fail at evaluation: both sides of its operators are aggregated by one list of labels."""
        listed = ", ".join(self._labels(self.random.randint(0, 3)))
        first, second = (self._group(listed) for _ in range(2))
        operator = self.random.choice((*_ARITHMETIC[:4], *_COMPARISONS, "and", "or", "unless"))
        window = self.random.choice(_WINDOWS)
        return self.random.choice(
            (
                first,
                f"{first} {operator} {second}",
                f"{first} {self.random.choice(_ARITHMETIC)} {self._number()}",
                f"{self._selector()} * on ({listed}) group_left () {second}",
                f"{self.random.choice(('rate', 'max_over_time', 'avg_over_time', 'increase'))}({self._selector()}[{window}])",
                f'label_replace({first}, "copied", "$1", "{self._label()}", "(.*)")',
                f"{self._selector()} {self.random.choice(_COMPARISONS)} {self._number()}",
            )
        )

    def _group(self, listed: str) -> str:
        operand = self._selector()
        if self.random.random() < 0.4:
            operand = (
                f"{self.random.choice(('rate', 'max_over_time', 'sum_over_time'))}({operand}[5m])"
            )
        elif self.random.random() < 0.4:
            operand += f" {self.random.choice(_COMPARISONS)} {self._number()}"
        return f"{self.random.choice(_AGGREGATIONS)} by ({listed}) ({operand})"

    # Parts -----------------------------------------------------------------------------------------------------------

    def _selector(self) -> str:
        name = self.random.choice(tuple(self.words.metrics))
        matchers = [self._matcher(name) for _ in range(self.random.choice((0, 0, 0, 0, 1, 1, 2)))]
        return f"{name}{{{', '.join(matchers)}}}" if matchers else name

    def _matcher(self, name: str) -> str:
        """Mostly on a label that the metric's series have, with values that are there."""
        labels = self.words.metrics[name]
        if not labels or self.random.random() < 0.1:
            labels = self.words.labels
        label = self.random.choice(tuple(labels))
        values = [self.random.choice(labels[label]) for _ in range(self.random.randint(1, 3))]
        operator = self.random.choice(("=", "=", "!=", "=~", "=~", "!~"))
        value = (
            values[0] if self.random.random() < 0.9 else self.random.choice(("", "absent value"))
        )
        if "~" in operator:
            listed = "|".join(_escaped(value) for value in values)
            value = self.random.choice(
                (listed, listed, f"({listed}|)", f"({listed})", ".*", ".+", "", "[0-9a-z].*")
            )
        return f"{label}{operator}{json.dumps(value, ensure_ascii=False)}"

    def _label(self) -> str:
        return self.random.choice(
            self.words.common if self.random.random() < 0.8 else tuple(self.words.labels)
        )

    def _labels(self, count: int) -> list[str]:
        return list(dict.fromkeys(self._label() for _ in range(count)))

    def _number(self) -> str:
        return self.random.choice(_NUMBERS)

    def _offset(self, text: str) -> str:
        return (
            f"{text} offset {self.random.choice(('1m', '3m', '-2m'))}"
            if self.random.random() < 0.08
            else text
        )

    def _scalar(self, depth: int) -> str:
        of = self.random.random()
        if of < 0.75 or depth <= 0:
            return self._number()
        return self.random.choice(
            ("time()", "pi()", f"scalar({self.vector(depth - 1)})", f"({self._number()} - 3)")
        )

    def _matrix(self, depth: int) -> str:
        window = self.random.choice(_WINDOWS)
        if depth <= 0 or self.random.random() < 0.6:
            return self._offset(f"{self._selector()}[{window}]")
        return self._offset(
            f"({self.vector(depth - 1)})[{window}:{self.random.choice(('', '1m', '2m'))}]"
        )

    def _grouping(self) -> str:
        keyword = self.random.choice(("by", "by", "without", ""))
        return (
            f" {keyword} ({', '.join(self._labels(self.random.randint(0, 4)))}) " if keyword else ""
        )

    # Nodes -----------------------------------------------------------------------------------------------------------

    def _aggregated(self, depth: int) -> str:
        name = self.random.choice((*_AGGREGATIONS, "topk", "bottomk", "quantile", "count_values"))
        parameter = {
            "topk": self.random.choice(("1", "2", "3", "0", "2.5")),
            "bottomk": self.random.choice(("1", "2", "-1")),
            "quantile": self.random.choice(("0.5", "0.9", "0", "1", "2", "-1")),
            "count_values": f'"{self.random.choice(("value", self._label()))}"',
        }.get(name)
        inside = self.vector(depth)
        return (
            f"{name}{self._grouping()}({inside if parameter is None else f'{parameter}, {inside}'})"
        )

    def _called(self, depth: int) -> str:
        random = self.random
        if random.random() < 0.45:
            return f"{random.choice(_OF_VECTOR)}({self.vector(depth)})"
        if random.random() < 0.75:
            return f"{random.choice(_OF_MATRIX)}({self._matrix(depth)})"
        vector, matrix, first, second = (
            self.vector(depth),
            self._matrix(depth),
            self._scalar(depth),
            self._scalar(0),
        )
        return random.choice(
            (
                f"round({vector}, {random.choice(('0.1', '5', '0', first))})",
                f"clamp({vector}, {first}, {second})",
                f"clamp_min({vector}, {first})",
                f"clamp_max({vector}, {first})",
                f"quantile_over_time({random.choice(('0.5', '1', '0.25', first))}, {matrix})",
                f"predict_linear({matrix}, {first})",
                f"histogram_quantile({first}, {vector})",
                f"vector({first})",
                f"{random.choice(('minute', 'hour', 'year', 'day_of_week'))}()",
            )
        )

    def _with_scalar(self, depth: int) -> str:
        operator = self.random.choice((*_ARITHMETIC, *_COMPARISONS))
        if operator in _COMPARISONS and self.random.random() < 0.4:
            operator += " bool"
        sides = [f"({self.vector(depth)})", self._scalar(depth)]
        if self.random.random() < 0.3:
            sides.reverse()
        return f"{sides[0]} {operator} {sides[1]}"

    def _matched(self, depth: int) -> str:
        """Mostly of sides that are aggregated by the labels of `on`, so that the match is not ambiguous."""
        operator = self.random.choice((*_ARITHMETIC, *_COMPARISONS))
        if operator in _COMPARISONS and self.random.random() < 0.4:
            operator += " bool"
        labels = self._labels(self.random.randint(1, 4))
        listed = ", ".join(labels[:3])
        many, one = (
            f"({self.vector(depth)})",
            f"{self.random.choice(_AGGREGATIONS)} by ({listed}) ({self.vector(depth)})",
        )
        of = self.random.random()
        if of < 0.3:
            other = f"{self.random.choice(_AGGREGATIONS)} by ({listed}) ({self.vector(depth)})"
            return f"{other} {operator}{self.random.choice(('', f' on ({listed})'))} {one}"
        if of < 0.45:
            extra = ", ".join({*labels, *self._labels(1)})
            one = f"topk by ({listed}) (1, max by ({extra}) ({self.vector(depth)}))"
            taken = ", ".join(label for label in extra.split(", ") if label not in labels[:3])
            return f"{many} {operator} on ({listed}) group_left ({taken}) {one}"
        if of < 0.75:
            return f"{many} {operator} on ({listed}) group_left () {one}"
        if of < 0.85:
            return f"{one} {operator} on ({listed}) group_right () {many}"
        vector = self.vector(depth)
        return f"({vector}) {operator}{self.random.choice(('', f' ignoring ({listed})'))} ({self.random.choice((vector, self.vector(depth)))})"

    def _set(self, depth: int) -> str:
        listed = ", ".join(self._labels(self.random.randint(0, 3)))
        matching = self.random.choice(("", f" on ({listed})", f" ignoring ({listed})"))
        return f"({self.vector(depth)}) {self.random.choice(('and', 'or', 'unless'))}{matching} ({self.vector(depth)})"

    def _relabelled(self, depth: int) -> str:
        inside, target, source = (
            self.vector(depth),
            self.random.choice((self._label(), "copied")),
            self._label(),
        )
        source = self.random.choice((source, source, source, "__name__"))
        if self.random.random() < 0.4:
            sources = "".join(
                f', "{label}"' for label in [*self._labels(self.random.randint(0, 3)), source]
            )
            return f'label_join({inside}, "{target}", "{self.random.choice(("-", ""))}"{sources})'
        pattern = self.random.choice(("(.*)", ".*", "(.+)", "([a-z]*)-?(.*)", "", "0|1"))
        replacement = self.random.choice(("$1", "fixed", "", "$1-$2", "${1}x"))
        return f'label_replace({inside}, "{target}", "{replacement}", "{source}", "{pattern}")'

    def _other(self, depth: int) -> str:
        return self.random.choice(
            (
                f"-({self.vector(depth)})",
                f"absent({self._selector()})",
                f"absent_over_time({self._selector()}[3m])",
                f"absent({self.vector(depth)})",
                f"vector({self._scalar(depth)})",
            )
        )


def _escaped(value: str) -> str:
    """A value as a pattern that matches just it."""
    return "".join(
        f"\\{character}" if character in r"\.+*?()|[]{}^$" else character for character in value
    )
