"""Where we and promtool differ on purpose or knowingly, each with its reason and an example that shows it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from gpuobs import promql
from gpuobs.promql.lexer import tokens
from tests.promql.judge import Complaint
from tests.promql.tables import Version

_UNREAD = "gpuobs cannot read this expression, though Prometheus can"
_WORD_IN_RANGE = re.compile(r"\[\s*[0-9.][\w.]*(?:\s|#.*)+[A-Za-z_]\w*\Z")
_READ_AND_NOT_USED = ("a range vector is no result", "a string is no result", "gpuobs cannot read")


@dataclass(frozen=True, slots=True)
class Case:
    """One expression at one version: what we say of it, and promtool's complaint where it has one."""

    text: str
    version: Version
    ours: promql.Parsed | promql.Refused
    complaint: Complaint | None

    @property
    def taken(self) -> bool:
        """Whether our grammar takes it, though it may not be used."""
        return isinstance(self.ours, promql.Parsed) or self.says(*_READ_AND_NOT_USED)

    @property
    def agrees(self) -> bool:
        return self.taken == (self.complaint is None) and not self.says(*_READ_AND_NOT_USED)

    def says(self, *messages: str) -> bool:
        return isinstance(self.ours, promql.Refused) and self.ours.message.startswith(messages)

    @property
    def refused_by_us_alone(self) -> bool:
        return isinstance(self.ours, promql.Refused) and self.complaint is None


@dataclass(frozen=True, slots=True)
class Listed:
    """A difference that stays. `example` differs at `version` for no other reason."""

    reason: str
    holds: Callable[[Case], bool]
    example: str
    version: Version


def reason(case: Case) -> str:
    """Why a case that does not agree is right as it is; empty where nothing is listed."""
    return next((listed.reason for listed in LISTED if listed.holds(case)), "")


def _ours_alone(*messages: str) -> Callable[[Case], bool]:
    return lambda case: case.refused_by_us_alone and case.says(*messages)


def _unread(case: Case, pattern: str, flags: int = 0) -> bool:
    """Whether the second reader refuses a case whose text, or whose reason, has the pattern."""
    searched = f"{case.text}\n{_words(case)}"
    return (
        case.refused_by_us_alone
        and case.says(_UNREAD)
        and bool(re.search(pattern, searched, flags))
    )


def _words(case: Case) -> str:
    return case.ours.message if isinstance(case.ours, promql.Refused) else ""


def _refused_offset(case: Case, wanted: list[str]) -> bool:
    """Whether we refuse the word or the sign that stands behind 'offset' or in a range."""
    if not isinstance(case.ours, promql.Refused) or not case.refused_by_us_alone:
        return False
    before = [token.text.lower() for token in tokens(case.text[: case.ours.start])][-2:]
    return (
        bool({"offset", "[", ":"} & {*before})
        and case.text[case.ours.start : case.ours.end].lower() in wanted
    )


def _letter_for_a_colon(case: Case) -> bool:
    """Whether we refuse a word behind a duration in square brackets."""
    assert isinstance(case.ours, promql.Refused)
    return case.refused_by_us_alone and bool(_WORD_IN_RANGE.search(case.text[: case.ours.end]))


LISTED = (
    Listed(
        "what could exhaust the second reader is left to be recorded in parts",
        lambda case: (
            case.refused_by_us_alone
            and isinstance(case.ours, promql.Refused)
            and case.ours.code == "promql/too-complex"
        ),
        "(" * 200 + "up" + ")" * 200,
        (2, 42),
    ),
    Listed(
        "a range vector loads as a rule, and then fails at every evaluation",
        _ours_alone("a range vector is no result"),
        "foo[5m]",
        (3, 5),
    ),
    Listed(
        "a string loads as a rule, and then fails at every evaluation",
        _ours_alone("a string is no result"),
        '"a"',
        (3, 5),
    ),
    Listed(
        "the second reader reserves this name",
        _ours_alone("gpuobs cannot read the name"),
        "smoothed",
        (2, 42),
    ),
    Listed(
        "the second reader reads 'or' in braces as its own operator",
        lambda case: _unread(case, r"\bor\s*(?:!=|=~|!~|=)", re.IGNORECASE),
        'foo{or="a"}',
        (2, 42),
    ),
    Listed(
        "the second reader refuses a range behind '@ end()', which Prometheus takes by accident",
        _ours_alone("gpuobs cannot read this expression, though Prometheus can: no @ modifiers"),
        "rate(foo @ end()[5m])",
        (2, 42),
    ),
    Listed(
        "the second reader counts durations to a little less than 292 years",
        lambda case: _unread(case, "duration must be greater than 0"),
        "rate(foo[9223372036s])",
        (2, 42),
    ),
    Listed(
        "the second reader reads no exponent behind a leading 0 in a range",
        lambda case: _unread(case, "ParseFloatError"),
        "rate(foo[01e3])",
        (3, 5),
    ),
    Listed(
        "a label in a list may have a colon from 3.0 on, and the second reader takes none",
        lambda case: case.refused_by_us_alone and case.says("the label '"),
        "sum by (a:b) (foo)",
        (3, 5),
    ),
    Listed(
        "a metric named ':'",
        _ours_alone("':' has no place here"),
        ": > 0",
        (2, 42),
    ),
    Listed(
        "Prometheus takes any letter in a range for its colon",
        lambda case: isinstance(case.ours, promql.Refused) and _letter_for_a_colon(case),
        "rate(foo[5m x])",
        (2, 42),
    ),
    Listed(
        "Prometheus takes a plus in a range, and several signs before an offset, from 3.4 on",
        lambda case: _refused_offset(case, ["+", "-"]),
        "foo offset --5m",
        (3, 5),
    ),
    Listed(
        "an offset of 0 from 3.0 on is none, and a second offset may follow",
        _ours_alone("'offset' stands twice"),
        "foo offset 0 offset 5m",
        (3, 5),
    ),
    Listed(
        "Prometheus takes an offset that is no number from 3.0 on",
        lambda case: _refused_offset(case, ["nan"]),
        "foo offset nan",
        (3, 5),
    ),
    Listed(
        "Prometheus never compiles a pattern without signs from 2.53 on, so it takes broken UTF-8 there",
        lambda case: case.refused_by_us_alone and "it is not UTF-8" in _words(case),
        r"foo{a=~'b\xff'}",
        (2, 53),
    ),
    Listed(
        "2.53 cannot compile long optional repetitions, because it compiles them written out",
        lambda case: case.complaint is not None and "nests too deeply" in case.complaint.message,
        'foo{a=~"a{1,1000}"}',
        (2, 53),
    ),
)
