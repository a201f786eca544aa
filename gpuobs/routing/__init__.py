"""What an Alertmanager is told, ours or others', and what becomes of an alert there."""

from __future__ import annotations

from gpuobs.routing.matching import holds, take
from gpuobs.routing.model import (
    Configuration,
    Inhibition,
    Integration,
    Matcher,
    Receiver,
    Route,
    TimeInterval,
)
from gpuobs.routing.simulate import Landing, Undecided, landings, receivers, silenced, silences

__all__ = [
    "Configuration",
    "Inhibition",
    "Integration",
    "Landing",
    "Matcher",
    "Receiver",
    "Route",
    "TimeInterval",
    "Undecided",
    "holds",
    "landings",
    "receivers",
    "silenced",
    "silences",
    "take",
]
