"""What foreign files are checked against: the project's fleet, another Fleet document, or a built-in one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from gpuobs.diagnostics import Diagnostic, EnvironmentProblem
from gpuobs.files import display, read_bytes
from gpuobs.ir import Program, RuleFile
from gpuobs.policy import Policy
from gpuobs.resolve import resolve
from gpuobs.spec.document import read
from gpuobs.spec.model import Fleet, Spec
from gpuobs.spec.shape import shape

_FOLDER = Path(__file__).parent / "default"


@dataclass(frozen=True, slots=True)
class World:
    """A fleet, and the rules whose records foreign ones may read. `fleet` says which one it is, for people."""

    policy: Policy
    known: tuple[RuleFile, ...]
    fleet: str

    @property
    def version(self) -> tuple[int, int]:
        """The oldest Prometheus that must load the rules."""
        return self.policy.fleet.prometheus_version.number

    @property
    def has_thanos(self) -> bool:
        """Whether the fleet's rules across clusters are read by Thanos' ruler."""
        storage = self.policy.fleet.storage
        long_term = storage.long_term if storage is not None else None
        return long_term is not None and long_term.kind == "thanos"


def of_project(program: Program) -> World:
    """The fleet of the specs; their alerts and rollups are looked at elsewhere."""
    assert program.policy is not None
    bare = replace(program.policy, alerts=(), rollups=())
    return World(bare, program.rule_files, f"the project's fleet '{program.fleet}'")


def built_in(known: tuple[RuleFile, ...] = ()) -> World:
    """The fleet that is assumed where nothing is known of it."""
    policy, problems = _resolved(_spec(_FOLDER / "fleet.yaml"))
    if policy is None:
        raise AssertionError(f"the built-in fleet is broken: {problems}")
    return World(policy, known, "the built-in fleet: H100 with dcgm-exporter's default fields")


def of_file(path: Path, known: tuple[RuleFile, ...] = ()) -> tuple[World | None, list[Diagnostic]]:
    """The fleet of a Fleet document, with the built-in catalogs; None where it has mistakes."""
    node, problems = read(display(path), read_bytes(path))
    if node is None:
        return None, problems
    fleet, problems = shape(node)
    if fleet is None:
        return None, problems
    if not isinstance(fleet, Fleet):
        raise EnvironmentProblem(f"'{display(path)}' is no Fleet document")
    policy, problems = _resolved(fleet)
    if policy is None:
        return None, problems
    return World(policy, known, f"fleet '{fleet.name}' of {display(path)}"), problems


def _resolved(fleet: Spec) -> tuple[Policy | None, list[Diagnostic]]:
    return resolve([fleet, _spec(_FOLDER / "tiers.yaml")])


def _spec(path: Path) -> Spec:
    node, problems = read(f"<built-in>/{path.name}", path.read_bytes())
    spec = None
    if node is not None:
        spec, problems = shape(node)
    if spec is None:
        raise AssertionError(f"the built-in {path.name} is broken: {problems}")
    return spec
