"""What Prometheus would store of a simulated target: its page, after discovery and relabelling as they are generated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from gpuobs.ir import Program
from gpuobs.policy import Policy
from gpuobs.promql.relabel import Step, relabelled
from gpuobs.simulate import discovery
from gpuobs.simulate.entities import Target
from gpuobs.simulate.server import Simulation, simulation
from tests.live.fleets import built
from tests.simulate.pages import Sample, read

START = 1_700_000_000.0


@dataclass
class Clock:
    """A time that tests set."""

    now: float = START

    def __call__(self) -> float:
        return self.now

    def reset(self) -> None:
        self.now = START


@dataclass
class Fleet:
    """A simulated fleet with a clock of its own."""

    program: Program
    out: Path
    clock: Clock = field(default_factory=Clock)

    @property
    def policy(self) -> Policy:
        assert self.program.policy is not None
        return self.program.policy

    @cached_property
    def simulated(self) -> Simulation:
        return simulation(self.policy, rule_groups=self.rule_groups, clock=self.clock)

    def seeded(self, seed: int) -> Simulation:
        """The same fleet at the same time, with other values."""
        groups = self.rule_groups
        return simulation(self.policy, rule_groups=groups, seed=seed, clock=self.clock)

    @property
    def rule_groups(self) -> list[str]:
        files = [file for file in self.program.rule_files if not file.of_fleet]
        return [group.name for file in files for group in file.groups]

    def target(self, job: str, number: int = 0) -> Target:
        return [each for each in self.simulated.targets if each.job == job][number]

    def samples(self, target: Target) -> list[Sample]:
        """What a target's page says."""
        page = self.simulated.page(target)
        assert page is not None
        return read(page)[1]

    def counted(self, target: Target) -> dict[str, int]:
        """How many series of each name a target has."""
        return dict(Counter(sample.name for sample in self.samples(target)))

    def stored(self, target: Target) -> Iterator[tuple[str, Mapping[str, str], float]]:
        """Name, labels and value of each series that Prometheus stores of a target now."""
        labels, job = self._target_labels(target), self._jobs[target.cluster.name, target.job]
        for sample in self.samples(target):
            merged = dict(labels)
            for label, value in sample.labels.items():
                taken = label in labels and not job.get("honor_labels")
                merged[f"exported_{label}" if taken else label] = value
            steps = _steps(job.get("metric_relabel_configs", []))
            kept = relabelled({**merged, "__name__": sample.name}, steps)
            if kept is not None and _is_named(sample.name, job):
                name = kept.pop("__name__")
                yield name, kept, sample.value

    def _target_labels(self, target: Target) -> Mapping[str, str]:
        job = self._jobs[target.cluster.name, target.job]
        found = discovery.group(target, self.policy.fleet.pool_label)
        address = found["targets"][0]
        labels = {**found["labels"], "__address__": address, "job": target.job}
        kept = relabelled(labels, _steps(job["relabel_configs"]))
        assert kept is not None, f"{target.name} is not discovered"
        kept.setdefault("instance", address)
        return {label: value for label, value in kept.items() if not label.startswith("__")}

    @cached_property
    def _jobs(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        """The generated scrape jobs, by cluster and name."""
        found = {}
        for file in sorted(self.out.glob("scrape/*/prometheus.yml")):
            for job in yaml.safe_load(file.read_text())["scrape_configs"]:
                found[file.parent.name, job["job_name"]] = job
        return found


def fleet(specs: Path) -> Fleet:
    """The fleet of some specs."""
    out = specs.parent / "out"
    return Fleet(built(specs, out), out)


def _is_named(name: str, job: Mapping[str, Any]) -> bool:
    """Whether the lists of names, which are longer than what `relabelled` takes, keep a metric."""
    lists = [s["regex"] for s in job.get("metric_relabel_configs", ()) if _is_list(s)]
    return all(re.fullmatch(names, name) for names in lists)


def _is_list(step: Mapping[str, Any]) -> bool:
    return step.get("action") == "keep" and step["source_labels"] == ["__name__"]


def _steps(written: list[dict[str, Any]]) -> list[Step]:
    keys = {"source_labels": "sources", "target_label": "target"}
    found = []
    for step in (each for each in written if not _is_list(each)):
        fields: dict[str, Any] = {keys.get(key, key): value for key, value in step.items()}
        fields["sources"] = tuple(fields.get("sources", ()))
        found.append(Step(**fields))
    return found
