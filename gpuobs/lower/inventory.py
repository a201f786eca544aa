"""What the fleet spec says there is, recorded as constants, so that alerts can compare what they see with it."""

from __future__ import annotations

from gpuobs import names
from gpuobs.ir import Origin, RecordingRule, RuleFile
from gpuobs.lower import groups, queries
from gpuobs.policy import Policy

RECORDS = (names.INVENTORY_GPUS, names.INVENTORY_NODES, names.INVENTORY_GPUS_PER_NODE)
KEEPS = (names.CLUSTER, names.POOL, names.MODEL, names.VENDOR)


def rule_file(policy: Policy) -> RuleFile:
    """Three constants a pool: its GPUs, its nodes, and the GPUs of each node."""
    fleet = policy.fleet
    rules = []
    for cluster, pool, model in policy.pools:
        labels = {
            names.CLUSTER: str(cluster.name),
            names.MODEL: model.model_label or model.name,
            names.POOL: str(pool.name),
            names.VENDOR: model.vendor,
        }
        constants = (
            (names.INVENTORY_GPUS, pool.nodes * pool.gpus_per_node, "gpus"),
            (names.INVENTORY_NODES, pool.nodes, "nodes"),
            (names.INVENTORY_GPUS_PER_NODE, pool.gpus_per_node, "gpus"),
        )
        for record, value, unit in constants:
            rules.append(
                RecordingRule(
                    record=record,
                    expr=queries.call("vector", str(value)),
                    labels=labels,
                    unit=unit,
                    keeps=KEEPS,
                    origin=Origin(pool.span, "Fleet", str(fleet.name)),
                )
            )
    ordered = sorted(rules, key=lambda rule: rule.record)
    parts, _ = groups.grouped(policy, names.group("inventory", fleet.name), list(ordered))
    origin = Origin(fleet.span, "Fleet", str(fleet.name))
    return RuleFile(name="inventory", groups=tuple(parts), origin=origin)
