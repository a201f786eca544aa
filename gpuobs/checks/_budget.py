"""What the checks of a budget share: its account, how a value reads, and where a broken limit comes from."""

from __future__ import annotations

import math

from gpuobs import names
from gpuobs.budget import limits
from gpuobs.budget.causes import Effect, cause, effects, since
from gpuobs.budget.ledger import Ledger, ledger
from gpuobs.budget.limits import Use, uses
from gpuobs.diagnostics import Diagnostic, Related, error
from gpuobs.ir import Program
from gpuobs.policy import Policy

_CONTRIBUTORS = 2  # shown beside the cause
_VALUE = {
    limits.ACTIVE_SERIES: "'{cluster}' has {value} active series",
    limits.HEAD_SERIES: "Prometheus of '{cluster}' holds {value} series in its head",
    limits.SERIES_PER_GPU: "a GPU of '{cluster}' has {value} series",
    limits.RECORDED_SHARE: "'{cluster}' records {value} series for each one that it scrapes",
    limits.SAMPLES: "Prometheus of '{cluster}' appends {value} samples a second",
    limits.WRITE_REDUCTION: "'{cluster}' scrapes {value} times the samples that it sends on",
    limits.READS: "rules of '{cluster}' read {value} series at one evaluation",
}
_DECIMALS = {limits.SERIES_PER_GPU: 1, limits.RECORDED_SHARE: 3, limits.WRITE_REDUCTION: 1}


def account(program: Program) -> Ledger | None:
    """The account of a project that has a Budget."""
    policy = program.policy
    asked = policy is not None and policy.budget is not None and not program.foreign
    return ledger(program) if asked else None


def used(program: Program) -> tuple[Use, ...]:
    """What a project uses of the limits that it states."""
    found = account(program)
    return () if found is None else uses(found)


def shown(limit: str, value: float) -> str:
    """A value of a limit, rounded to where a broken limit still shows."""
    decimals = _DECIMALS.get(limit, 0)
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def sentence(use: Use) -> str:
    """What a cluster has of what is limited."""
    return _VALUE[use.limit].format(cluster=use.cluster, value=shown(use.limit, use.value))


def bound(use: Use) -> str:
    """The limit as the Budget writes it."""
    return (
        f"'{use.limit}: {use.bound:g}'" if use.bound < 1000 else f"'{use.limit}: {use.bound:.0f}'"
    )


def broken(program: Program, use: Use, code: str) -> Diagnostic:
    """A broken limit at the choice that breaks it, with the sum, and with what is largest beside it."""
    found = effects(program, use)
    because = cause(found, since(program, use))
    beside = [effect for effect in found if effect is not because][:_CONTRIBUTORS]
    related = [
        Related(use.span, "the limit"),
        *(Related(each.choice.span, without(each)) for each in beside),
    ]
    span = use.span if because is None else because.choice.span
    return error(span, code, _message(use), _hint(because), tuple(related))


def _message(use: Use) -> str:
    share = math.ceil(abs(use.value / use.bound - 1) * 100) if use.bound else 0
    by = f"{share:,} % {'below' if use.at_least else 'above'} " if share else "above "
    return f"{sentence(use)}, {by}{bound(use)}: {use.arithmetic}"


def _hint(because: Effect | None) -> str:
    if because is None:
        return ""
    undone = without(because)
    if because.choice.nodes and because.fitting:
        return f"{undone}, and {because.fitting:,} of its {because.choice.nodes:,} nodes fit"
    if because.suffices:
        return undone
    return f"no single choice is enough: the largest is this one, {undone}"


def without(effect: Effect) -> str:
    """What a limited value is without a choice."""
    if effect.value is None:
        return f"{effect.choice.undone} there is none"
    return f"{effect.choice.undone} it is {shown(effect.use.limit, effect.value)}"


def of_identity(policy: Policy) -> dict[str, str]:
    """Labels that tell targets and GPUs apart, to what they say: as they are written, and canonical ones."""
    found = {name: name.replace("_", " ") for name in names.CANONICAL_LABELS}
    del found[names.NAMESPACE], found[names.POD]
    for exporter in policy.exporters:
        found = {**exporter.identity, **found}
    return found
