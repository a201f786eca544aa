"""Random choices of what PromQL is made of, odd ones among them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from gpuobs.promql.lexer import scan

NUMBERS = (
    "0 -0 1 -1 1e308 -1e308 1.7976931348623157e308 5e-324 1e-308 NaN Inf -Inf 0x7fffffffffffffff 9007199254740993 "
    "1e15 1024 100 0.01 1e-9 00000017 1e999 0xffffffffffffffffff 1_000 .5 5. 1e+300 -5"
).split()  # fmt: skip
DURATIONS = "0s 1ms 5m 292y 300y 99999999999999999999w 1y1w1d1h1m1s1ms 1s1y -5m 0 5 1e9 999999999999d".split()
_REGEXES = (
    "", ".*", ".+", "(a+)+", "(a|a)*b", "(.*)*", "((((a*)*)*)*)*$", ".*.*.*.*.*x", "(x+x+)+y", "a{1000}", "(a{30}){30}",
    "[", "(?P<n>a)", "(?i)a", "\\\\d+", "\\\\pL", "|", "a||b", "^$", "()", "(|a)", "a|b|c", "x*" * 40, "(a?){20}a{20}",
    "|".join(f"v{n}" for n in range(900)), "\u00e9|\U0001f600", "[^a]*b[^a]*", "(?:a|b|ab)*c", ".*-.*-.*-.*",
)  # fmt: skip
NAMES = (
    "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE",
    "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "DCGM_FI_PROF_SM_ACTIVE", "gpu_used_vram",
    "DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "kube_pod_info", "up", "ALERTS", "ALERTS_FOR_STATE", "__name__", "scrape_duration_seconds",
    "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "x_bucket", "x_total", "a:b:c", "inf", "nan", "and", "by", "on", "_", "le",
    "DCGM_FI_DEV_ROW_REMAP_PENDING", "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "DCGM_EXP_XID_ERRORS_COUNT", "x" * 3000,
)  # fmt: skip
LABELS = (
    "gpu UUID Hostname instance job pod exported_pod namespace GPU_I_ID GPU_I_PROFILE modelName device le quantile "
    "cluster pool err_code __name__ severity alertname __tenant__ a"
).split()
TEXTS = (
    "", " ", "\u00e9\u4e2d\U0001f600", "\u202e", "\x7f", "{{", "}}", "{{ $labels.gpu }}", "{{ $value | humanize }}", "{{ .Labels.x }}",
    "{{ range query `up` }}{{ . }}{{ end }}", "{{ $labels.", "{{ template \"x\" }}", "{{" * 50, "null", "true", "~", "-1", "1e400",
    "a" * 5000, "\\", "'", '"', "`", "\n\n", "$1", "%s", "\ufffd", "\ufeff", "0", "{{ printf \"%d\" $value }}", "{{ $x := $labels }}{{ $x.gpu }}",
)  # fmt: skip
OPERATORS = "+ - * / % ^ == != < > <= >= and or unless atan2 ==bool >bool".split()
_AGGREGATIONS = (
    "sum avg min max count group stddev stdvar topk bottomk quantile count_values".split()
)
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
        text = self.of(_REGEXES if self.random() < 0.5 else TEXTS)
        return '"' + text.replace("\n", "\\n").replace('"', '\\"') + '"'

    def labels(self) -> str:
        many = self.randrange(60) if self.random() < 0.05 else self.randrange(4)
        named = [f"l{self.randrange(99)}" if many > 4 else self.of(LABELS) for _ in range(many)]
        return f"({', '.join(named)})"

    def selector(self) -> str:
        matchers = [
            f"{self.of(LABELS)}{self.of(('=', '!=', '=~', '!~'))}{self.quoted()}"
            for _ in range(self.randrange(4))
        ]
        return self.of(NAMES) + (f"{{{','.join(matchers)}}}" if matchers else "")

    def modified(self) -> str:
        odd = self.random()
        if odd < 0.9:
            return ""
        return (
            f" offset {self.of(DURATIONS)}"
            if odd < 0.97
            else self.of((" @ 5", " @ end()", " @ -1e18"))
        )

    def expression(self, depth: int) -> str:
        """An expression that is mostly of the right types, so that the analyser gets to see it."""
        if depth <= 0:
            return self.of(NUMBERS) if self.random() < 0.2 else self.selector() + self.modified()
        return self.of_kind(depth - 1)

    def of_kind(self, depth: int) -> str:
        makers: tuple[Callable[[int], str], ...] = (
            self.binary, self.binary, self.aggregated, self.called, self.ranged, self.relabelled, self.literal, self.chained,
        )  # fmt: skip
        return makers[self.randrange(len(makers))](depth)

    def binary(self, depth: int) -> str:
        operator, matching = self.of(OPERATORS), ""
        if self.random() < 0.4:
            matching = f" {self.of(('on', 'ignoring'))} {self.labels()}"
            if operator not in ("and", "or", "unless") and self.random() < 0.5:
                matching += f" {self.of(('group_left', 'group_right'))} {self.labels()}"
        return f"({self.expression(depth)} {operator}{matching} {self.expression(depth - self.randrange(2))})"

    def literal(self, depth: int) -> str:
        return f"({self.expression(depth)} {self.of(OPERATORS[:12])} {self.of(NUMBERS)})"

    def aggregated(self, depth: int) -> str:
        name = self.of(_AGGREGATIONS)
        by = f" {self.of(('by', 'without'))} {self.labels()}" if self.random() < 0.7 else ""
        parameter = {"count_values": f"{self.quoted()}, ", "topk": f"{self.of(NUMBERS)}, "}.get(
            name, ""
        )
        parameter = f"{self.of(NUMBERS)}, " if name in ("bottomk", "quantile") else parameter
        return f"{name}{by} ({parameter}{self.expression(depth)})"

    def called(self, depth: int) -> str:
        name = self.of(_FUNCTIONS)
        before = f"{self.of(NUMBERS)}, " if name == "histogram_quantile" else ""
        after = f", {self.of(NUMBERS)}" if name in ("round", "clamp_min", "clamp_max") else ""
        return f"{name}({before}{self.expression(depth)}{after})"

    def ranged(self, depth: int) -> str:
        name = self.of(_RANGES)
        before = f"{self.of(NUMBERS)}, " if name == "quantile_over_time" else ""
        after = {"predict_linear": ", 1e308", "holt_winters": ", 0.5, 0.5"}.get(name, "")
        step = self.of(("", "1m", "1ms", "9y"))
        inner = self.selector() if self.random() < 0.7 else self.expression(depth)
        window = f"[{self.of(DURATIONS)}]" if self.random() < 0.5 else "[5m]"
        return f"{name}({before}{inner}{window if '(' not in inner else f'[1h:{step}]'}{self.modified()}{after})"

    def relabelled(self, depth: int) -> str:
        inside, one, other = self.expression(depth), self.of(LABELS), self.of(LABELS)
        if self.random() < 0.3:
            return f'label_join({inside}, "{one}", {self.quoted()}, "{other}", "{self.of(LABELS)}")'
        to = self.of(("$1", "$0", "${1}x", "$name", "", "v", "$99", "$$", "\u00e9"))
        return f'label_replace({inside}, "{one}", "{to}", "{other}", {self.quoted()})'

    def chained(self, depth: int) -> str:
        """Many operands in a row, seldom."""
        count = self.randrange(280) if self.random() < 0.02 else self.randrange(2, 5)
        parts = [self.expression(min(depth, 1 if count > 9 else depth)) for _ in range(count or 1)]
        return f"({f' {self.of(OPERATORS[:16])} '.join(parts)})"

    def retokened(self, text: str) -> str:
        """An expression with tokens removed, doubled, swapped or replaced."""
        parts = [token.text for token in scan(text)] or [""]
        for _ in range(self.randrange(1, 4)):
            place = self.randrange(len(parts))
            other = self.of((*NUMBERS, *NAMES[:20], *OPERATORS, *DURATIONS, *"()[]{},:@"))
            parts[place] = self.of(
                ("", parts[place] * 2, other, other, parts[self.randrange(len(parts))])
            )
        return "".join(parts)

    def expr(self, seeds: Sequence[str]) -> str:
        kind = self.random()
        if kind < 0.35:
            return self.retokened(self.of(seeds))
        if kind < 0.4:
            return f"({self.of(seeds)}) {self.of(OPERATORS)} ({self.of(seeds)})"
        return self.expression(self.randrange(5))
