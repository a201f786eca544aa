"""Policy to Program: rule groups and their tests, every item with the spec item it came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gpuobs import names, promql
from gpuobs.diagnostics import Diagnostic, Related, error
from gpuobs.ir import (
    OperatorSettings,
    Origin,
    Program,
    RecordingRule,
    Rule,
    RuleFile,
    RuleGroup,
    RuleTestFile,
)
from gpuobs.lower import budget_alerts, groups, identity, inventory, rollups
from gpuobs.lower.alert_tests import derived_cases
from gpuobs.lower.alerts import Lowered, lower_alert
from gpuobs.lower.collection import collection
from gpuobs.lower.levels import Key, Recorded
from gpuobs.lower.routing import routing
from gpuobs.lower.scenarios import lower_scenario
from gpuobs.lower.slos import lower_slos
from gpuobs.policy import Policy
from gpuobs.spec import expression
from gpuobs.spec.model import Alert, Alerts, PlainRule, Rollups


def lower(policy: Policy) -> tuple[Program | None, list[Diagnostic]]:
    """The whole program; None where a mistake leaves a part of it undefined."""
    problems = list(identity.problems(policy))
    policy = identity.dropping(policy)
    recorded: dict[Key, Recorded] = {}
    files = [inventory.rule_file(policy)]
    for document in policy.rollups:
        files.extend(_rollups(policy, document, recorded, problems))
    broken = _broken_signals(policy, problems)
    lowered: dict[str, list[Lowered]] = {}
    for alerts in policy.alerts:
        lowered[alerts.name] = _alerts(policy, alerts, recorded, broken, problems)
        files.extend(_alert_file(policy, alerts, lowered[alerts.name], problems))
    policy = _with_slos(policy, files, recorded, lowered, problems)
    if any(problem.severity == "error" for problem in problems):
        return None, problems
    policy = _with_budget_alerts(policy, files, recorded, lowered, problems)
    tests = _test_files(policy, files, recorded, lowered, problems)
    if any(problem.severity == "error" for problem in problems):
        return None, problems
    return _program(policy, files, tests), problems


def _program(policy: Policy, files: Iterable[RuleFile], tests: tuple[RuleTestFile, ...]) -> Program:
    return Program(
        fleet=str(policy.fleet.name),
        version=policy.fleet.prometheus_version.number,
        rule_files=tuple(sorted(files, key=lambda file: file.name)),
        test_files=tests,
        operator=_operator(policy),
        routing=routing(policy),
        policy=policy,
    )


def with_collection(program: Program) -> Program:
    """The program with what is collected, scraped and sent, which needs the rules and is for targets alone."""
    return replace(program, collection=collection(program))


# Recording rules -----------------------------------------------------------------------------------------------------


def _rollups(
    policy: Policy,
    document: Rollups,
    recorded: dict[Key, Recorded],
    problems: list[Diagnostic],
) -> Iterable[RuleFile]:
    plan, found = rollups.plan_document(policy, document)
    problems.extend(found)
    chains: dict[str, list[Rule]] = {}
    fleet: dict[str, list[Rule]] = {}
    chain_of = _chains(policy, document, plan)
    for key, series in plan.recorded.items():
        if key in recorded:
            first = recorded[key].rules[0].origin
            message = f"'{series.record}' is recorded by Rollups '{first.name}' too"
            hint = "put rollups that need the same series into one document"
            related = (Related(first.span, "needed here first"),)
            place = series.rules[0].origin.span
            problems.append(error(place, "rule/duplicate-series", message, hint, related))
        recorded.setdefault(key, series)
        of_level = fleet if key.level == "fleet" else chains
        of_level.setdefault(chain_of[key.signal], []).extend(series.rules)
    built = _groups(policy, f"rollup.{document.name}", chains, problems)
    plain = [_plain_rule(policy, document, rule, problems) for rule in document.rules]
    if plain:
        parts, cuts = groups.grouped(policy, names.group("rules", document.name), list(plain))
        built.extend(parts)
        problems.extend(cuts)
    origin = Origin(document.span, "Rollups", str(document.name))
    if built:
        yield RuleFile(name=f"rollups-{document.name}", groups=tuple(built), origin=origin)
    if fleet:
        above = tuple(_groups(policy, f"fleet.{document.name}", fleet, problems))
        yield RuleFile(name=f"fleet-{document.name}", groups=above, origin=origin, of_fleet=True)


def _broken_signals(policy: Policy, problems: Iterable[Diagnostic]) -> frozenset[str]:
    """Signals with a mistake in a rollup of theirs: nothing can be said of what it does not record."""
    spans = [problem.span for problem in problems if problem.severity == "error"]
    return frozenset(
        str(rollup.signal)
        for document in policy.rollups
        for rollup in document.rollups
        if any(rollup.where().holds(span) for span in spans)
    )


def _groups(
    policy: Policy, name: str, chains: Mapping[str, list[Rule]], problems: list[Diagnostic]
) -> list[RuleGroup]:
    """Each chain as a group, or as several where the store's limit cuts it."""
    built: list[RuleGroup] = []
    for chain, rules in chains.items():
        parts, cuts = groups.grouped(policy, names.group(name, chain), rules)
        built.extend(parts)
        problems.extend(cuts)
    return built


def _chains(policy: Policy, document: Rollups, plan: rollups.Plan) -> dict[str, str]:
    """Signal to the name of its chain: a ratio stands in one chain with its two parts."""
    chain = {key.signal: key.signal for key in plan.recorded}
    for rollup in document.rollups:
        ratio = policy.signals[rollup.signal].ratio if rollup.signal in policy.signals else None
        for part in (ratio.of, ratio.to) if ratio else ():
            if part in chain and rollup.signal in chain:
                old, new = chain[part], chain[rollup.signal]
                chain = {signal: new if name == old else name for signal, name in chain.items()}
    return chain


def _plain_rule(
    policy: Policy,
    document: Rollups,
    rule: PlainRule,
    problems: list[Diagnostic],
) -> RecordingRule:
    _parse(policy, rule, problems)
    return RecordingRule(
        record=str(rule.record),
        expr=rule.expr.strip(),
        labels={str(label): rule.labels[label] for label in sorted(rule.labels)},
        unit=rule.unit,
        origin=Origin(rule.where("record"), "Rollups", str(document.name)),
        written=rule.written,
    )


def _parse(
    policy: Policy, item: Alert | PlainRule, problems: list[Diagnostic]
) -> promql.Parsed | None:
    """An expression that the author wrote, parsed at birth; a mistake is reported at its token."""
    node = item.written.get("expr")
    assert node is not None
    parsed = expression.parse(node, policy.fleet.prometheus_version.number)
    if isinstance(parsed, promql.Parsed):
        return parsed
    problems.append(parsed)
    return None


# Alerts --------------------------------------------------------------------------------------------------------------


def _alerts(
    policy: Policy,
    document: Alerts,
    recorded: Mapping[Key, Recorded],
    broken: frozenset[str],
    problems: list[Diagnostic],
) -> list[Lowered]:
    found = []
    for alert in document.alerts:
        if alert.expr is not None:
            _parse(policy, alert, problems)
        lowered, mistakes = lower_alert(policy, recorded, document, alert)
        unsure = alert.when is not None and alert.when.signal in broken
        problems.extend(m for m in mistakes if not (unsure and m.code == "alert/not-recorded"))
        if lowered is not None:
            found.append(lowered)
    return found


def _alert_file(
    policy: Policy, document: Alerts, lowered: list[Lowered], problems: list[Diagnostic]
) -> Iterable[RuleFile]:
    rules: list[Rule] = []
    for alert in lowered:
        rules += [*alert.thresholds, alert.rule]
    parts, cuts = groups.grouped(policy, names.group("alerts", document.name), rules)
    problems.extend(cuts)
    if parts:
        origin = Origin(document.span, "Alerts", str(document.name))
        yield RuleFile(name=f"alerts-{document.name}", groups=tuple(parts), origin=origin)


def _with_slos(
    policy: Policy,
    files: list[RuleFile],
    recorded: Mapping[Key, Recorded],
    lowered: dict[str, list[Lowered]],
    problems: list[Diagnostic],
) -> Policy:
    """The policy with the alerts of its objectives."""
    documents = []
    for slos in policy.slos:
        file, alerts, found = lower_slos(policy, recorded, slos)
        problems.extend(found)
        if file is not None:
            files.append(file)
        if alerts is not None:
            documents.append(alerts)
            lowered[alerts.name] = _alerts(policy, alerts, recorded, frozenset(), problems)
            files.extend(_alert_file(policy, alerts, lowered[alerts.name], problems))
    return replace(policy, alerts=(*policy.alerts, *documents))


def _with_budget_alerts(
    policy: Policy,
    files: list[RuleFile],
    recorded: Mapping[Key, Recorded],
    lowered: dict[str, list[Lowered]],
    problems: list[Diagnostic],
) -> Policy:
    """The policy with the alerts that its Budget asks for, whose numbers are those of all other rules."""
    if policy.budget is None or policy.budget.alerts is None:
        return policy
    document, found = budget_alerts.document(_program(policy, files, ()), policy.budget.alerts)
    problems.extend(found)
    if document is None:
        return policy
    lowered[document.name] = _alerts(policy, document, recorded, frozenset(), problems)
    files.extend(_alert_file(policy, document, lowered[document.name], problems))
    return replace(policy, alerts=(*policy.alerts, document))


# Tests ---------------------------------------------------------------------------------------------------------------


def _in_order(files: list[RuleFile], needs: Mapping[str, list[str]]) -> list[RuleFile]:
    """Files so that each comes after those whose records it reads."""
    by_name = {file.name: file for file in files}
    ordered: dict[str, RuleFile] = {}

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in ordered or name in path:
            return
        for needed in needs[name]:
            visit(needed, (*path, name))
        ordered[name] = by_name[name]

    for name in sorted(by_name):
        visit(name, ())
    return list(ordered.values())


def _writers(files: Iterable[RuleFile]) -> dict[str, list[tuple[str, RecordingRule]]]:
    """Record to the rules that write it, each with its file."""
    found: dict[str, list[tuple[str, RecordingRule]]] = {}
    for file in files:
        for rule in file.rules:
            if isinstance(rule, RecordingRule):
                found.setdefault(rule.record, []).append((file.name, rule))
    return found


def _needs(policy: Policy, files: list[RuleFile]) -> dict[str, list[str]]:
    """A file's name to those of the other files whose records it reads."""
    version = policy.fleet.prometheus_version.number
    writers = _writers(files)
    return {
        file.name: sorted(
            {
                writer
                for rule in file.rules
                for selector in groups.selected(rule.expr, version)
                for writer, writing in writers.get(selector.name, ())
                if groups.feeds(writing, selector)
            }
            - {file.name}
        )
        for file in files
    }


def _test_files(
    policy: Policy,
    files: list[RuleFile],
    recorded: Mapping[Key, Recorded],
    lowered: Mapping[str, list[Lowered]],
    problems: list[Diagnostic],
) -> tuple[RuleTestFile, ...]:
    records = frozenset(_writers(files))
    needs = _needs(policy, files)
    ordered = _in_order(files, needs)
    tests = []
    for document in policy.alerts:
        cases = []
        for alert in lowered[document.name]:
            cases.extend(derived_cases(policy, recorded.values(), alert))
            for scenario in alert.alert.scenarios:
                case, mistakes = lower_scenario(policy, records, alert.alert, scenario)
                problems.extend(mistakes)
                if case is not None:
                    cases.append(case)
        name = f"alerts-{document.name}"
        needed = _closure(name, ordered, needs) if cases else []
        tests += [
            RuleTestFile(
                name=f"{name}-every-{interval}" if interval else name,
                evaluation_interval=interval or str(policy.fleet.evaluation_interval),
                rule_files=tuple(file.name for file in needed),
                group_order=tuple(group.name for file in needed for group in file.groups),
                cases=tuple(case for case in cases if case.evaluation_interval == interval),
                origin=Origin(document.span, "Alerts", str(document.name)),
            )
            for interval in dict.fromkeys(case.evaluation_interval for case in cases)
        ]
    return tuple(tests)


def _closure(name: str, files: list[RuleFile], needs: Mapping[str, list[str]]) -> list[RuleFile]:
    """A file with all files that it reads from, directly or not, in the order of evaluation."""
    wanted, todo = {name}, [name]
    while todo:
        for needed in needs[todo.pop()]:
            if needed not in wanted:
                wanted.add(needed)
                todo.append(needed)
    return [file for file in files if file.name in wanted]


def _operator(policy: Policy) -> OperatorSettings:
    settings = policy.fleet.prometheus_operator
    if settings is None:
        return OperatorSettings()
    return OperatorSettings(
        namespace=str(settings.namespace),
        labels=settings.labels,
        monitor_labels=settings.monitor_labels,
        annotations=settings.annotations,
    )
