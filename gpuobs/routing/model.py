"""An Alertmanager configuration as it stands: routes, receivers, inhibition and times, each part with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gpuobs.diagnostics import Span
from gpuobs.spec.node import Node

Operator = Literal["=", "!=", "=~", "!~"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matcher:
    """A condition on one label. A label that an alert does not have counts as empty; patterns are anchored."""

    label: str
    operator: Operator
    value: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Route:
    """One route. Of its children the first that matches takes an alert, and later ones too where it `continues`.

    What is None is inherited from the parent. `group_by` of `("...",)` is every label.
    """

    receiver: str | None
    matchers: tuple[Matcher, ...] = ()
    group_by: tuple[str, ...] | None = None
    group_wait: str | None = None
    group_interval: str | None = None
    repeat_interval: str | None = None
    continues: bool = False
    mute_times: tuple[str, ...] = ()
    active_times: tuple[str, ...] = ()
    routes: tuple[Route, ...] = ()
    span: Span
    written: Node | None = field(default=None, repr=False)

    def walk(self) -> Iterator[Route]:
        """The route and all below it, parents first."""
        yield self
        for route in self.routes:
            yield from route.walk()


@dataclass(frozen=True, slots=True, kw_only=True)
class Integration:
    """One way in which a receiver is told, such as `slack_configs`, with its settings as Alertmanager spells them."""

    kind: str
    settings: Mapping[str, Any]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """Who is told. One without integrations drops what it gets."""

    name: str
    integrations: tuple[Integration, ...] = ()
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inhibition:
    """While an alert that is a source fires, targets with the same values of the `equal` labels are not notified.

    A label that both lack is equal.
    """

    sources: tuple[Matcher, ...]
    targets: tuple[Matcher, ...]
    equal: tuple[str, ...] = ()
    name: str = ""
    span: Span = field(compare=False, repr=False)
    written: Node | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeInterval:
    """Named times at which routes are muted or active; each of `intervals` as Alertmanager spells it."""

    name: str
    intervals: tuple[Mapping[str, Any], ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Configuration:
    """All that one Alertmanager is told. `global_` has its global settings as Alertmanager spells them.

    `templates` are files; `definitions` are the templates that we write ourselves, by name.

    `namespace` is that of an AlertmanagerConfig object, whose first route gets only alerts of it where the operator's
    matcher strategy is `OnNamespace`; None elsewhere.
    """

    route: Route
    receivers: tuple[Receiver, ...]
    inhibitions: tuple[Inhibition, ...] = ()
    times: tuple[TimeInterval, ...] = ()
    templates: tuple[str, ...] = ()
    definitions: Mapping[str, str] = field(default_factory=dict)
    global_: Mapping[str, Any] = field(default_factory=dict)
    namespace: str | None = None
    span: Span
