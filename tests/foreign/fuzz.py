"""`python -m tests.foreign.fuzz --count 20000 --seed N`: hostile rule files through every check, for several fleets.

Each case is made from the seed and its number alone, so a number that fails can be run by itself with `--only`.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gpuobs import foreign, promql
from gpuobs.foreign import world
from gpuobs.foreign.world import World
from gpuobs.pipeline import check_project
from gpuobs.promql.lexer import scan

_ROOT = Path(__file__).parents[2]
_SLOW = 2.0  # seconds
_FLEET = """apiVersion: gpuobs/v1
kind: Fleet
name: {name}
prometheusVersion: '{version}'
scrapeInterval: {scrape}
evaluationInterval: 5m
exporters:
  - {{catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, honorLabels: {honor}, collect: [default, profiling, DCGM_FI_DEV_ROW_REMAP_PENDING, DCGM_EXP_XID_ERRORS_COUNT]}}
  - {{catalog: amd-device-metrics, job: amd, collect: [default]}}
  - {{catalog: kube-state-metrics, job: kube-state-metrics, honorLabels: true}}
clusters:
  - name: {name}
    pools:
      - {{name: a, gpu: A100-SXM4-40GB, nodes: {nodes}, gpusPerNode: 8, mig: {mig}}}
      - {{name: b, gpu: MI300X-192GB, nodes: 1, gpusPerNode: 8}}
    workloads: {{podsPerGpu: 4, podLifetime: 1m, identity: dcgm-pod-labels}}
storage: {{longTerm: {{kind: {store}}}}}
"""
_FLEETS = (
    {"name": "mig", "version": "2.42", "scrape": "30s", "honor": "true", "nodes": 1, "mig": "{1g.5gb: 7}", "store": "none"},
    {"name": "newer", "version": "3.5", "scrape": "1s", "honor": "false", "nodes": 99999, "mig": "{}", "store": "thanos"},
    {"name": "mimir", "version": "2.53", "scrape": "5m", "honor": "true", "nodes": 3, "mig": "{}", "store": "mimir"},
)  # fmt: skip

_NUMBERS = (
    "0 -0 1 -1 1e308 -1e308 1.7976931348623157e308 5e-324 1e-308 NaN Inf -Inf 0x7fffffffffffffff 9007199254740993 "
    "1e15 1024 100 0.01 1e-9 00000017 1e999 0xffffffffffffffffff 1_000 .5 5. 1e+300 -5"
).split()  # fmt: skip
_DURATIONS = "0s 1ms 5m 292y 300y 99999999999999999999w 1y1w1d1h1m1s1ms 1s1y -5m 0 5 1e9 999999999999d".split()
_REGEXES = (
    "", ".*", ".+", "(a+)+", "(a|a)*b", "(.*)*", "((((a*)*)*)*)*$", ".*.*.*.*.*x", "(x+x+)+y", "a{1000}", "(a{30}){30}",
    "[", "(?P<n>a)", "(?i)a", "\\\\d+", "\\\\pL", "|", "a||b", "^$", "()", "(|a)", "a|b|c", "x*" * 40, "(a?){20}a{20}",
    "|".join(f"v{n}" for n in range(900)), "\u00e9|\U0001f600", "[^a]*b[^a]*", "(?:a|b|ab)*c", ".*-.*-.*-.*",
)  # fmt: skip
_NAMES = (
    "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE",
    "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "DCGM_FI_PROF_SM_ACTIVE", "gpu_used_vram",
    "DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "kube_pod_info", "up", "ALERTS", "ALERTS_FOR_STATE", "__name__", "scrape_duration_seconds",
    "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "x_bucket", "x_total", "a:b:c", "inf", "nan", "and", "by", "on", "_", "le",
    "DCGM_FI_DEV_ROW_REMAP_PENDING", "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "DCGM_EXP_XID_ERRORS_COUNT", "x" * 3000,
)  # fmt: skip
_LABELS = (
    "gpu UUID Hostname instance job pod exported_pod namespace GPU_I_ID GPU_I_PROFILE modelName device le quantile "
    "cluster pool err_code __name__ severity alertname __tenant__ a"
).split()
_TEXTS = (
    "", " ", "\u00e9\u4e2d\U0001f600", "\u202e", "\x7f", "{{", "}}", "{{ $labels.gpu }}", "{{ $value | humanize }}", "{{ .Labels.x }}",
    "{{ range query `up` }}{{ . }}{{ end }}", "{{ $labels.", "{{ template \"x\" }}", "{{" * 50, "null", "true", "~", "-1", "1e400",
    "a" * 5000, "\\", "'", '"', "`", "\n\n", "$1", "%s", "\ufffd", "\ufeff", "0", "{{ printf \"%d\" $value }}", "{{ $x := $labels }}{{ $x.gpu }}",
)  # fmt: skip
_OPERATORS = "+ - * / % ^ == != < > <= >= and or unless atan2 ==bool >bool".split()
_AGGREGATIONS = "sum avg min max count group stddev stdvar topk bottomk quantile count_values".split()
_FUNCTIONS = (
    "abs absent ceil floor sqrt exp ln log2 log10 sgn sort sort_desc scalar timestamp deg sin acos round clamp_min clamp_max "
    "histogram_quantile day_of_month"
).split()
_RANGES = (
    "rate irate increase delta idelta deriv changes resets avg_over_time sum_over_time min_over_time max_over_time count_over_time "
    "last_over_time stddev_over_time quantile_over_time predict_linear absent_over_time holt_winters present_over_time"
).split()


class Chance(random.Random):
    """Random choices of what PromQL is made of, odd ones among them."""

    def of(self, items: Sequence[str]) -> str:
        return items[int(self.random() * len(items))]

    def quoted(self) -> str:
        text = self.of(_REGEXES if self.random() < 0.5 else _TEXTS)
        return '"' + text.replace("\n", "\\n").replace('"', '\\"') + '"'

    def labels(self) -> str:
        many = self.randrange(60) if self.random() < 0.05 else self.randrange(4)
        named = [f"l{self.randrange(99)}" if many > 4 else self.of(_LABELS) for _ in range(many)]
        return f"({', '.join(named)})"

    def selector(self) -> str:
        matchers = [
            f"{self.of(_LABELS)}{self.of(('=', '!=', '=~', '!~'))}{self.quoted()}"
            for _ in range(self.randrange(4))
        ]
        return self.of(_NAMES) + (f"{{{','.join(matchers)}}}" if matchers else "")

    def modified(self) -> str:
        odd = self.random()
        if odd < 0.9:
            return ""
        return f" offset {self.of(_DURATIONS)}" if odd < 0.97 else self.of((" @ 5", " @ end()", " @ -1e18"))

    def expression(self, depth: int) -> str:
        """An expression that is mostly of the right types, so that the analyser gets to see it."""
        if depth <= 0:
            return self.of(_NUMBERS) if self.random() < 0.2 else self.selector() + self.modified()
        return self.of_kind(depth - 1)

    def of_kind(self, depth: int) -> str:
        makers: tuple[Callable[[int], str], ...] = (
            self.binary, self.binary, self.aggregated, self.called, self.ranged, self.relabelled, self.literal, self.chained,
        )  # fmt: skip
        return makers[self.randrange(len(makers))](depth)

    def binary(self, depth: int) -> str:
        operator, matching = self.of(_OPERATORS), ""
        if self.random() < 0.4:
            matching = f" {self.of(('on', 'ignoring'))} {self.labels()}"
            if operator not in ("and", "or", "unless") and self.random() < 0.5:
                matching += f" {self.of(('group_left', 'group_right'))} {self.labels()}"
        return f"({self.expression(depth)} {operator}{matching} {self.expression(depth - self.randrange(2))})"

    def literal(self, depth: int) -> str:
        return f"({self.expression(depth)} {self.of(_OPERATORS[:12])} {self.of(_NUMBERS)})"

    def aggregated(self, depth: int) -> str:
        name = self.of(_AGGREGATIONS)
        by = f" {self.of(('by', 'without'))} {self.labels()}" if self.random() < 0.7 else ""
        parameter = {"count_values": f"{self.quoted()}, ", "topk": f"{self.of(_NUMBERS)}, "}.get(name, "")
        parameter = f"{self.of(_NUMBERS)}, " if name in ("bottomk", "quantile") else parameter
        return f"{name}{by} ({parameter}{self.expression(depth)})"

    def called(self, depth: int) -> str:
        name = self.of(_FUNCTIONS)
        before = f"{self.of(_NUMBERS)}, " if name == "histogram_quantile" else ""
        after = f", {self.of(_NUMBERS)}" if name in ("round", "clamp_min", "clamp_max") else ""
        return f"{name}({before}{self.expression(depth)}{after})"

    def ranged(self, depth: int) -> str:
        name = self.of(_RANGES)
        before = f"{self.of(_NUMBERS)}, " if name == "quantile_over_time" else ""
        after = {"predict_linear": ", 1e308", "holt_winters": ", 0.5, 0.5"}.get(name, "")
        step = self.of(("", "1m", "1ms", "9y"))
        inner = self.selector() if self.random() < 0.7 else self.expression(depth)
        window = f"[{self.of(_DURATIONS)}]" if self.random() < 0.5 else "[5m]"
        return f"{name}({before}{inner}{window if '(' not in inner else f'[1h:{step}]'}{self.modified()}{after})"

    def relabelled(self, depth: int) -> str:
        inside, one, other = self.expression(depth), self.of(_LABELS), self.of(_LABELS)
        if self.random() < 0.3:
            return f'label_join({inside}, "{one}", {self.quoted()}, "{other}", "{self.of(_LABELS)}")'
        to = self.of(("$1", "$0", "${1}x", "$name", "", "v", "$99", "$$", "\u00e9"))
        return f'label_replace({inside}, "{one}", "{to}", "{other}", {self.quoted()})'

    def chained(self, depth: int) -> str:
        """Many operands in a row, seldom."""
        count = self.randrange(280) if self.random() < 0.02 else self.randrange(2, 5)
        parts = [self.expression(min(depth, 1 if count > 9 else depth)) for _ in range(count or 1)]
        return f"({f' {self.of(_OPERATORS[:16])} '.join(parts)})"

    def retokened(self, text: str) -> str:
        """An expression with tokens removed, doubled, swapped or replaced."""
        parts = [token.text for token in scan(text)] or [""]
        for _ in range(self.randrange(1, 4)):
            place = self.randrange(len(parts))
            other = self.of((*_NUMBERS, *_NAMES[:20], *_OPERATORS, *_DURATIONS, *"()[]{},:@"))
            parts[place] = self.of(("", parts[place] * 2, other, other, parts[self.randrange(len(parts))]))
        return "".join(parts)

    def expr(self, seeds: Sequence[str]) -> str:
        kind = self.random()
        if kind < 0.35:
            return self.retokened(self.of(seeds))
        if kind < 0.4:
            return f"({self.of(seeds)}) {self.of(_OPERATORS)} ({self.of(seeds)})"
        return self.expression(self.randrange(5))


def seeds() -> list[str]:
    """Rule files that are there to be mutated."""
    corpora = os.environ.get("GPUOBS_CORPORA")
    folders = [_ROOT / "generated/prometheus/rules", _ROOT / "generated/prometheus-operator"]
    folders += [_ROOT / "tests/judgement/cases", _ROOT / "tests/foreign/golden"]
    folders += [Path(corpora)] if corpora else []
    found = (path for folder in folders for path in sorted(folder.rglob("*.y*ml")))
    return [path.read_text(encoding="utf-8") for path in found if path.stat().st_size < 60_000]


def expressions(texts: Sequence[str]) -> list[str]:
    """What stands under `expr` in rule files."""
    found = []
    for text in texts:
        try:
            nodes = list(yaml.compose_all(text, yaml.CSafeLoader))
        except yaml.YAMLError:
            continue
        found += [expr for node in nodes for expr in _exprs(node, set())]
    return sorted(set(found))


def _exprs(node: yaml.Node, seen: set[int]) -> Iterator[str]:
    """Values of `expr`; what aliases repeat only once."""
    if id(node) in seen or not isinstance(node, yaml.CollectionNode):
        return
    seen.add(id(node))
    for each in node.value:
        if isinstance(each, tuple) and each[0].value == "expr":
            yield str(each[1].value)
        for child in each if isinstance(each, tuple) else (each,):
            yield from _exprs(child, seen)


def fleets(scratch: Path) -> list[World]:
    """The built-in fleet, that of the reference policy, and such as have MIG, newer versions and other stores."""
    project = check_project(_ROOT / "specs").program
    assert project is not None
    found = [world.built_in(), world.of_project(project)]
    for fleet in _FLEETS:
        file = scratch / f"{fleet['name']}.yaml"
        file.write_text(_FLEET.format(**fleet), encoding="utf-8")
        made, mistakes = world.of_file(file)
        assert made is not None, mistakes
        found.append(made)
    return found


@dataclass(frozen=True)
class Maker:
    """Makes the text of a case from its seed and its number."""

    texts: Sequence[str]
    exprs: Sequence[str]

    def text(self, seed: int, number: int) -> str:
        chance = Chance(seed * 1_000_003 + number)
        kind = chance.random()
        if kind < 0.55:
            return self._made(chance)
        if kind < 0.8:
            return self._mutated(chance)
        return self._cut(chance)

    def _made(self, chance: Chance) -> str:
        """A rule file of its own, whose rules read each other."""
        names = [chance.of((*_NAMES, "a:b:c", "a:b:d", "a:b:e", "a:b:f", "")) for _ in range(6)]
        groups = [
            {"name": chance.of(("g", "h", chance.of(_TEXTS))), "rules": self._rules(chance, names), **self._odd_group(chance)}
            for _ in range(chance.randrange(1, 4))
        ]
        return yaml.dump({"groups": groups}, Dumper=yaml.CSafeDumper, allow_unicode=True)

    def _odd_group(self, chance: Chance) -> dict[str, Any]:
        odd: dict[str, Any] = {}
        if chance.random() < 0.2:
            odd["interval"] = chance.of(_DURATIONS)
        if chance.random() < 0.1:
            odd["labels"] = {chance.of(_LABELS): chance.of(_TEXTS)}
        if chance.random() < 0.1:
            odd["query_offset"] = chance.of(_DURATIONS)
        return odd

    def _rules(self, chance: Chance, names: Sequence[str]) -> list[dict[str, Any]]:
        return [self._rule(chance, names) for _ in range(chance.randrange(1, 5))]

    def _rule(self, chance: Chance, names: Sequence[str]) -> dict[str, Any]:
        expr = chance.expr(self.exprs)
        if chance.random() < 0.4:
            expr = f"{chance.of(names)} {chance.of(_OPERATORS)} {expr}"
        labels = {chance.of(_LABELS): chance.of((*_TEXTS, "v", "w")) for _ in range(chance.randrange(3))}
        if chance.random() < 0.5:
            return {"record": chance.of(names), "expr": expr, "labels": labels}
        rule: dict[str, Any] = {"alert": chance.of(("A", "B", chance.of(_TEXTS))), "expr": expr, "labels": labels}
        rule["annotations"] = {chance.of(("summary", "description", "runbook_url", "x")): chance.of(_TEXTS)}
        rule |= {key: chance.of(_DURATIONS) for key in ("for", "keep_firing_for") if chance.random() < 0.3}
        return rule

    def _mutated(self, chance: Chance) -> str:
        """A known file with values, keys and expressions replaced."""
        try:
            document = yaml.load(chance.of(self.texts), yaml.CSafeLoader)  # noqa: S506 -- a safe loader
        except yaml.YAMLError:
            return self._cut(chance)
        for _ in range(chance.randrange(1, 6)):
            document = self._replaced(chance, document)
        return yaml.dump(document, Dumper=yaml.CSafeDumper, allow_unicode=True)

    def _replaced(self, chance: Chance, value: Any) -> Any:
        """The value with something below it replaced."""
        if isinstance(value, dict) and value and chance.random() < 0.97:
            key = chance.choice(list(value))
            if chance.random() < 0.02:
                return {(chance.of(_TEXTS) if k == key else k): v for k, v in value.items()}
            return {k: self._replaced(chance, v) if k == key else v for k, v in value.items()}
        if isinstance(value, list) and value and chance.random() < 0.97:
            place = chance.randrange(len(value))
            copies = [value[place]] * chance.choice([0, 2, 2]) if chance.random() < 0.1 else [self._replaced(chance, value[place])]
            return [*value[:place], *copies, *value[place + 1 :]]
        if isinstance(value, str) and chance.random() < 0.6:
            return chance.retokened(value) if chance.random() < 0.5 else chance.expr(self.exprs)
        return chance.choice([None, True, -1, 1e308, [], {}, [[]], chance.of(_TEXTS), chance.of(_DURATIONS), 10**400, "2001-01-01"])

    def _cut(self, chance: Chance) -> str:
        """A known file with pieces of its text cut out, doubled or replaced."""
        text = chance.of(self.texts)
        for _ in range(chance.randrange(1, 5)):
            start = chance.randrange(len(text) + 1)
            end = min(len(text), start + chance.randrange(30))
            other = chance.of((*_TEXTS, *_NUMBERS, *_NAMES, *"&a *a <<: - : ? | > # % @ !!str --- ...".split()))
            text = text[:start] + chance.of(("", text[start:end] * 2, other, text[end : end + 40])) + text[end:]
        return text


@dataclass
class Tally:
    """What a run gave."""

    cases: int = 0
    findings: int = 0
    failed: int = 0
    slow: int = 0
    slowest: float = 0.0
    slowest_case: int = -1


def run(numbers: Sequence[int], seed: int, out: Callable[[str], object] = print) -> Tally:
    """Every case against one fleet after the other; what fails or is slow is told at once."""
    tally = Tally()
    texts = seeds()
    maker = Maker(texts, expressions(texts))
    with tempfile.TemporaryDirectory() as folder:
        worlds = fleets(Path(folder))
        file = Path(folder) / "rules.yaml"
        for number in numbers:
            if number % 200 == 0:
                promql.parse.cache_clear()  # what 20,000 runs keep is no measure of one
            file.write_bytes(maker.text(seed, number).encode("utf-8", "surrogatepass"))
            start = time.perf_counter()
            try:
                done = foreign.lint([file], worlds[number % len(worlds)])
                tally.findings += len(done.diagnostics)
            except Exception:  # noqa: BLE001 -- what is looked for
                tally.failed += 1
                out(f"case {number} fails:\n{traceback.format_exc(limit=-4)}")
            taken = time.perf_counter() - start
            tally.cases += 1
            if taken > tally.slowest:
                tally.slowest, tally.slowest_case = taken, number
            if taken > _SLOW:
                tally.slow += 1
                out(f"case {number} takes {taken:.1f} s")
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int, help="run this case alone and print its text")
    given = parser.parse_args()
    numbers = range(given.first, given.first + given.count)
    if given.only is not None:
        numbers = range(given.only, given.only + 1)
        texts = seeds()
        print(Maker(texts, expressions(texts)).text(given.seed, given.only))
    tally = run(numbers, given.seed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{tally.cases:,} cases, {tally.findings:,} findings, {tally.failed} failed, {tally.slow} slower than {_SLOW:g} s; "
        f"slowest {tally.slowest:.2f} s (case {tally.slowest_case}); peak memory {peak:.0f} MB"
    )
    sys.exit(1 if tally.failed or tally.slow else 0)


if __name__ == "__main__":
    main()
