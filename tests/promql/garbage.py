"""Texts that are no PromQL, and what must hold of the reader whatever it gets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from random import Random

from gpuobs import promql
from tests.ending import ends
from tests.promql.expressions import expression
from tests.promql.tables import VERSIONS, Version
from tests.promql.vocabulary import pattern, quoted, word

_ALPHABET = "()[]{}\"'`\\,:.=!~<>@#$%&|+-*/^?;_ 01eExXsmhdwyif\n\r\t\f\x00\x7f\ufffdé日\u2028\U0001f642\ud800\udfff"
_REPEATED = (
    *"([{-!\\\"'`#:,@\x00\ud8009_.e$é)]}",
    *"foo[ a( sum( {a=' {a=~'( -( [5m: [[ ${ foo{a=~'a*'}or 1^ 1h 0x 1_ 1e \\x4 'a', foo#\n 1. \\u12".split(
        " "
    ),
    *("sum by (", "foo + ", "foo or ", "foo offset ", "foo @ ", "by ", "not ", "foo #\r"),
)
_SLOW_PATTERNS = (
    *"(a*)*b (a|a)*b (.*)(.*)(.*)(.*)(.*)x ((((a{10}){10}){10}){10}) a{1000} (a?){500}a{500} (x+x+)+y".split(),
    *(part * 5000 for part in "[ ( | a| \\Q a{ [[: ^* a? [a-z] \\ .* (?i)".split()),
    *("\\pL{1000}", "(?:" * 200 + ")" * 200, "(a" * 240 + ")*" * 240),
    *("[^\\x00-\\x{10FFFF}]" * 1000, "x{0,1000}" * 1000),
)


def garbage(seed: int, count: int) -> Iterator[str]:
    """As many texts as wanted, the fixed ones first."""
    random = Random(seed)
    fixed = [part * (30_000 // len(part)) for part in _REPEATED]
    fixed += [f"foo{{a=~{quoted(random, each)}}}" for each in _SLOW_PATTERNS]
    fixed += [
        f"{{a!~{quoted(random, each)}, b=~{quoted(random, each)}}}" for each in _SLOW_PATTERNS
    ]
    yield from fixed[:count]
    makers = (_characters, _bytes, _words, _nested, _pattern, _damaged)
    for _ in range(count - len(fixed)):
        yield random.choice(makers)(random)


def broken(text: str, version: Version) -> str:
    """What the reader does with a text that it must never do; empty where it behaves."""
    try:
        with ends():
            found = promql.parse(text, version)
    except Exception as problem:  # noqa: BLE001 -- whatever it is, it is what is looked for
        return f"raises {type(problem).__name__}: {problem}"
    if isinstance(found, promql.Refused) and not 0 <= found.start <= found.end <= len(text):
        return f"points at {found.start}-{found.end} of {len(text)} characters"
    return ""


def worst(seed: int, count: int) -> Iterator[tuple[str, Version, str]]:
    """Each text that breaks the reader, which takes turns at the versions."""
    for text, version in zip(garbage(seed, count), cycle(VERSIONS), strict=False):
        problem = broken(text, version)
        if problem:
            yield text, version, problem


def _characters(random: Random) -> str:
    return "".join(random.choices(_ALPHABET, k=random.choice([1, 5, 40, 400])))


def _bytes(random: Random) -> str:
    most = random.choice([0x80, 0x100, 0x110000])
    return "".join(chr(random.randrange(most)) for _ in range(random.choice([3, 30, 300])))


def _words(random: Random) -> str:
    return random.choice(["", " ", " ", "\n"]).join(
        word(random) for _ in range(random.choice([2, 6, 30, 300]))
    )


def _nested(random: Random) -> str:
    depth = random.choice([5, 50, 99, 101, 1000])
    opened, closed = random.choice(
        [
            ("(", ")"),
            ("abs(", ")"),
            ("sum by (a) (", ")"),
            ("-(", ")"),
            ("", "[5m:1m]"),
            ("rate(", "[5m:])"),
            ("1 + (", ")"),
        ]
    )
    return opened * depth + expression(random) + closed * (depth - random.choice([0, 0, 1, -1]))


def _pattern(random: Random) -> str:
    part = pattern(random, 0.3)
    return (
        f"foo{{a{random.choice(['=~', '!~'])}{quoted(random, part * random.choice([1, 10, 300]))}}}"
    )


def _damaged(random: Random) -> str:
    text = list(expression(random))
    for _ in range(random.randint(1, 10)):
        place = random.randrange(len(text) + 1)
        text[place : place + random.choice([0, 1, 5])] = random.choices(
            _ALPHABET, k=random.choice([0, 1, 3])
        )
    return "".join(text)
