"""What is counted in a cluster: its pools' nodes, GPUs, MIG instances and pods, and what rules write of each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpuobs import arithmetic, names
from gpuobs.budget import census
from gpuobs.budget.census import Factor, Line
from gpuobs.budget.figures import PLAIN
from gpuobs.budget.ledger import ClusterAccount
from gpuobs.budget.recorded import RuleCost
from gpuobs.ir import RecordingRule
from gpuobs.policy import Policy
from gpuobs.spec.model import Pool, Workloads

HOURS = census.lifetime(None) / 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Things:
    """A pool, and the numbers that its specs give."""

    pool: str
    model: str
    nodes: int
    gpus_per_node: int
    instances: int  # of MIG on each GPU; 0 without
    pods_per_gpu: int
    gpus_per_pod: int
    pods: int

    @property
    def gpus(self) -> int:
        return self.nodes * self.gpus_per_node

    @property
    def of_gpus(self) -> str:
        """The sum of its GPUs."""
        return f"{Factor(self.nodes, 'nodes')} x {self.gpus_per_node:,} = {self.gpus:,}"

    @property
    def of_instances(self) -> str:
        """The sum of its MIG instances; nothing without MIG."""
        if not self.instances:
            return ""
        return f"{Factor(self.gpus, 'GPUs')} x {self.instances} = {self.gpus * self.instances:,}"

    @property
    def of_pods(self) -> str:
        """The sum of the pods that hold its GPUs."""
        held = Factor(
            self.gpus * max(1, self.instances), "MIG instances" if self.instances else "GPUs"
        )
        sum_ = f"{held} x {self.pods_per_gpu}"
        if self.gpus_per_pod > 1:
            whole = held.count * self.pods_per_gpu % self.gpus_per_pod == 0
            sum_ += f" / {self.gpus_per_pod} of each pod{'' if whole else ', rounded up'}"
        return f"{sum_} = {self.pods:,}"


def things(account: ClusterAccount) -> Iterator[Things]:
    """What each pool of a cluster has."""
    cluster = next(c for c in account.policy.fleet.clusters if c.name == account.name)
    yield from (_things(pool, cluster.workloads) for pool in cluster.pools)


def _things(pool: Pool, workloads: Workloads | None) -> Things:
    return Things(
        pool=str(pool.name),
        model=pool.gpu,
        nodes=pool.nodes,
        gpus_per_node=pool.gpus_per_node,
        instances=sum(pool.mig.values()),
        pods_per_gpu=workloads.pods_per_gpu if workloads else 1,
        gpus_per_pod=workloads.gpus_per_pod if workloads else 1,
        pods=census.pods(pool, workloads),
    )


# What rules write ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Recording rules of one level of which each writes the same number of series, from the same sum."""

    level: str
    sum: str
    series: int  # of one of them
    rules: tuple[str, ...]

    @property
    def total(self) -> int:
        return self.series * len(self.rules)


def written(account: ClusterAccount) -> list[Written]:
    """All that is recorded, largest first."""
    alike: dict[tuple[str, str, int], list[str]] = {}
    for rule in account.rules:
        if isinstance(rule.rule, RecordingRule) and rule.writes:
            key = (rule.level or PLAIN, _sum(account, rule), rule.writes)
            alike.setdefault(key, []).append(rule.name)
    found = [
        Written(level=level, sum=how, series=series, rules=tuple(sorted(rules)))
        for (level, how, series), rules in alike.items()
    ]
    return sorted(found, key=lambda each: (-each.total, each.rules))


def _sum(account: ClusterAccount, rule: RuleCost) -> str:
    """How many series a rule writes: its things pool by pool, and those of pods that its windows still see."""
    held = rule.held or 0
    labels = rule.labels or frozenset()
    parts = _by_pool(account, rule, labels)
    what, whole = arithmetic.thing(labels), sum(count for _, count in parts)
    times = held // whole if whole and held % whole == 0 else 0
    if rule.pools is None and held == 1:
        shown = "1 series"
    elif not times or not labels & arithmetic.OF_ONE_POOL:
        shown = str(Factor(held, what))
    else:
        more = (
            f" x {times:,} values of {', '.join(sorted(labels - arithmetic.KNOWN))}"
            if times > 1
            else ""
        )
        of = " " if what == "pools" else " of "
        shown = " + ".join(f"{Factor(count, what)}{of}{pool}{more}" for pool, count in parts)
    if rule.writes != held:
        shown += f" + {held:,} x {rule.lingers:,.15g} s / {1 / rule.renewed:,.15g} s that ended"
    return shown


def _by_pool(
    account: ClusterAccount, rule: RuleCost, labels: frozenset[str]
) -> list[tuple[str, int]]:
    policy, found = account.policy, []
    cluster = next(c for c in policy.fleet.clusters if c.name == account.name)
    for pool in cluster.pools:
        if rule.pools is None or pool.name in rule.pools:
            picked = {
                names.POOL: frozenset((str(pool.name),)),
                names.CLUSTER: frozenset((account.name,)),
            }
            count = arithmetic.series(policy, labels, policy.vendors, picked, steady=True)
            found += [(str(pool.name), count)] if count else []
    return found


# What is not counted -------------------------------------------------------------------------------------------------


def waiting(lines: Iterable[Line]) -> list[tuple[str, int | None]]:
    """Metrics without a series until something happens, with what they can have at most; None without a bound."""
    found: dict[str, int | None] = {}
    for line in lines:
        if line.metric.on_event:
            before, most = found.get(line.name, 0), line.at_most
            found[line.name] = None if before is None or most is None else before + most
    return sorted((name, most) for name, most in found.items() if most != 0)


def assumptions(policy: Policy) -> Iterator[str]:
    """In words, what the numbers hold for."""
    yield "The fleet is healthy: metrics that exporters write only after an event have no series."
    yield "All numbers are of one Prometheus, unless they say otherwise: each replica does the same once more."
    for cluster in policy.fleet.clusters:
        loads = cluster.workloads
        if loads is None:
            held = f"each GPU or MIG instance is held by 1 pod, which lives {HOURS:g} h: the fleet does not say"
        elif loads.identity == "none":
            held = "exporters do not write which pod holds a GPU"
        else:
            pods = f"{loads.pods_per_gpu} {'pod' if loads.pods_per_gpu == 1 else 'pods'}"
            gpus = (
                f", each pod holds {loads.gpus_per_pod} of them" if loads.gpus_per_pod > 1 else ""
            )
            held = f"each GPU or MIG instance is held by {pods}{gpus}, and a pod lives {loads.pod_lifetime}"
        yield f"{cluster.name}: {held}."
    if any(exporter.catalog.name == "kube-state-metrics" for exporter in policy.exporters):
        yield "kube-state-metrics is counted for the fleet's nodes and the pods that hold GPUs, not for other pods."


WORDS = (
    ("thing", "what has series: a node, a GPU, a MIG instance, a link, a pod, a target"),
    (
        "target",
        "an exporter that Prometheus scrapes: one of GPUs on each node, others once in a cluster, each replica itself",
    ),
    (
        "scraped",
        "series that exporters write: a metric's things, times the values that a label has for one of them at a time",
    ),
    ("of scrapes", f"series that Prometheus adds for each target: {', '.join(census.OF_A_SCRAPE)}"),
    ("recorded", "series that recording rules write"),
    ("active", "series that get samples now"),
    ("ended", "series of pods that are gone, which the head still holds: churn"),
    ("head", "the part of Prometheus that is in memory: active series, and those that ended"),
    (
        "read",
        "series that the selectors of rules match, added up: what two rules read is counted twice",
    ),
    ("sent on", "what goes to the long-term store"),
    ("at most", "the number that is not passed while the specs hold"),
)
