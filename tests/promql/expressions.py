"""Expressions of PromQL's whole grammar, most of them valid or nearly so, written at random but the same for one seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from hypothesis import strategies as st

from tests.promql import vocabulary
from tests.promql.vocabulary import ARITHMETIC, COMPARISONS, SETS

_TYPES = {"vector", "scalar", "string", "matrix"}
_WHITE = [" ", "  ", "\t", "\n", "\r", "\r\n", "\n  ", " # c\n", "#\r", "# a 'b\n# c\r\n"]
_STRANGE_WHITE = ["\f", "\v", "\xa0", "\u2028", "\ufeff", "\x00", "\u3000"]
_COMMON = """rate irate increase delta sum_over_time max_over_time avg_over_time count_over_time absent scalar vector abs
    round clamp clamp_max histogram_quantile label_replace label_join quantile_over_time predict_linear time""".split()


def expressions(seed: int, count: int) -> Iterator[str]:
    """As many expressions as wanted; the first ones are the same whatever their count."""
    random = Random(seed)
    for _ in range(count):
        yield expression(random)


def strategy() -> st.SearchStrategy[str]:
    """The same expressions for hypothesis, which can shrink them."""
    return st.randoms(use_true_random=False).map(expression)


def expression(random: Random) -> str:
    """One expression, about half of them with something broken."""
    writer = _Writer(random, strange=random.choice([0.0, 0.005, 0.04]))
    parts = writer.of_type(random.choice(["vector"] * 12 + ["scalar", "matrix", "string"]), 3)
    mutated = random.random()
    if mutated < 0.3:
        for _ in range(random.choice([1, 1, 1, 2, 3])):
            _mutate(random, parts)
    text = _joined(random, parts)
    return _scratched(random, text) if mutated > 0.95 else text


def _mutate(random: Random, parts: list[str]) -> None:
    """Removes, doubles, swaps, replaces or adds one token."""
    place = random.randrange(len(parts) + 1)
    other = random.randrange(len(parts) + 1)
    changes: list[Callable[[], object]] = [
        lambda: parts.__setitem__(slice(place, place + 1), []),
        lambda: parts.insert(place, random.choice([*parts, "("])),
        lambda: parts.__setitem__(slice(place, place + 1), [vocabulary.word(random)]),
        lambda: parts.insert(place, vocabulary.word(random)),
        lambda: parts.__setitem__(slice(place, place + 2), parts[place : place + 2][::-1]),
        lambda: parts.insert(other, parts.pop(place) if place < len(parts) else ")"),
        lambda: parts.__setitem__(slice(place, place), parts[place : place + 1]),
    ]
    random.choice(changes)()


def _scratched(random: Random, text: str) -> str:
    """The text with a character removed, doubled, or put in the place of another."""
    place = random.randrange(len(text) + 1)
    strange = random.choice("()[]{}\"'`\\,:.=!~<>@#$%&|+-*/^?;_0 1eExXsmhdwyi\n\r\t\x00\ufffdé")
    replacement = random.choice(["", strange, strange, text[place : place + 1] * 2])
    return text[:place] + replacement + text[place + random.choice([0, 1]) :]


def _joined(random: Random, parts: list[str]) -> str:
    """The tokens with white space where it is needed, and elsewhere as the author of this one likes it."""
    style = random.choice(["tight", "tight", "spaced", "spaced", "wild", "glued"])
    text = ""
    for part in parts:
        if style == "wild" and random.random() < 0.5:
            text += random.choice(_STRANGE_WHITE if random.random() < 0.005 else _WHITE)
        elif (style == "spaced" and random.random() < 0.7) or (
            style != "glued" and _run_on(text, part)
        ):
            text += " "
        text += part
    return text


def _run_on(text: str, part: str) -> bool:
    """Whether two tokens would become one without a space."""
    return (
        text[-1:].isidentifier() or text[-1:].isdigit() or text[-1:] == ":"
        if part[:1].isalnum() or part[:1] in "_:"
        else False
    )


class _Writer:
    """Writes expressions as tokens. `strange` is the chance, at every choice, of what is wrong or only nearly right."""

    def __init__(self, random: Random, strange: float) -> None:
        self._random = random
        self._strange = strange

    def _odd(self) -> bool:
        return self._random.random() < self._strange

    def _chance(self, chance: float) -> bool:
        return self._random.random() < chance

    def of_type(self, wanted: str, depth: int) -> list[str]:
        if self._odd():
            wanted = self._random.choice(sorted(_TYPES))
        written: list[str] = getattr(self, f"_{wanted}")(depth)
        if self._chance(0.08):
            return ["(", *written, ")"]
        return written

    def _string(self, _: int) -> list[str]:
        return [vocabulary.string(self._random, self._strange)]

    def _scalar(self, depth: int) -> list[str]:
        chance = self._random.random()
        if depth <= 0 or chance < 0.6:
            return [*self._signs(), self._number()]
        if chance < 0.75:
            return self._binary(
                self.of_type("scalar", depth - 1), self.of_type("scalar", depth - 1), ARITHMETIC
            )
        if chance < 0.85:
            comparison = self._random.choice(COMPARISONS)
            return [
                *self._scalar(depth - 1),
                comparison,
                *([] if self._odd() else ["bool"]),
                *self._scalar(depth - 1),
            ]
        return [
            *self._signs(),
            *self._random.choice(
                [
                    ["time", "(", ")"],
                    ["pi", "(", ")"],
                    ["scalar", "(", *self.of_type("vector", depth - 1), ")"],
                ]
            ),
        ]

    def _number(self) -> str:
        if self._chance(self._strange / 2 + 0.01):
            return vocabulary.duration(self._random, self._strange)
        return vocabulary.number(self._random, self._strange)

    def _signs(self) -> list[str]:
        return (
            [self._random.choice("+--")] * self._random.choice([1, 1, 2])
            if self._chance(0.1)
            else []
        )

    def _vector(self, depth: int) -> list[str]:
        chance = self._random.random()
        if depth <= 0 or chance < 0.2:
            return [*self._signs(), *self._selector(), *self._modifiers()]
        if chance < 0.45:
            return [*self._signs(), *self._aggregation(depth - 1)]
        if chance < 0.75:
            return [*self._signs(), *self._call(depth - 1)]
        sides = self._random.choice(
            [("vector", "vector")] * 3 + [("vector", "scalar")] * 2 + [("scalar", "vector")]
        )
        left, right = (self.of_type(side, depth - 1) for side in sides)
        return self._binary(
            left,
            right,
            ARITHMETIC + COMPARISONS + SETS
            if sides == ("vector", "vector")
            else ARITHMETIC + COMPARISONS,
        )

    def _matrix(self, depth: int) -> list[str]:
        if depth > 0 and self._chance(0.3):
            inside = self.of_type("vector", depth - 1)
            step = [] if self._chance(0.4) else [self._duration()]
            if len(inside) > 3 and self._chance(0.8):
                inside = ["(", *inside, ")"]
            return [*inside, "[", self._duration(), ":", *step, "]", *self._modifiers()]
        before = self._modifiers() if self._odd() else []
        return [*self._selector(), *before, "[", self._duration(), "]", *self._modifiers()]

    def _duration(self) -> str:
        if self._chance(0.05):
            return vocabulary.number(self._random, self._strange)
        return vocabulary.duration(self._random, self._strange)

    def _modifiers(self) -> list[str]:
        """None, offset, @, or both."""
        written = []
        for _ in range(self._random.choice([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2])):
            sign = [self._random.choice("-+")] * self._random.choice(
                [0, 0, 1, 1, 2 if self._odd() else 1]
            )
            if self._chance(0.5):
                written += [
                    self._random.choice(["offset", "offset", "OFFSET"]),
                    *sign,
                    self._duration(),
                ]
            else:
                time = self._random.choice(
                    [
                        [*sign, self._number()],
                        ["start", "(", ")"],
                        ["end", "(", ")"],
                        ["End", "(", ")"],
                    ]
                )
                written += ["@", *time]
        return written

    def _selector(self) -> list[str]:
        name = [self._metric()] if self._chance(0.8) else []
        if name and self._chance(0.4):
            return name
        inside: list[str] = []
        for _ in range(self._random.choice([0, 1, 1, 2, 3])):
            inside += [*self._matcher(), ","]
        if not name and self._chance(0.7):
            inside += [self._random.choice(vocabulary.LABELS), "=", '"x"', ","]
        if not name and self._chance(0.3):
            place = self._random.choice([0, len(inside)])
            inside[place:place] = [vocabulary.string(self._random, self._strange), ","]
        if inside and not self._chance(0.1):
            inside.pop()
        return [*name, "{", *inside, "}"]

    def _metric(self) -> str:
        if self._chance(0.1):
            return self._random.choice(
                [*vocabulary.KEYWORDS, *vocabulary.AGGREGATIONS, *vocabulary.FUNCTIONS]
            )
        return self._random.choice(vocabulary.METRICS)

    def _matcher(self) -> list[str]:
        if self._chance(0.5):
            pattern = vocabulary.pattern(self._random, self._strange)
            return [
                self._label(),
                self._random.choice(["=~", "!~"]),
                vocabulary.quoted(self._random, pattern),
            ]
        operator = self._random.choice(
            vocabulary.STRANGE_OPERATORS + COMPARISONS if self._odd() else ["=", "!="]
        )
        value = self._metric() if self._odd() else vocabulary.string(self._random, self._strange)
        return [self._label(), operator, value]

    def _label(self) -> str:
        if self._chance(0.03):
            return vocabulary.string(self._random, self._strange)
        if self._chance(0.01) or self._odd():
            return self._metric()
        return self._random.choice(vocabulary.LABELS)

    def _labels(self) -> list[str]:
        inside: list[str] = []
        for _ in range(self._random.choice([0, 1, 1, 2, 3])):
            inside += [self._label(), ","]
        if inside and not self._chance(0.1):
            inside.pop()
        return ["(", *inside, ")"]

    def _aggregation(self, depth: int) -> list[str]:
        names = vocabulary.STRANGE_AGGREGATIONS if self._odd() else vocabulary.AGGREGATIONS
        name = self._random.choice(names)
        parameter = {"count_values": "string"}.get(name.lower(), "scalar")
        takes = name.lower() in (
            "count_values",
            "topk",
            "bottomk",
            "quantile",
            "limitk",
            "limit_ratio",
        )
        arguments = [*self.of_type(parameter, depth), ","] if takes != self._odd() else []
        body = [
            "(",
            *arguments,
            *self.of_type("vector", depth),
            *([","] if self._odd() else []),
            ")",
        ]
        grouped = [self._random.choice(["by", "without", "BY"]), *self._labels()]
        before, after = self._random.choice([([], []), (grouped, []), ([], grouped)])
        if self._odd():
            before, after = grouped, grouped
        return [name, *before, *body, *after]

    def _call(self, depth: int) -> list[str]:
        if self._chance(self._strange + 0.004):
            name = self._random.choice(vocabulary.STRANGE_FUNCTIONS)
            types = self._random.choices(sorted(_TYPES), k=self._random.randint(0, 3))
        else:
            name = self._random.choice(_COMMON if self._chance(0.5) else vocabulary.FUNCTIONS)
            types = self._argument_types(name)
        inside: list[str] = []
        for wanted in types:
            inside += [*self.of_type(wanted, depth), ","]
        if inside and not self._odd():
            inside.pop()
        return [name, "(", *inside, ")"]

    def _argument_types(self, name: str) -> list[str]:
        from gpuobs.promql.functions import FUNCTIONS

        signature = FUNCTIONS[name]
        most = signature.least + 2 if signature.most is None else signature.most
        if self._odd():
            most += 1
        count = self._random.randint(max(0, signature.least - self._odd()), most)
        types = signature.arguments or ("scalar",)
        return [types[min(index, len(types) - 1)] for index in range(count)]

    def _binary(self, left: list[str], right: list[str], operators: list[str]) -> list[str]:
        odd = self._odd()
        operator = self._random.choice(vocabulary.STRANGE_OPERATORS if odd else operators)
        returned = (
            ["bool"] if (operator in COMPARISONS and self._chance(0.3)) or self._odd() else []
        )
        matching: list[str] = []
        if (operators[-3:] == SETS and self._chance(0.4)) or self._odd():
            matching = [self._random.choice(["on", "ignoring", "ON"]), *self._labels()]
            if (operator not in SETS and self._chance(0.3)) or self._odd():
                group = self._random.choice(["group_left", "group_right"])
                matching += [group, *(self._labels() if self._chance(0.7) else [])]
        return [*left, operator, *returned, *matching, *right]
