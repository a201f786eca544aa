"""Where Prometheus' regular expressions (RE2) are narrower than the parser's engine."""

from __future__ import annotations

import re

_WRONG = (
    (re.compile(r"(?<!\\)(?:[*+?]|\{[0-9,]+\})[*+]|(?<!\\)\?\?\?"), "a repetition of a repetition"),
    (re.compile(r"\(\?[a-zA-Z]*[xuRX]"), "a flag that RE2 does not have"),
    (re.compile(r"\\u"), "RE2 has no \\u"),
    (re.compile(r"\\[pP]\{[^}]*="), "a Unicode class that RE2 does not have"),
    (re.compile(r"\\[pP]\{(?:Alphabetic|Uppercase|Lowercase|White_Space)\}"), "a Unicode class that RE2 does not have"),
    (re.compile(r"\(\?(?:<?[=!])"), "RE2 has no look-around"),
    (re.compile(r"\[[^\]]*[^\]\\]--[^\]]"), "an invalid character range"),
)
_REPEAT = re.compile(r"\{([0-9]+)(?:,([0-9]*))?\}")


def problem(pattern: str, version: tuple[int, int]) -> str:
    """What is wrong with a pattern for RE2; empty where nothing known is."""
    literal = re.sub(r"\\Q.*?(?:\\E|$)", "x", pattern, flags=re.DOTALL)
    for wrong, why in _WRONG:
        if wrong.search(literal):
            return why
    for match in _REPEAT.finditer(literal):
        if any(int(bound) > 1000 for bound in match.groups() if bound):
            return f"the repeat count {match.group()} is above 1000"
    if version < (2, 53) and re.search(r"\(\?<[A-Za-z]", literal):
        return "named groups are written (?P<name>...) before 2.53"
    return ""
