"""YAML of a fixed shape: stable, quick, pleasant in a diff, and read as the same text by every reader of YAML.

Long or multi-line text stands in literal block scalars. Anything that YAML 1.1, YAML 1.2, Go or Kubernetes could take
for another type than text is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_WIDTH = 88
# Text that no reader takes for anything but text, and that holds nothing with a meaning in YAML.
_PLAIN = re.compile(
    r"(?:\.\./)?[A-Za-z_/(](?:[A-Za-z0-9_./()\[\]+*<>=~^\"\\ -]|,(?= )|:(?=[A-Za-z0-9_]))*\Z"
)
_DURATION = re.compile(r"(?:[0-9]+(?:ms|[smhdwy]))+\Z")
_WORDS = frozenset("y n yes no on off true false null nan inf".split())
_LITERAL = re.compile(
    r"[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*\Z"
)


def document(value: Mapping[str, Any], header: Sequence[str] = ()) -> bytes:
    """A document, with comment lines above it."""
    lines = [*(f"# {line}" for line in header), *_block(value, 0)]
    return ("\n".join(lines) + "\n").encode()


def _block(value: Any, indent: int) -> Iterator[str]:
    pad = " " * indent
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield from _entry(f"{pad}{scalar(str(key))}:", child, indent)
    else:
        for child in value:
            lines = list(_item(child, indent))
            yield f"{pad}- {lines[0][indent + 2 :]}"
            yield from lines[1:]


def _item(child: Any, indent: int) -> Iterator[str]:
    inner = indent + 2
    if isinstance(child, Comment):
        first, *rest = _block(child.value, inner)
        yield from (f"{' ' * inner}# {child.text}", first, *rest)
    elif isinstance(child, Mapping | list | tuple) and child:
        yield from _block(child, inner)
    else:
        yield from _entry("", child, inner, " " * inner)


def _entry(head: str, value: Any, indent: int, pad: str = "") -> Iterator[str]:
    start = f"{head} " if head else pad
    if isinstance(value, Mapping | list | tuple):
        if not value:
            yield f"{start}{'{}' if isinstance(value, Mapping) else '[]'}"
            return
        yield head
        yield from _block(value, indent + 2)
    elif isinstance(value, str) and _wants_block(value, len(start)):
        lines = value.split("\n")
        yield f"{start}|{_chomping(value)}"
        body = lines[:-1] if value.endswith("\n") else lines
        yield from (f"{' ' * (indent + 2)}{line}" if line else "" for line in body)
    else:
        yield f"{start}{scalar(value)}"


class Comment:
    """A list item with a comment line above its first key."""

    __slots__ = ("text", "value")

    def __init__(self, text: str, value: Mapping[str, Any]) -> None:
        self.text = " ".join(text.split())
        self.value = value


def _wants_block(text: str, used: int) -> bool:
    """Whether a literal block scalar shows the text best, and can hold it."""
    if not _LITERAL.match(text) or text != text.strip(" \t") or "\t" in text or not text.strip():
        return False
    if any(line != line.rstrip(" ") for line in text.split("\n")) or text.startswith("\n"):
        return False
    if "\n" in text:
        return not text.endswith("\n\n") and not text.split("\n", maxsplit=1)[0].startswith(" ")
    return used + len(text) > _WIDTH


def _chomping(text: str) -> str:
    return "" if text.endswith("\n") else "-"


def scalar(value: Any) -> str:
    """One value on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return _number(value)
    text = str(value)
    if _is_plain(text):
        return text
    if _LITERAL.match(text) and "\n" not in text and "\t" not in text:
        return "'" + text.replace("'", "''") + "'"
    return _double_quoted(text)


def _number(value: float) -> str:
    """Without an exponent where it can be; YAML has words of its own for what is not finite."""
    if value != value:
        return ".nan"
    if value in (float("inf"), float("-inf")):
        return ".inf" if value > 0 else "-.inf"
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    text = repr(value)
    # YAML 1.1 wants a point and a sign: 1e-07 would be text.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _is_plain(text: str) -> bool:
    if _DURATION.match(text):
        return True
    if not _PLAIN.match(text) or text.endswith(" ") or text.lower() in _WORDS:
        return False
    return not (text.startswith("[") or "<<" in text)


def _double_quoted(text: str) -> str:
    names = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\", "\r": "\\r"}
    parts = []
    for char in text:
        if char in names:
            parts.append(names[char])
        elif _LITERAL.match(char):
            parts.append(char)
        else:
            code = ord(char)
            parts.append(
                f"\\x{code:02x}"
                if code < 256
                else f"\\u{code:04x}"
                if code < 65536
                else f"\\U{code:08x}"
            )
    return '"' + "".join(parts) + '"'
