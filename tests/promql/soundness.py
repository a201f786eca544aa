"""What shapes claim, held against what promtool computes: random expressions over random fleets and their records.

    python -m tests.promql.soundness --expressions 300 --fleets 20 --seed 1

For every pair of an expression and a fleet promtool evaluates the expression over the fleet's series and generated rules.
Each claim of the shape is judged on the result: labels that are certain or impossible, known values, the range, the number
of series, those that are read, and operators of which the analysis says that their sides never meet.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from gpuobs import promql
from gpuobs.ir import Program
from gpuobs.promql import nodes
from gpuobs.promql.analysis import Analysis, analyse
from gpuobs.promql.functions import VECTOR
from gpuobs.promql.operands import SETS
from gpuobs.promql.operators import keys
from gpuobs.promql.shapes import Shape
from gpuobs.targets import prometheus_rules
from gpuobs.verify.promtool import Promtool, fetch, find
from gpuobs.world import world
from tests.promql.evaluated import Result, evaluated
from tests.promql.random_expressions import Vocabulary, Writer
from tests.promql.random_fleets import RawFleet, compiled_project, raw_fleet

_ROLLUPS = {"apiVersion": "gpuobs/v1", "kind": "Rollups", "name": "all"}
_LEVELS = {
    "gpu": {"avg": ["5m"]},
    "node": {"avg": ["5m"]},
    "cluster": {"avg": ["5m"]},
    "fleet": {"avg": ["5m"]},
}
# What rounding can do to a value that was worked out in another order.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Case:
    """A fleet with its records, and the words to write expressions of."""

    fleet: RawFleet
    program: Program
    words: Vocabulary
    folder: Path


@dataclass
class Judgement:
    """Counts of what was judged; `refuted` has the claims that were wrong, in words."""

    pairs: int = 0
    failed: int = 0
    empty: int = 0
    claims: Counter[str] = field(default_factory=Counter)
    telling: Counter[str] = field(default_factory=Counter)
    refuted: list[str] = field(default_factory=list)

    def claim(self, sort: str, text: str, holds: bool, got: object) -> None:
        """Counts a claim on an expression's result; what refutes it is kept, once for an expression."""
        self.claims[sort] += 1
        words = f"{sort}: {text}"
        if not holds and not any(told.startswith(words) for told in self.refuted):
            self.refuted.append(f"{words}: {got}")

    def add(self, other: Judgement) -> None:
        self.pairs += other.pairs
        self.failed += other.failed
        self.empty += other.empty
        self.claims += other.claims
        self.telling += other.telling
        self.refuted += other.refuted


def judged(promtool: Promtool, seed: int, expressions: int, fleets: int) -> Judgement:
    """Judges some expressions on each of some fleets, all drawn from a seed."""
    total = Judgement()
    for number in range(fleets):
        with tempfile.TemporaryDirectory() as folder:
            random = Random(f"{seed} {number}")
            case = prepared(random, Path(folder), promtool)
            writer = Writer(random, case.words)
            texts = list(
                dict.fromkeys(writer.vector(random.choice((1, 2, 3))) for _ in range(expressions))
            )
            found = _judge(case, promtool, texts)
        found.refuted = [f"seed {seed} fleet {number}: {words}" for words in found.refuted]
        total.add(found)
    return total


# Fleets with records -------------------------------------------------------------------------------------------------


def prepared(random: Random, folder: Path, promtool: Promtool) -> Case:
    """A random fleet with rollups and with rules over its metrics and over each other."""
    fleet = raw_fleet(random, folder / "raw")
    words = _words(fleet, ())
    rules: list[dict[str, object]] = []
    for number in range(9):
        record = f"level:step{number // 3}:rule{number}"
        if number % 3 == 0:
            words = _words(fleet, [str(rule["record"]) for rule in rules])
        rules.append(_rule(Writer(random, words), record))
        if number % 3 == 1:
            rules[-1] |= {"record": rules[-2]["record"]}
            rules[-2]["labels"] = {"part": "first"}
            rules[-1]["labels"] = {"part": "second"}
    rules = _evaluated(fleet, rules, folder / "rules", promtool)
    signals = [signal for signal in ("temperature", "sm_active", "power") if random.random() < 0.7]
    rollups = [{"signal": signal, "levels": _LEVELS} for signal in signals]
    documents = dict(fleet.documents) | {
        "rollups.yaml": _ROLLUPS | {"rollups": rollups, "rules": rules}
    }
    compiled = compiled_project(folder / "specs", documents)
    if compiled.program is None:  # no pool reports one of the signals
        documents["rollups.yaml"] = _ROLLUPS | {"rules": rules}
        compiled = compiled_project(folder / "specs", documents)
    assert compiled.program is not None, compiled.diagnostics
    records = sorted(compiled.program.records)
    return Case(fleet, compiled.program, _words(fleet, records), folder)


def _rule(writer: Writer, record: str) -> dict[str, object]:
    """A rule; one that this Prometheus or the grammar refuses is drawn anew."""
    while True:
        text = writer.rule()
        if isinstance(promql.parse(text, (2, 42)), promql.Parsed):
            return {"record": record, "unit": "", "expr": text}


def _evaluated(
    fleet: RawFleet, rules: list[dict[str, object]], folder: Path, promtool: Promtool
) -> list[dict[str, object]]:
    """The rules that can be evaluated together: promtool stops at one that cannot."""
    kept: list[dict[str, object]] = []
    folder.mkdir()
    for rule in rules:
        group = {
            "name": "g",
            "rules": [{k: v for k, v in each.items() if k != "unit"} for each in (*kept, rule)],
        }
        (folder / "rules.yaml").write_text(json.dumps({"groups": [group]}), encoding="utf-8")
        if (
            len(
                evaluated(
                    promtool, fleet, [folder / "rules.yaml"], ["vector(1)"], folder / "test.yaml"
                )
            )
            == 1
        ):
            kept.append(rule)
    return kept


def _words(fleet: RawFleet, records: Sequence[str]) -> Vocabulary:
    """What is there, and a few labels that are on no raw series."""
    metrics: dict[str, dict[str, set[str]]] = {record: {} for record in records}
    labels: dict[str, set[str]] = {
        name: {"x"} for name in ("nowhere", "model", "node", "gpu", "part", "cluster")
    }
    seen: Counter[str] = Counter()
    for series in fleet.series:
        seen.update(series.labels.keys())
        for label, value in series.labels.items():
            for known in (labels, metrics.setdefault(series.name, {})):
                known.setdefault(label, set()).add(value)
    common = [label for label in sorted(seen) if seen[label] > len(fleet.series) / 4]
    listed = {name: _listed(known) for name, known in sorted(metrics.items())}
    return Vocabulary(listed, _listed(labels), (*common, "node", "gpu", "cluster"))


def _listed(known: Mapping[str, set[str]]) -> dict[str, tuple[str, ...]]:
    return {label: tuple(sorted(values)) for label, values in sorted(known.items())}


# Judging -------------------------------------------------------------------------------------------------------------


def _judge(case: Case, promtool: Promtool, texts: Sequence[str]) -> Judgement:
    """Every expression's claims, and those on the series that each of its selectors selects."""
    readable = [
        (text, parsed)
        for text in texts
        if isinstance(parsed := promql.parse(text, promtool.number), promql.Parsed)
    ]
    analyses = [analyse(parsed.tree, world(case.program)) for _, parsed in readable]
    selected = {
        _counting(parsed.text, node): 0
        for (_, parsed), analysis in zip(readable, analyses, strict=True)
        for node in analysis.walk()
        if isinstance(node, nodes.Select)
    }
    asked = [text for text, _ in readable] + list(selected)
    got = evaluated(promtool, case.fleet, _rules(case), asked, case.folder / "test.yaml")
    assert len(got) == len(asked), f"{len(got)} of {len(asked)} expressions were evaluated"
    selected = {
        text: len(result or ()) for text, result in zip(selected, got[len(readable) :], strict=True)
    }
    judgement = Judgement()
    for (text, parsed), analysis, result in zip(readable, analyses, got, strict=False):
        if result is None:
            judgement.failed += 1
            continue
        judgement.pairs += 1
        judgement.empty += not result
        _judge_result(judgement, text, analysis.result, result)
        _judge_meeting(judgement, text, analysis, result)
        _judge_reads(judgement, parsed, analysis, selected)
    return judgement


def _rules(case: Case) -> list[Path]:
    """The generated rule files."""
    written = []
    for artifact in prometheus_rules.render(case.program):
        path = case.folder / Path(artifact.path).name
        path.write_bytes(artifact.content)
        written.append(path)
    return written


def _judge_result(judgement: Judgement, text: str, shape: Shape, result: Result) -> None:
    labels, range_ = shape.labels, shape.range
    judgement.telling["labels closed"] += not labels.open
    judgement.telling["a label certain"] += bool(labels.certain)
    judgement.telling["values known"] += bool(labels.values)
    judgement.telling["range bounded"] += range_.low > -math.inf or range_.high < math.inf
    judgement.telling["never NaN"] += not range_.nan
    judgement.telling["count bounded"] += shape.count is not None
    for series, value in result:
        missing = labels.certain - set(series)
        judgement.claim("certain labels", text, not missing, f"{missing} not on {series}")
        extra = {label for label in series if not labels.can_have(label)}
        judgement.claim("impossible labels", text, not extra, f"{extra} on {series}")
        for label, known in labels.values.items():
            holds = label not in series or series[label] in known
            judgement.claim(
                "known values",
                text,
                holds,
                f"{label}={series.get(label)!r}, not of {sorted(known)}",
            )
        judgement.claim("range", text, _inside(value, shape), f"{value!r} not in {range_!r}")
    if shape.count is not None:
        judgement.claim(
            "count", text, len(result) <= shape.count, f"{len(result)} series, not {shape.count}"
        )


def _inside(value: float, shape: Shape) -> bool:
    low, high = shape.range.low, shape.range.high
    if math.isnan(value):
        return shape.range.nan
    return value in shape.range or any(
        math.isclose(value, end, rel_tol=_ROUNDING, abs_tol=_ROUNDING) for end in (low, high)
    )


def _judge_meeting(judgement: Judgement, text: str, analysis: Analysis, result: Result) -> None:
    node = nodes.bare(analysis.root)
    if not isinstance(node, nodes.Binary) or node.name in SETS - {"and"}:
        return
    left, right = analysis[node.lhs], analysis[node.rhs]
    if left.type != VECTOR or right.type != VECTOR:
        return
    apart = left.labels.never_meets(right.labels, *keys(node))
    if apart:
        judgement.claim("never meets", text, not result, f"met in spite of {apart}")


def _judge_reads(
    judgement: Judgement, parsed: promql.Parsed, analysis: Analysis, selected: Mapping[str, int]
) -> None:
    total = 0
    for node in analysis.walk():
        if isinstance(node, nodes.Select):
            count, text = analysis[node].count, _counting(parsed.text, node)
            total += selected[text]
            if count is not None:
                judgement.claim(
                    "selected",
                    text,
                    selected[text] <= count,
                    f"{selected[text]} series, not {count}",
                )
    reads = analysis.reads
    judgement.telling["reads bounded"] += reads is not None
    if reads is not None:
        judgement.claim("reads", parsed.text, total <= reads, f"{total} series, not {reads}")


def _counting(text: str, node: nodes.Node) -> str:
    """An expression with one series for each that a selector selects."""
    written = text[node.start : node.end]
    return (
        f"last_over_time({written})" if isinstance(node, nodes.Select) and node.window else written
    )


# The runner ----------------------------------------------------------------------------------------------------------


def report(judgement: Judgement) -> Iterator[str]:
    """Figures, a line each, and what was refuted."""
    asked = judgement.pairs + judgement.failed
    yield f"pairs {judgement.pairs}, of which {judgement.empty} give no series; {judgement.failed} of {asked} fail at evaluation"
    for sort, count in sorted(judgement.claims.items()):
        yield f"  {sort}: {count} claims"
    for sort, count in sorted(judgement.telling.items()):
        yield f"  {sort}: {count / max(1, judgement.pairs):.0%} of the pairs"
    yield f"refuted {len(judgement.refuted)}"
    yield from (f"  {words}" for words in judgement.refuted)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.promql.soundness", description=__doc__)
    parser.add_argument("--expressions", type=int, default=300)
    parser.add_argument("--fleets", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--promtool", default="", help="2.42, 2.53 or 3.5; else the one that is found"
    )
    asked = parser.parse_args()
    promtool = fetch(asked.promtool) if asked.promtool else find()
    judgement = judged(promtool, asked.seed, asked.expressions, asked.fleets)
    sys.stdout.write("\n".join(report(judgement)) + "\n")
    return 1 if judgement.refuted else 0


if __name__ == "__main__":
    raise SystemExit(main())
