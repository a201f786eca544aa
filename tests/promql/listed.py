"""Where we and promtool differ on purpose or knowingly, each with its reason and an example that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpuobs import promql
from tests.promql.judge import Complaint

Version = tuple[int, int]
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


LISTED = (
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
)
