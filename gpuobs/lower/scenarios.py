"""Scenarios to unit tests: the author's series completed, and what must have fired when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gpuobs import catalog, names, promql
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.exporters import series_of
from gpuobs.ir import Assertion, InputSeries, Origin, RuleTest, Sample
from gpuobs.lower import queries, samples, series
from gpuobs.nearest import did_you_mean
from gpuobs.policy import Policy
from gpuobs.spec.document import place
from gpuobs.spec.model import Alert, Expectation, Scenario

# A week at every scrape of 15 s is 40,320; more is a slip of the finger that promtool would not survive.
_MAX_SAMPLES = 100_000
# What a histogram's or summary's series have behind its name.
_PARTS = ("_bucket", "_sum", "_count")


def lower_scenario(
    policy: Policy, recorded: frozenset[str], alert: Alert, scenario: Scenario
) -> tuple[RuleTest | None, list[Diagnostic]]:
    """One scenario as a test case."""
    problems: list[Diagnostic] = []
    inputs = []
    for selector, values in scenario.series.items():
        problems.extend(_value_problems(scenario, selector, values))
        completed = _completed(policy, recorded, scenario, selector, problems)
        if completed is not None:
            inputs.append(InputSeries(series=completed, values=" ".join(values.split())))
    for duplicate, count in Counter(entry.series for entry in inputs).items():
        if count > 1:
            message = f"'{duplicate}' is there twice once its labels are filled in"
            problems.append(error(scenario.where("series"), "scenario/duplicate-series", message))
    if not scenario.fires and not scenario.quiet:
        message = f"scenario '{scenario.name}' expects nothing"
        hint = "say when the alert 'fires' or is 'quiet'"
        problems.append(error(scenario.where("name"), "scenario/no-expectation", message, hint))
    assertions = (*_firing(alert, scenario, problems), *_silent(alert, scenario))
    if problems:
        return None, problems
    return (
        RuleTest(
            name=f"{alert.name}: {scenario.name}",
            interval=str(scenario.interval),
            series=tuple(inputs),
            assertions=tuple(sorted(assertions, key=lambda a: (_seconds(a), a.expr))),
            origin=Origin(scenario.where("name"), "Alerts", f"{alert.name}/{scenario.name}"),
            evaluation_interval=str(scenario.evaluation_interval or ""),
        ),
        [],
    )


def firing(alert: str, by: tuple[str, ...] | None, matchers: tuple[str, ...] = ()) -> str:
    """How many alerts of a name fire, by some of their labels; without `by` the alerts themselves."""
    base = (f'{names.ALERTNAME}="{alert}"', 'alertstate="firing"', *matchers)
    alerts = queries.selector("ALERTS", base)
    return alerts if by is None else queries.aggregate("count", by, alerts)


def _seconds(assertion: Assertion) -> float:
    from gpuobs.spec.scalars import Duration

    return Duration(assertion.at).seconds


def _firing(alert: Alert, scenario: Scenario, problems: list[Diagnostic]) -> list[Assertion]:
    moments: dict[str, list[Expectation]] = {}
    for expectation in scenario.fires:
        moments.setdefault(str(expectation.at), []).append(expectation)
    assertions = []
    for moment, expectations in moments.items():
        labels = tuple(sorted(expectations[0].labels))
        for other in expectations[1:]:
            if tuple(sorted(other.labels)) != labels:
                message = f"the alerts of one moment ({moment}) name different labels"
                hint = f"name {', '.join(labels) or 'no labels'} in each of them"
                problems.append(error(other.span, "scenario/labels-differ", message, hint))
        counts = Counter(tuple(sorted(e.labels.items())) for e in expectations)
        expected = tuple(
            Sample(labels=series.text("", dict(pairs)) or "{}", value=float(count))
            for pairs, count in sorted(counts.items())
        )
        shown = ", ".join(sample.labels for sample in expected)
        assertions.append(
            Assertion(
                expr=firing(alert.name, labels),
                at=moment,
                samples=expected,
                claim=f"{alert.name} fires at {moment} for exactly {shown}",
                origin=Origin(expectations[0].span, "Alerts", f"{alert.name}/{scenario.name}"),
            )
        )
    return assertions


def _silent(alert: Alert, scenario: Scenario) -> list[Assertion]:
    return [
        Assertion(
            expr=firing(
                alert.name,
                None,
                tuple(queries.matcher(k, [v]) for k, v in sorted(expectation.labels.items())),
            ),
            at=str(expectation.at),
            samples=(),
            claim=f"{alert.name} is quiet at {expectation.at}",
            origin=Origin(expectation.span, "Alerts", f"{alert.name}/{scenario.name}"),
        )
        for expectation in scenario.quiet
    ]


def _value_problems(scenario: Scenario, selector: str, values: str) -> Iterator[Diagnostic]:
    code = "scenario/bad-values"
    node = scenario.written.get("series", selector)
    assert node is not None
    if not values.strip():
        yield error(node.span, code, "no samples", "such as '70x10 90x30'")
    total = 0
    for word in samples.read(values):
        if isinstance(word, tuple):
            message = f"'{values[slice(*word)]}' is no sample in promtool's notation"
            yield error(place(node, *word), code, message, samples.FORMS)
            continue
        total += word.count
        if total > _MAX_SAMPLES:
            message = f"these are more than {_MAX_SAMPLES:,} samples"
            hint = "take fewer, or a longer 'interval'"
            yield error(place(node, word.start, word.end), code, message, hint)
            return


def _completed(
    policy: Policy,
    recorded: frozenset[str],
    scenario: Scenario,
    selector: str,
    problems: list[Diagnostic],
) -> str | None:
    """The series with all its labels, in promtool's notation."""
    span = scenario.written.get("series").key_span(selector)  # type: ignore[union-attr]
    parsed = promql.parse(selector)
    selected = [] if isinstance(parsed, promql.Refused) else list(promql.selectors(parsed))
    if len(selected) != 1 or selected[0].end - selected[0].start != len(selector.strip()):
        message = f"'{selector}' is no series"
        hint = """such as 'DCGM_FI_DEV_GPU_TEMP{Hostname="n1", gpu="3"}'"""
        problems.append(error(span, "scenario/bad-series", message, hint))
        return None
    name, matchers = selected[0].name, selected[0].matchers
    for written in matchers:
        if written.op != "=":
            message = f"a series has label values, not '{written.op}'"
            hint = f"""write {written.label}="{written.value}" """.strip()
            problems.append(error(span, "scenario/bad-series", message, hint))
            return None
    collected = policy.collected.get(name)
    if collected is None:
        problems.append(_unknown_metric(policy, recorded, name, span))
        return None
    given = {written.label: written.value for written in matchers}
    for label in given:
        if not collected.can_have(label):
            message = f"series of '{name}' have no label '{label}' on this fleet"
            hint = collected.label_hint(label)
            problems.append(error(span, "promql/unknown-label", message, hint))
            return None
    return series.text(name, series.completed(policy, collected, given))


def _unknown_metric(policy: Policy, recorded: frozenset[str], name: str, span) -> Diagnostic:  # type: ignore[no-untyped-def]
    if name in recorded:
        message = f"'{name}' is recorded by a rule: a scenario gives what exporters write"
        return error(
            span, "scenario/bad-series", message, "give the raw series it is recorded from"
        )
    return unknown_metric(policy, name, span, recorded=frozenset())


def unknown_metric(policy: Policy, name: str, span, recorded: frozenset[str]) -> Diagnostic:  # type: ignore[no-untyped-def]
    """A metric that this fleet does not have: not collected, stored under other names, or not known at all."""
    if name in policy.known:
        metric, its_catalog = policy.known[name]
        stored = tuple(written for written, _ in series_of(name, metric))
        if name not in stored:
            return _stored_otherwise(policy, name, stored, span)
        message = f"'{name}' is not collected on this fleet"
        groups = " or ".join(f"'{group}'" for group in metric.groups)
        hint = (
            f"add {groups or repr(name)} to 'collect' of the exporter with catalog "
            f"'{its_catalog.name}'"
        )
    else:
        message = f"no metric '{name}' on this fleet"
        hint = _elsewhere(name) or _nearest(policy, name, recorded)
    return error(span, "promql/unknown-metric", message, hint)


def _nearest(policy: Policy, name: str, recorded: frozenset[str]) -> str:
    """The name that was meant: of a catalog that has all names of its kind also one that is not collected."""
    hint = did_you_mean(name, {*policy.collected, *recorded})
    if hint:
        return hint
    complete = [e.catalog for e in policy.exporters if name.startswith(tuple(e.catalog.complete))]
    return did_you_mean(name, (each.name for found in complete for each in found.metrics))


def _stored_otherwise(policy: Policy, name: str, stored: tuple[str, ...], span) -> Diagnostic:  # type: ignore[no-untyped-def]
    """A histogram by the name that its series do not have, or a field that the exporter makes a label of others."""
    if not stored:
        message = f"'{name}' is a label of the exporter's series, and no series"
        return error(span, "promql/unknown-metric", message, f'match it, as in {{{name}="..."}}')
    message = f"'{name}' is a histogram: its series are {_listed(stored)}"
    hint = f"histogram_quantile(0.95, sum by (le) (rate({stored[0]}[5m])))"
    if stored[0] not in policy.collected:
        hint = (
            f"add '{name}' to 'collect' of the exporter with catalog '{policy.known[name][1].name}'"
        )
    return error(span, "promql/unknown-metric", message, hint)


def _elsewhere(name: str) -> str:
    """What to do about a name that another catalog has, or that nobody writes though it circulates."""
    for base in dict.fromkeys((name, *(name.removesuffix(end) for end in _PARTS))):
        for found in catalog.metric_catalogs_with(base):
            known = catalog.metric_catalog(found)
            assert known is not None
            metric = next(m for m in known.metrics if base in (m.name, *m.aliases))
            stored = tuple(written for written, _ in series_of(base, metric))
            if name in stored:
                return _bringing(base)
            if name == base and stored:
                return f"{_bringing(base)}, and read {_listed(stored)}"
    return _mistaken(name)


def _mistaken(name: str) -> str:
    """What is meant by a name that nobody writes though it circulates."""
    mistake = catalog.mistaken(name)
    if mistake is None:
        return ""
    right, why = mistake
    return f"write '{right}'" + (f": '{name}' is {why}" if why else "")


def _bringing(name: str) -> str:
    catalogs = " or ".join(catalog.metric_catalogs_with(name))
    return f"catalog {catalogs} has it: add its exporter to the fleet"


def _listed(items: tuple[str, ...]) -> str:
    quoted = [f"'{item}'" for item in items]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else quoted[0]
