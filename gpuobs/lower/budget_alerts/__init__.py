"""Alerts on the budget itself: an Alerts document that the account's numbers write, in the language that authors write.

It is lowered, tested and checked as any other document. An alert that the author has under the same name is the
author's; one whose metrics the fleet does not collect is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from gpuobs import names, promql
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import Program
from gpuobs.lower.budget_alerts import limits, queues, stores, surprises
from gpuobs.lower.budget_alerts.draft import Draft
from gpuobs.lower.budget_alerts.numbers import Numbers
from gpuobs.lower.inventory import RECORDS
from gpuobs.policy import Policy
from gpuobs.spec.document import read
from gpuobs.spec.model import Alerts, BudgetAlerts, Tier
from gpuobs.spec.shape import shape

_FILE = f"<generated>/{names.BUDGET_ALERTS}.yaml"


def document(program: Program, asked: BudgetAlerts) -> tuple[Alerts | None, list[Diagnostic]]:
    """The document for a program that has all rules but these, and what it cannot have."""
    policy = program.policy
    assert policy is not None
    written = {str(alert.name) for _, alert in policy.all_alerts()}
    drafts = [draft for draft in _drafts(Numbers(program)) if draft.name not in written]
    lacking = {draft.name: _lacking(policy, draft) for draft in drafts}
    told = list(_left_out(policy, asked, lacking))
    alerts = [_alert(policy, asked, draft) for draft in drafts if not lacking[draft.name]]
    return (_document(asked, alerts) if alerts else None), told


def _drafts(numbers: Numbers) -> Iterator[Draft]:
    for part in (limits, surprises, queues, stores):
        yield from part.drafts(numbers)


def _document(asked: BudgetAlerts, alerts: list[dict[str, object]]) -> Alerts:
    text = {
        "apiVersion": names.API_VERSION,
        "kind": "Alerts",
        "name": names.BUDGET_ALERTS,
        "description": "What runs is not as the specs and their Budget say.",
        "owner": str(asked.owner),
        "alerts": alerts,
    }
    node, problems = read(_FILE, json.dumps(text).encode())
    assert node is not None, problems
    spec, problems = shape(node)
    assert isinstance(spec, Alerts), problems
    return spec


def _alert(policy: Policy, asked: BudgetAlerts, draft: Draft) -> dict[str, object]:
    tier = asked.page_tier if draft.urgent and asked.page_tier else str(asked.tier)
    wait = _allowed(policy.tiers.tiers[tier], draft.wait)  # type: ignore[index]
    return {
        "name": draft.name,
        "tier": tier,
        "expr": draft.expr,
        "for": f"{wait}m",
        "summary": draft.summary,
        "description": draft.description,
        "runbook": {"impact": draft.impact, "diagnose": draft.diagnose, "fix": draft.fix},
        "scenarios": [scenario for incident in draft.incidents for scenario in incident(wait)],
    }


def _allowed(tier: Tier, minutes: int) -> int:
    """Minutes to wait, within what the tier allows."""
    least = -(-tier.min_for.seconds // 60) if tier.min_for else 0
    most = tier.max_for.seconds // 60 if tier.max_for else minutes
    return int(min(max(minutes, least), most))


def _lacking(policy: Policy, draft: Draft) -> tuple[str, ...]:
    """Metrics that an alert reads and the fleet does not collect."""
    parsed = promql.parse(draft.expr)
    assert isinstance(parsed, promql.Parsed), draft.expr
    read_names = {selector.name for selector in promql.selectors(parsed)}
    return tuple(sorted(read_names - policy.collected.keys() - set(RECORDS)))


def _left_out(
    policy: Policy, asked: BudgetAlerts, lacking: dict[str, tuple[str, ...]]
) -> Iterator[Diagnostic]:
    """One finding for all alerts that the fleet's exporters do not allow."""
    missing = list(dict.fromkeys(name for found in lacking.values() for name in found))
    alerts = [name for name, found in lacking.items() if found]
    if not missing:
        return
    prometheus = any(e.catalog.name == "prometheus" for e in policy.exporters)
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    message = (
        f"{len(alerts)} alerts on the budget are left out, '{alerts[0]}' the first of them: "
        f"the fleet does not collect '{missing[0]}'{more}"
    )
    hint = "add them to 'collect' of the exporter that has them"
    if not prometheus:
        hint = "add the exporter '{catalog: prometheus, job: prometheus}' to the fleet"
    yield warning(asked.where(), "budget/not-watched", message, hint)
