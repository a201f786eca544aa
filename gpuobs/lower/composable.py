"""What a rollup cannot be: operations that do not compose, labels that are gone, signals that nobody reports."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic, Span, error, warning
from gpuobs.lower import sources
from gpuobs.lower.levels import ADDITIVE, KEEPS, MAY_KEEP, Key, declared, wanted
from gpuobs.nearest import did_you_mean
from gpuobs.policy import Policy
from gpuobs.spec.model import Operations, Rollup, Signal
from gpuobs.spec.scalars import duration

# promtool loads at most 10,000 samples for a query (LazyLoader in Prometheus' promqltest package), and a rule whose
# window alone needs more can be neither tested nor, on thousands of GPUs, evaluated.
MAX_SAMPLES = 9000


class NotComposable(Exception):
    """An operation that cannot be taken at a level; holds the diagnostic. Planning catches it."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic


def refusal(
    place: Span, message: str, hint: str = "", code: str = "rollup/not-composable"
) -> NotComposable:
    return NotComposable(error(place, code, message, hint))


def refuse_sum(signal: Signal, key: Key, place: Span) -> None:
    rated = signal.kind == "counter"
    if key.operation == "sum" and (signal.unit not in ADDITIVE or rated):
        what = "a counter" if rated else f"in {signal.unit}"
        message = f"'{signal.name}' is {what}: adding it up over GPUs means nothing"
        hint = f"rate: [{key.window}]" if rated else f"avg: [{key.window}]"
        raise refusal(place, message, hint)


def refuse_window(policy: Policy, key: Key, place: Span, scrapes: int) -> None:
    scrape = policy.fleet.scrape_interval
    if key.window.seconds < scrapes * scrape.seconds:
        least = duration(scrapes * scrape.seconds)
        what = f"{scrapes} scrape intervals" if scrapes > 1 else "one scrape interval"
        message = f"a window of {key.window} is shorter than {what} ({least})"
        raise refusal(place, message, f"take {least} or longer", "rollup/window-too-short")


def refuse_long_window(policy: Policy, key: Key, place: Span, step: float) -> None:
    if key.window.seconds / step > MAX_SAMPLES:
        interval = duration(policy.fleet.evaluation_interval.seconds)
        longest = duration(MAX_SAMPLES * step // 60 * 60)
        count = f"{key.window.seconds / step:,.0f}"
        message = f"a window of {key.window} loads {count} samples of every GPU at every evaluation"
        hint = f"take {longest} or shorter"
        if step < interval.seconds and key.operation not in ("rate", "increase"):
            hint += f", or record {key.operation}: [{interval}] too, on which longer windows build"
        raise refusal(place, message, hint, "rollup/window-too-long")


def refuse_lost_label(keeps: tuple[str, ...], below: tuple[str, ...], place: Span) -> None:
    for label in keeps:
        if label not in below:
            message = f"'{label}' is gone at level cluster, which level fleet is composed from"
            raise refusal(
                place, message, f"add 'by: [{label}]' to level cluster", "rollup/label-lost"
            )


def label_problems(signal: Signal, rollup: Rollup) -> Iterator[Diagnostic]:
    for index, label in enumerate(signal.by):
        if label in KEEPS["gpu"]:
            message = f"'{label}' is a label of the GPU: '{signal.name}' is told apart by it anyway"
            hint = f"remove '{label}' from 'by'"
            yield error(signal.where("by", index), "rollup/label-conflict", message, hint)
    for level, operations in declared(rollup):
        allowed = {*MAY_KEEP[level], *KEEPS[level], *signal.by}
        for index, label in enumerate(operations.by):
            if label not in allowed:
                message = f"a rollup of '{signal.name}' at level {level} cannot keep '{label}'"
                hint = did_you_mean(label, allowed - set(KEEPS[level]))
                yield error(operations.where("by", index), "rollup/unknown-label", message, hint)


def name_problems(rollup: Rollup, level: str, operations: Operations) -> Iterator[Diagnostic]:
    tokens = {Key(rollup.signal, level, op, window).token for op, window, _ in wanted(operations)}
    for token in operations.record:
        if token not in tokens:
            message = f"level {level} has no '{token}' to name"
            hint = did_you_mean(token, tokens)
            yield error(
                operations.written.at_key("record", token),
                "rollup/unknown-operation",
                message,
                hint,
            )


def source_problems(policy: Policy, rollup: Rollup) -> Iterator[Diagnostic]:
    """A signal that no exporter of the fleet reports; one that a vendor could report but does not collect."""
    signal = policy.signals[rollup.signal]
    parts = (signal.ratio.of, signal.ratio.to) if signal.ratio is not None else (signal.name,)
    for part in (policy.signals[name] for name in parts):
        have = sources.vendors_of(policy, part)
        for vendor in policy.vendors:
            missing = sources.missing_metrics(policy, part, vendor)
            if vendor in have or not missing:
                continue
            message = f"'{part.name}' needs {_listed(missing)}, which this fleet does not collect"
            hint = f"add {_collect_hint(policy, missing)} to 'collect' of the exporter"
            report = warning if have else error
            yield report(rollup.where("signal"), "rollup/not-collected", message, hint)
        if not have and not any(
            sources.missing_metrics(policy, part, vendor) for vendor in policy.vendors
        ):
            message = f"'{part.name}' has no source for {_listed(policy.vendors)}"
            hint = _source_hint(policy, part)
            yield error(rollup.where("signal"), "rollup/no-source", message, hint)


def _source_hint(policy: Policy, signal: Signal) -> str:
    """How a signal gets a source; only what there is of it elsewhere is said of a ratio."""
    vendors = tuple(str(vendor) for vendor in signal.sources)
    known = f"{_listed(vendors)} {'have' if len(vendors) > 1 else 'has'} one; " if vendors else ""
    own = f"'sources: {{{policy.vendors[0]}: <expression>}}'"
    return f"{known}give it {own} in a SignalCatalog of your own, or leave the rollup out"


def _listed(items: tuple[str, ...]) -> str:
    return " and ".join(f"'{item}'" for item in items)


def _collect_hint(policy: Policy, missing: tuple[str, ...]) -> str:
    groups = [group for name in missing for group in policy.known[name][0].groups]
    return f"'{groups[0]}' or {_listed(missing)}" if groups else _listed(missing)
