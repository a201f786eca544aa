"""What a tier requires of its alerts, and which tier wakes someone: shared by several checks."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program
from gpuobs.spec.model import Tier

_PAGES = ("page", "critical")


def is_page(name: str, tier: Tier) -> bool:
    """Whether alerts of a tier wake someone."""
    return name in _PAGES or tier.severity in _PAGES


def lacking(program: Program, part: str, code: str) -> Iterator[Diagnostic]:
    """Alerts without a part (`summary`, `description`, `runbook`) that their tier requires."""
    assert program.policy is not None
    for _, alert in program.policy.all_alerts():
        tier = program.policy.tiers.tiers[alert.tier]
        if part in tier.requires and not getattr(alert, part):
            message = f"alert '{alert.name}' has no {part}, which tier '{alert.tier}' requires"
            yield error(alert.where("name"), code, message, f"add '{part}:' to the alert")
