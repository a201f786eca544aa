"""What alerts rest on, and which of them notice that an exporter or a GPU is no longer there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuobs import names, promql
from gpuobs.checks._rules import accepts, may_select
from gpuobs.exporters import EVERY_TARGET, ExporterInUse
from gpuobs.ir import AlertingRule, Program, RecordingRule
from gpuobs.promql import Parsed, Selector

_INVENTORY = (names.INVENTORY_GPUS, names.INVENTORY_GPUS_PER_NODE, names.INVENTORY_NODES)
_UP = "up"


class Presence:
    """The project's alerts, followed through their records down to what exporters write."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._records: dict[str, list[tuple[RecordingRule, Parsed]]] = {}
        self._below: dict[Selector, frozenset[Selector]] = {}
        for rule in program.rules:
            parsed = promql.parse(rule.expr, program.version)
            if isinstance(rule, RecordingRule) and isinstance(parsed, Parsed):
                self._records.setdefault(rule.record, []).append((rule, parsed))

    def recorded(self, name: str) -> list[Parsed]:
        """The expressions that are recorded under a name."""
        return [parsed for _, parsed in self._records.get(name, [])]

    def exporters(self, parsed: Parsed) -> Mapping[str, ExporterInUse]:
        """The exporters that an expression reads from, by catalog, in the order of its selectors."""
        assert self._program.policy is not None
        collected = self._program.policy.collected
        found: dict[str, ExporterInUse] = {}
        for selector in self._raw(parsed):
            metric = collected.get(selector.name)
            if metric is not None and EVERY_TARGET not in metric.metric.groups:
                found.setdefault(str(metric.exporter.catalog.name), metric.exporter)
        return found

    def notices(self, alert: AlertingRule, exporter: ExporterInUse) -> bool:
        """Whether an alert fires when an exporter, or series of it, are gone."""
        parsed = promql.parse(alert.expr, self._program.version)
        if not isinstance(parsed, Parsed):
            return False
        if any(_watches(selector, exporter.spec.job) for selector in self._raw(parsed)):
            return True
        read = str(exporter.catalog.name) in self.exporters(parsed)
        return read and (_asks_for_absence(parsed) or _counts_inventory(parsed))

    def _raw(self, parsed: Parsed) -> Iterator[Selector]:
        """Selectors of an expression, with those of the records that it reads in their place."""
        for selector in promql.selectors(parsed):
            if selector.name in self._records:
                yield from sorted(self._reached(selector), key=lambda each: each.name)
            else:
                yield selector

    def _reached(self, record: Selector) -> frozenset[Selector]:
        """What the rules read whose series a selector of a record may have."""
        if record not in self._below:
            self._below[record] = frozenset()  # a circle ends here
            self._below[record] = frozenset(
                each
                for rule, parsed in self._records[record.name]
                if may_select(record, rule)
                for each in self._raw(parsed)
            )
        return self._below[record]


def _watches(selector: Selector, job: str) -> bool:
    """Whether a selector reads `up` of a job."""
    return selector.name == _UP and all(
        accepts(matcher, job) for matcher in selector.matchers if matcher.label == "job"
    )


def _asks_for_absence(parsed: Parsed) -> bool:
    """Whether it is `absent(x)`, or has what was there before `unless` it is there now."""
    called = {token.text for token in promql.calls(parsed)}
    words = {token.text.lower() for token in parsed.tokens if token.kind == "word"}
    return not called.isdisjoint(("absent", "absent_over_time")) or {"unless", "offset"} <= words


def _counts_inventory(parsed: Parsed) -> bool:
    return any(selector.name in _INVENTORY for selector in promql.selectors(parsed))
