"""An expression that cannot be used, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """`start` and `end` are offsets of the broken token in the expression; `code` is a diagnostic code."""

    code: str
    message: str
    start: int
    end: int
    hint: str
