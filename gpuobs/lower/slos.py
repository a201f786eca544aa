"""Objectives to recording rules and alerts: sums of errors and of all over windows, and how fast the budget burns.

Numerators and denominators are kept and only divided at the end: a ratio is never averaged. Windows and shares are those
of the SRE workbook, chapter 5, "multiwindow, multi-burn-rate alerts"; a factor is share x objective's window / long window.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuobs import names
from gpuobs.diagnostics import Diagnostic
from gpuobs.ir import Origin, RecordingRule, RuleFile
from gpuobs.lower import groups, queries, slo_tests
from gpuobs.lower.levels import Key, Recorded
from gpuobs.lower.slo_problems import problems
from gpuobs.policy import Policy
from gpuobs.spec.made import made
from gpuobs.spec.model import Alerts, Burn, Burning, Slo, Slos
from gpuobs.spec.node import Node
from gpuobs.spec.scalars import Duration
from gpuobs.spec.shape import shape

BURNS: tuple[Burning, ...] = ("fast", "medium", "slow")
# Share of the budget, long window, short window and tier: the SRE workbook, table 5-8.
_WORKBOOK: Mapping[Burning, tuple[float, str, str, str]] = {
    "fast": (0.02, "1h", "5m", "page"),
    "medium": (0.05, "6h", "30m", "page"),
    "slow": (0.10, "3d", "6h", "ticket"),
}
_BASE = "5m"  # of rates, and the shortest window
_STEP = "1h"  # of the objective's whole window


@dataclass(frozen=True, slots=True)
class Alarm:
    """One alert of an objective with all that it leaves out filled in."""

    burning: Burning
    tier: str
    share: float
    long: Duration
    short: Duration
    factor: float

    @property
    def windows(self) -> tuple[Duration, Duration]:
        return self.long, self.short


def alarms(slo: Slo) -> list[Alarm]:
    """The alerts of an objective that are not off."""
    found = []
    for burning in BURNS:
        asked: Burn | None = getattr(slo.burn, burning, None)
        if asked is None or not asked.off:
            found.append(_alarm(slo, burning, asked))
    return found


def _alarm(slo: Slo, burning: Burning, asked: Burn | None) -> Alarm:
    share, long, short, tier = _WORKBOOK[burning]
    if asked is not None:
        share = share if asked.share is None else asked.share
        long, short = asked.window or long, asked.short or short
        tier = asked.tier or tier
    window, over = Duration(long), Duration(short)
    factor = share * slo.window.seconds / window.seconds
    return Alarm(burning, tier, share, window, over, float(f"{factor:.10g}"))


def lower_slos(
    policy: Policy, recorded: Mapping[Key, Recorded], document: Slos
) -> tuple[RuleFile | None, Alerts | None, list[Diagnostic]]:
    """The rules of a document, and its alerts in the language that authors write; nothing where a mistake leaves them undefined."""
    found = list(problems(policy, recorded, document))
    if any(problem.severity == "error" for problem in found):
        return None, None, found
    built = []
    for slo in document.slos:
        name = names.group("slos", f"{document.name}.{slo.name}")
        parts, cuts = groups.grouped(policy, name, list(_rules(recorded, document, slo)))
        built.extend(parts)
        found.extend(cuts)
    origin = Origin(document.span, "Slos", str(document.name))
    file = RuleFile(name=f"slos-{document.name}", groups=tuple(built), origin=origin)
    return file, _alerts(policy, document), found


# Rules ---------------------------------------------------------------------------------------------------------------


def _rules(recorded: Mapping[Key, Recorded], document: Slos, slo: Slo) -> Iterator[RecordingRule]:
    origin = Origin(slo.where("name"), "Slos", str(document.name))
    labels = {names.SLO: str(slo.name)}
    for part, expr, node in _base(recorded, slo):
        written = made(node, {"expr": expr})
        yield RecordingRule(
            record=part, expr=expr, labels=labels, level="slo", origin=origin, written=written
        )
    for record, expr, unit in _derived(slo):
        yield RecordingRule(
            record=record, expr=expr, labels=labels, level="slo", unit=unit, origin=origin
        )


def _base(recorded: Mapping[Key, Recorded], slo: Slo) -> Iterator[tuple[str, str, Node]]:
    """What the windows are built on: bad ones and all of them, each with what the author wrote it as."""
    if slo.events is not None:
        yield from _events(slo, slo.written)
    elif slo.latency is not None:
        place = _node(slo.written, "latency")
        matchers = [queries.matcher(str(k), v) for k, v in slo.latency.match.items()]
        name = slo.latency.histogram
        edge = (queries.matcher("le", edges(slo.latency.within)), *matchers)
        total = _rate(slo, queries.selector(f"{name}_count", matchers))
        good = _rate(slo, queries.selector(f"{name}_bucket", edge))
        yield _name("total", _BASE), total, place
        yield _name("errors", _BASE), f"{total}\n-\n{good}", place
    elif slo.sampled is not None:
        total, good = slo.sampled.total.strip(), slo.sampled.good.strip()
        yield _name("total", ""), total, _node(slo.written, "sampled", "total")
        errors = f"{_bracketed(total)}\n-\n{_bracketed(good)}"
        yield _name("errors", ""), errors, _node(slo.written, "sampled", "good")
    elif slo.good is not None:
        place = _node(slo.written, "good")
        series = recorded[_key(slo)].record
        by = _level_labels(slo)
        total = queries.aggregate("count", by, series)
        yield _name("total", ""), total, place
        yield _name("errors", ""), f"{total}\n-\n{queries.aggregate('sum', by, series)}", place


def edges(within: str) -> tuple[str, ...]:
    """How a bucket's edge is spelled: from Prometheus 3 on, whole numbers have a point."""
    return (within, f"{within}.0") if within.isdigit() else (within,)


def _events(slo: Slo, written: Node) -> Iterator[tuple[str, str, Node]]:
    assert slo.events is not None
    total = _rate(slo, slo.events.total.strip())
    yield _name("total", _BASE), total, _node(written, "events", "total")
    if slo.events.error is not None:
        # A counter of errors often begins with the first one: until then there are none.
        errors = f"{_rate(slo, slo.events.error.strip())}\nor\n{total} * 0"
        yield _name("errors", _BASE), errors, _node(written, "events", "error")
    else:
        assert slo.events.good is not None
        errors = f"{total}\n-\n({_rate(slo, slo.events.good.strip())}\nor\n{total} * 0)"
        yield _name("errors", _BASE), errors, _node(written, "events", "good")


def _rate(slo: Slo, selector: str) -> str:
    return queries.aggregate("sum", map(str, slo.by), f"rate({selector}[{_BASE}])")


def _derived(slo: Slo) -> Iterator[tuple[str, str, str]]:
    """Windows on what is recorded already, then what dashboards show: record, expression and unit."""
    chosen = queries.matcher(names.SLO, [str(slo.name)])
    windows = {Duration("1h").seconds: Duration("1h")}
    windows |= {each.seconds: each for alarm in alarms(slo) for each in alarm.windows}
    start = _BASE if is_of_events(slo) else ""
    for seconds in sorted(windows):
        if start and seconds <= Duration(_BASE).seconds:
            continue
        for part in ("errors", "total"):
            base = queries.selector(_name(part, start), [chosen])
            yield (
                _name(part, windows[seconds]),
                queries.over_time("avg", base, windows[seconds]),
                "",
            )
    for part in ("errors", "total"):
        base = queries.selector(_name(part, _STEP), [chosen])
        yield _name(part, slo.window), queries.over_time("avg", base, f"{slo.window}:{_STEP}"), ""
    budget = queries.number(round(1 - slo.objective, 12))
    yield names.SLO_OBJECTIVE, queries.call("vector", queries.number(slo.objective)), "ratio"
    yield names.SLO_BURN, f"{_share(chosen, _STEP)} / {budget}", ""
    yield names.SLO_REMAINING, f"1 - {_share(chosen, slo.window)} / {budget}", "ratio"


def _share(chosen: str, window: str) -> str:
    errors, total = (
        queries.selector(_name(part, window), [chosen]) for part in ("errors", "total")
    )
    return f"{errors} / {total}"


def _name(part: str, window: str) -> str:
    """The record of errors or of all, over a window, or as they are at the moment."""
    return names.record("slo", part, f"avg{window}" if window else "last")


def is_of_events(slo: Slo) -> bool:
    """Whether it counts events, whose rates are over the shortest window."""
    return slo.events is not None or slo.latency is not None


def _key(slo: Slo) -> Key:
    assert slo.good is not None
    return Key(slo.good.signal, "gpu", "avg", Duration("1m"))


def _level_labels(slo: Slo) -> tuple[str, ...]:
    assert slo.good is not None
    of_level = {"node": (names.CLUSTER, names.NODE), "cluster": (names.CLUSTER,), "fleet": ()}
    return of_level[slo.good.level]


def _bracketed(expression: str) -> str:
    return f"({expression})"


def _node(written: Node, *path: str) -> Node:
    found = written.get(*path)
    assert found is not None
    return found


# Alerts --------------------------------------------------------------------------------------------------------------


def _alerts(policy: Policy, document: Slos) -> Alerts | None:
    """The alerts as a document of their own, with what authors wrote at its place."""
    found = [_alert(policy, slo, alarm) for slo in document.slos for alarm in alarms(slo)]
    if not found:
        return None
    text = {
        "apiVersion": names.API_VERSION,
        "kind": "Alerts",
        "name": f"slos-{document.name}",
        "owner": str(document.owner),
        "alerts": found,
    }
    spec, mistakes = shape(made(document.written, text))
    assert isinstance(spec, Alerts), mistakes
    return spec


def alert_name(slo: Slo, burning: Burning) -> str:
    """Such as GpuAvailableBurnFast."""
    words = "".join(word[:1].upper() + word[1:] for word in slo.name.split("-"))
    start = words if words[:1].isalpha() else f"Slo{words}"
    return f"{start}Burn{burning.capitalize()}"


def _alert(policy: Policy, slo: Slo, alarm: Alarm) -> Node:
    tier = {str(name): tier for name, tier in policy.tiers.tiers.items()}[alarm.tier]
    alert: dict[str, object] = {
        "name": made(_node(slo.written, "name"), alert_name(slo, alarm.burning)),
        "tier": alarm.tier,
        "expr": made(_node(slo.written, "objective"), _burns(slo, alarm)),
        "for": str(tier.min_for or "0s"),
        "labels": {names.SLO: str(slo.name), names.BURN: alarm.burning},
        "summary": slo.written.get("summary") or _summary(slo),
        "description": slo.written.get("description") or _description(slo, alarm),
    }
    if slo.owner:
        alert["owner"] = slo.owner
    runbook = slo.written.get("runbook")
    if runbook is not None:
        alert["runbook"] = runbook
    scenarios = slo.written.get("scenarios", alarm.burning)
    own = list(scenarios.value) if scenarios is not None else []
    alert["scenarios"] = [*own, *slo_tests.derived(policy, slo, alarm)]
    return made(slo.written, alert)


def _burns(slo: Slo, alarm: Alarm) -> str:
    """How many times too fast the budget burns, over both windows, where there is enough to say so."""
    chosen = queries.matcher(names.SLO, [str(slo.name)])
    budget = queries.number(round(1 - slo.objective, 12))
    factor = queries.number(alarm.factor)
    parts = [f"{_share(chosen, window)} / {budget} > {factor}" for window in alarm.windows]
    if slo.minimum_total:
        total = queries.selector(_name("total", alarm.long), [chosen])
        count = f"{total} * {queries.number(alarm.long.seconds)}" if is_of_events(slo) else total
        parts.append(f"{count} >= {queries.number(slo.minimum_total)}")
    return "\nand\n".join(parts)


def _summary(slo: Slo) -> str:
    by = map(str, slo.by) if is_of_events(slo) else _level_labels(slo) if slo.good else ()
    of = ", ".join(f"{{{{ $labels.{label} }}}}" for label in by)
    where = f" of {of}" if of else ""
    return f"{slo.name}{where} burns its error budget {{{{ $value | humanize }}}} times as fast as it may"


def _description(slo: Slo, alarm: Alarm) -> str:
    return (
        f"{slo.objective:.10g} of all must be good over {slo.window}. At this rate {alarm.share:.4g} of the budget for "
        f"{slo.window} is gone within {alarm.long}, and over the last {alarm.short} it still burns."
    )
