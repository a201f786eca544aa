"""What `gpuobs explain` says: pages of checks, entries of the catalogs, and the story of an alert or a recorded series."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gpuobs import catalog, checks, notified
from gpuobs.budget.ledger import ledger
from gpuobs.diagnostics import Diagnostic
from gpuobs.explain import catalogs, metrics
from gpuobs.explain.layout import hanging, row
from gpuobs.files import display
from gpuobs.ir import AlertingRule, Program, RecordingRule
from gpuobs.policy import alternatives
from gpuobs.settings import parameters_of
from gpuobs.spec.model import GpuModel, Signal

# What a person does about an XID of each class.
_CLASSES = {
    "app": "the application's fault, or it cannot go on: restart it",
    "info": "nothing to do for this alone",
    "reset": "drain the node and reset the GPU",
    "reboot": "drain the node and restart it",
    "triage": "follow NVIDIA's procedure before anything else",
    "unclassified": "read the log: NVIDIA says nothing yet",
    "unused": "not in use by current drivers: look into it if it is ever seen",
}


def index() -> list[str]:
    """Every check with the first line of its page."""
    width = max(len(code) for code in checks.codes())
    return [f"{code:<{width}}  {_page_of(code).splitlines()[0]}" for code in checks.codes()]


def known() -> list[str]:
    """Every name that has a page without a project."""
    named = (*_signals(), *metrics.known(), *catalog.gpu_models(), *catalog.metric_catalog_names())
    return [*checks.codes(), *_areas(), *_LISTS, *named]


def page(name: str) -> str | None:
    """The page of a name that needs no project."""
    if name in checks.codes():
        return "\n".join(_check_page(name))
    if name in _areas():
        return "\n".join(line for line in index() if line.startswith(f"{name}/"))
    built_in = catalog.metric_catalog(name)
    if built_in is not None:
        return catalogs.page(built_in)
    if name in _LISTS:
        return "\n".join(_LISTS[name]())
    if name in _signals():
        return "\n".join(_signal_page(_signals()[name]))
    if name in catalog.gpu_models():
        return "\n".join(_model_page(catalog.gpu_models()[name]))
    return "\n".join(_xid_page(name)) or None


def project(specs: Path, ext_str: Mapping[str, str]) -> tuple[Program | None, str]:
    """The project that a name may belong to, or None and why there is none."""
    if not specs.is_dir():
        return None, f"There is no folder '{display(specs)}' to look for alerts and rollups in."
    from gpuobs.pipeline import check_project

    done = check_project(specs, ext_str=ext_str)
    if done.program is None:
        errors = sum(finding.severity == "error" for finding in done.diagnostics)
        count = "1 error" if errors == 1 else f"{errors} errors"
        where = display(specs)
        return (
            None,
            f"Alerts and rollups were not looked through: '{where}' has {count}, see 'gpuobs lint'.",
        )
    return done.program, ""


def of_fleet(path: Path) -> tuple[Program | None, list[Diagnostic]]:
    """A Fleet document as a project without rules; None where it has mistakes."""
    from gpuobs.foreign import world

    found, mistakes = world.of_file(path)
    if found is None:
        return None, mistakes
    program = Program(
        fleet=str(found.policy.fleet.name),
        version=found.version,
        rule_files=(),
        test_files=(),
        policy=found.policy,
    )
    return program, mistakes


def metric(name: str, program: Program | None) -> str | None:
    """The page of a metric, in the project's fleet where there is one; of a name that is taken for one, the right name."""
    return metrics.page(name, program)


def in_project(name: str, program: Program) -> str | None:
    """The story of an alert or a recorded series of the project, or the page of a catalog of its own."""
    used = program.policy.exporters if program.policy is not None else ()
    own = (catalogs.page(each.catalog) for each in used if each.catalog.name == name)
    return "\n".join(_rule_page(program, name)) or next(own, None)


def known_in(program: Program) -> list[str]:
    """Every alert, every recorded series and every metric of the project."""
    rules = [
        rule.alert if isinstance(rule, AlertingRule) else rule.record for rule in program.rules
    ]
    return [*rules, *(program.policy.known if program.policy is not None else ())]


def _areas() -> tuple[str, ...]:
    """What codes of checks begin with."""
    return tuple(dict.fromkeys(code.partition("/")[0] for code in checks.codes()))


def _page_of(code: str) -> str:
    return (checks.module(code).__doc__ or "").strip()


def _check_page(code: str) -> Iterator[str]:
    yield f"{code} ({checks.module(code).SEVERITY})"
    yield ""
    yield _page_of(code)
    for line in parameters_of(code):
        yield f"\n{line}"


def _signals() -> Mapping[str, Signal]:
    return {signal.name: signal for signal in catalog.signals().signals}


def _signal_page(signal: Signal) -> Iterator[str]:
    yield f"{signal.name}: {signal.help}"
    yield f"  unit {signal.unit}, {signal.kind}" + (
        f", by {', '.join(signal.by)}" if signal.by else ""
    )
    if signal.ratio is not None:
        yield f"  {signal.ratio.of} / {signal.ratio.to}"
    for vendor in signal.sources:
        for expression, _ in alternatives(signal, vendor):
            yield f"  {vendor}: {expression}"


def _model_page(model: GpuModel) -> Iterator[str]:
    yield f"{model.name}: {model.vendor} {model.architecture}, {model.memory:g} GB"
    if model.model_label:
        yield f"  model label '{model.model_label}'"
    if model.tdp:
        yield f"  {model.tdp:g} W"
    if model.slowdown:
        yield f"  slows down at {model.slowdown:g} °C, shuts down at {model.shutdown:g} °C"
    if model.mig:
        yield "  MIG: " + ", ".join(f"{count} x {profile}" for profile, count in model.mig.items())


def _xid_page(name: str) -> Iterator[str]:
    number = name.lower().removeprefix("xid").lstrip("-:_ ")
    xid = catalog.xids().get(int(number)) if re.fullmatch("[0-9]{1,9}", number) else None
    if xid is None:
        return
    yield f"XID {xid.number} {xid.mnemonic}"
    yield f"  {xid.name}."
    yield ""
    yield from row("class", f"{xid.class_}: {_CLASSES[xid.class_]}")
    actions = dict.fromkeys(filter(None, (xid.immediate, xid.investigatory)))
    yield from row("NVIDIA", ", then ".join(actions) or "publishes no action")
    events = f'DCGM_EXP_XID_ERRORS_COUNT{{xid="{xid.number}"}}'
    last = f"DCGM_FI_DEV_XID_ERRORS == {xid.number}"
    before = f"DCGM_FI_DEV_XID_ERRORS offset 5m == {xid.number}"
    yield from row("alert", f"{events} > 0")
    yield f"  {'or':<11}{last} unless on (UUID) {before}"
    yield from row("", "which misses one that comes again at once")
    yield ""
    yield from row("source", "NVIDIA's XID catalogue; the class is its immediate action in a word")


def _rule_page(program: Program, name: str) -> Iterator[str]:
    for file in program.rule_files:
        for group in file.groups:
            for rule in group.rules:
                if isinstance(rule, AlertingRule) and rule.alert == name:
                    yield from _alert_story(program, rule, group.name)
                elif isinstance(rule, RecordingRule) and rule.record == name:
                    yield from _record_story(program, rule, group.name)


def _alert_story(program: Program, rule: AlertingRule, group: str) -> Iterator[str]:
    place = rule.origin.span
    yield f"alert {rule.alert}, from {place.file}:{place.line}, group {group}"
    yield from _indented(rule.expr)
    yield f"  for {rule.for_ or '0s'}, keeps firing for {rule.keep_firing_for or '0s'}"
    yield "  labels " + ", ".join(f"{key}={value}" for key, value in rule.labels.items())
    for key, text in rule.annotations.items():
        yield f"  {key}:"
        yield from _indented(text)
    for word, text in notified.story(program, rule):
        yield from hanging(f"  {word:<9} ", text)
    for test in program.test_files:
        for case in test.cases:
            if case.name.startswith(f"{rule.alert}: "):
                yield f"  test '{case.name}': {len(case.series)} series"
                yield from (f"    {assertion.claim}" for assertion in case.assertions)


def _record_story(program: Program, rule: RecordingRule, group: str) -> Iterator[str]:
    place = rule.origin.span
    yield f"{rule.record}, from {place.file}:{place.line}, group {group}"
    yield from _indented(rule.expr)
    vendor = rule.labels.get("vendor")
    if vendor:
        yield f"  for {vendor} GPUs"
    yield f"  unit {rule.unit or 'none'}, keeps {', '.join(rule.keeps or ()) or 'no labels'}"
    yield _cost(program, rule)
    yield f"  read by {', '.join(_readers(program, rule.record)) or 'nobody'}"


def _cost(program: Program, rule: RecordingRule) -> str:
    """What it takes to evaluate a rule once, in every Prometheus that does."""
    costs = [cost for cost in ledger(program).rules if cost.rule is rule]
    writes, reads = (_sum(cost.writes for cost in costs), _sum(cost.reads for cost in costs))
    return f"  writes {_number(writes)} series and reads {_number(reads)} at every evaluation"


def _sum(counts: Iterable[int | None]) -> int | None:
    found = list(counts)
    return None if None in found else sum(count or 0 for count in found)


def _number(count: int | None) -> str:
    return f"{count:,}" if count is not None else "an unbounded number of"


def _readers(program: Program, record: str) -> list[str]:
    from gpuobs.graph import Node, graph

    return sorted(user.name for user in graph(program).users[Node("rollup", record)])


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.split("\n")]


def _list_signals() -> Iterator[str]:
    width = max(len(name) for name in _signals())
    for name, signal in sorted(_signals().items()):
        yield f"{name:<{width}}  {signal.unit:<16}  {signal.help}"


def _list_metrics() -> Iterator[str]:
    for name, (spelling, metric, found) in sorted(metrics.known().items()):
        if name == spelling:
            yield f"{name}  {found.name}  {metric.kind} {metric.unit}"


def _list_models() -> Iterator[str]:
    for model in catalog.gpu_models().values():
        yield f"{model.name:<20}  {model.vendor:<7}  {model.memory:g} GB  {model.model_label}"


def _list_xids() -> Iterator[str]:
    for xid in catalog.xids().values():
        yield f"{xid.number:>4}  {xid.class_:<12}  {xid.name}"


_LISTS = {
    "catalogs": catalogs.index,
    "exporters": catalogs.index,
    "signals": _list_signals,
    "metrics": _list_metrics,
    "gpu-models": _list_models,
    "xid": _list_xids,
}
