"""An alert on the budget before its tier is known, and the incidents that test it: above, below, gone and restarted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from gpuobs.lower import queries, series

# Minutes before something happens, and for which a series that ended may still be seen.
_BEFORE = 10
_AFTER = 10

# A waiting time in minutes to scenarios, in the form of the spec language.
Scenarios = Callable[[int], Iterator[dict[str, object]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One alert. `wait` is in minutes; `urgent` says that something is lost while it fires."""

    name: str
    expr: str
    wait: int
    summary: str
    description: str
    impact: str
    diagnose: tuple[str, ...]
    fix: tuple[str, ...]
    incidents: tuple[Scenarios, ...]
    urgent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One metric that passes its bound: `calm` before, `bad` then. A counter's are what it grows in a minute.

    `subjects` are the labels of who does what: `over` passes the bound and stays there, `gone` ends while it is over,
    `restarted` starts again from nothing, and `under` stays calm. `window` is what the expression looks back, in
    minutes, and `beside` are series that only have to be there. An empty `calm` is no series at all. `shown` are the
    labels of each subject's alert, where they are not its `by`.
    """

    name: str
    metric: str
    calm: str
    bad: str
    subjects: Mapping[str, Mapping[str, str]]
    by: tuple[str, ...] = ("instance",)
    shown: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    counter: bool = False
    window: int = 0
    beside: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, wait: int) -> Iterator[dict[str, object]]:
        fire = _BEFORE + self.window + wait + 2
        end = fire + 1 + self.window + _AFTER
        yield {
            "name": self.name,
            "series": {
                **{
                    series.text(self.metric, labels): self._values(role, fire + 1, end)
                    for role, labels in self.subjects.items()
                },
                **self.beside,
            },
            "fires": [
                *self._fires(fire, ("over", "gone")),
                *self._fires(end, ("over",)),
            ],
            "quiet": [
                {"at": f"{_BEFORE - 1}m"},
                *([{"at": f"{_BEFORE + wait - 1}m"}] if wait > 0 else []),
                *([] if "over" in self.subjects else [{"at": f"{end}m"}]),
            ],
        }

    def _fires(self, minute: int, roles: tuple[str, ...]) -> Iterator[dict[str, object]]:
        shown = {
            tuple(self.shown[role].items())
            if self.shown
            else tuple((label, self.subjects[role][label]) for label in self.by)
            for role in roles
            if role in self.subjects
        }
        for labels in sorted(shown):
            yield {"at": f"{minute}m", "labels": dict(labels)}

    def _values(self, role: str, turn: int, end: int) -> str:
        """Samples of a subject, one a minute. At `turn` those that are gone end."""
        calm, bad = self.calm, self.bad
        if role == "under":
            return self._run(((calm, end + 1),))
        if role == "restarted":
            return f"{self._run(((calm, turn),))} {self._run(((calm, end - turn + 1),))}"
        if role == "gone":
            return f"{self._run(((calm, _BEFORE), (bad, turn - _BEFORE)))} stale"
        return self._run(((calm, _BEFORE), (bad, end - _BEFORE + 1)))

    def _run(self, parts: tuple[tuple[str, int], ...]) -> str:
        """Samples one after the other; a counter goes on where it was."""
        found, at = [], 0.0
        for value, count in parts:
            if not value:
                found.append(f"_x{count}")
            elif not self.counter:
                found.append(f"{value}x{count - 1}")
            else:
                found.append(f"{queries.number(at)}+{value}x{count - 1}")
                at += float(value) * count
        return " ".join(found)


def instances(*roles: str) -> dict[str, dict[str, str]]:
    """A Prometheus for each role."""
    return {role: {"instance": f"prometheus-{role}"} for role in roles}


FOUR = ("over", "under", "gone", "restarted")
