"""Tables of verdicts: what each promtool says, and what we say where that differs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

Version = tuple[int, int]
VERSIONS: tuple[Version, ...] = ((2, 42), (2, 53), (3, 5))


@dataclass(frozen=True)
class Verdict:
    """One text with a verdict for each of VERSIONS: + accepts it, - refuses it."""

    text: str
    promtool: str
    ours: str
    mark: str = ""


def expressions() -> list[Verdict]:
    return [
        Verdict(line[8:], line[:3], line[4:7].strip() or line[:3])
        for line in _lines("expressions.txt")
    ]


def patterns() -> list[Verdict]:
    return [
        Verdict(line[10:], line[:3], line[6:9].strip() or line[:3], line[4])
        for line in _lines("patterns.txt")
    ]


def matcher(pattern: str, name: str = "foo") -> str:
    """A selector with the pattern as the author would write it."""
    escaped = pattern.replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}{{a=~"{escaped}"}}'


def _lines(name: str) -> list[str]:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line and not line.startswith("#")]
