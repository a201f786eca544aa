"""What every thing that an author can write has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from gpuobs.diagnostics import Span
from gpuobs.spec.node import Node
from gpuobs.spec.scalars import Name


@dataclass(frozen=True, slots=True)
class Doc:
    """A field's documentation; `minimum` and `non_empty` bound its value."""

    text: str
    minimum: float | None = None
    non_empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Anything that was written somewhere: it keeps the YAML that was written, and so its place."""

    written: Node = field(compare=False, repr=False)

    @property
    def span(self) -> Span:
        return self.written.span

    def where(self, *path: str | int) -> Span:
        """The place of a value below this item, by YAML keys."""
        return self.written.at(*path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec(Item):
    """What every document has. `kind` is the class's name."""

    name: Annotated[Name, Doc("Name of this document, unique among its kind.")]
    description: Annotated[str, Doc("What this document is for, in a sentence.")] = ""
