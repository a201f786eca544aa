"""Rule files that were not written to be read: an answer within seconds, and never a traceback."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gpuobs import foreign
from gpuobs.foreign import world
from tests.ending import SECONDS, ends
from tests.foreign import fuzz

_GOLDEN = Path(__file__).parent / "golden"
_SEEDS = sorted([*_GOLDEN.glob("*/rules.yaml"), *_GOLDEN.glob("*/prometheus.yml")])
_PIECES = (
    "&a *a <<: { } [ ] - : | > ' \" {{ }} \t \0 \n --- ? ! !!str # % @ ` , groups rules".split(" ")
)
_BAD = "groups:\n- name: g\n  rules:\n"


def mutated(text: str, chance: random.Random) -> str:
    """A text with some of its parts cut out, doubled, moved or replaced."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.randrange(20))
        piece = chance.choice(
            ["", text[start:end] * 2, chance.choice(_PIECES), text[end : end + 30]]
        )
        text = text[:start] + piece + text[end:]
    return text


def test_mutated_files_give_findings_and_no_traceback(tmp_path: Path) -> None:
    chance = random.Random(3)
    texts = [path.read_text(encoding="utf-8") for path in _SEEDS]
    file = tmp_path / "rules.yaml"
    built_in = world.built_in()
    for _ in range(1500):
        file.write_text(mutated(chance.choice(texts), chance), encoding="utf-8")
        with ends():
            foreign.lint([file], built_in)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{" * 100_000,
        "- " * 100_000,
        "{{" * 100_000,
        '{{"' * 100_000,
        "{{`" * 100_000,
        "a: &a [*a]\n" * 10_000,
        "&a " * 100_000,
        "? " * 50_000,
        "a: |\n" + "  {{ $labels.x }}\n" * 50_000,
        f"{_BAD}  - alert: A\n    expr: up\n    annotations: {{a: '{'{{ $x }}' * 6_000}'}}\n",
        f"{_BAD}  - alert: A\n    expr: up\n    annotations: {{a: '{'{{' * 30_000}'}}\n",
        f"{_BAD}  - &r {{alert: A, expr: '{'(' * 5_000}'}}\n" + "  - *r\n" * 5_000,
        f"{_BAD}  - record: a\n    expr: {'a + ' * 20_000}a\n",
        "groups:\n" + "- {name: g}\n" * 20_000,
        "namespace: {a: b}\ngroups: [[]]\n",
        "apiVersion: []\nkind: {}\n",
        "kind: PrometheusRule\napiVersion: v1\nspec: []\nmetadata: []\n",
        "kind: List\napiVersion: v1\nitems: {a: b}\n",
        "rule_files: 1\ntests: 2\n",
        "rule_files: true\ntests: []\n",
        "\n---\n" * 50_000,
    ],
    ids=range(22),
)
def test_large_and_odd_files_end(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(text, encoding="utf-8")
    with ends():
        foreign.lint([file], world.built_in())


def test_rules_made_to_break_the_analyser_give_findings_and_no_traceback() -> None:
    said: list[object] = []
    tally = fuzz.run(range(300), seed=11, out=said.append, slow=SECONDS)
    assert (said, tally.cases) == ([], 300)


_UTIL, _USED = "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_FB_USED"


@pytest.mark.parametrize(
    "expr",
    [
        f"({_UTIL} < -5) ^ 0.5 > 3",
        f"topk(-Inf, {_UTIL})",
        f"{_USED}{' * 1e15' * 25} > {_USED}",
        f"({_USED}{' * 1e15' * 25}) / DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION + {_USED}",
        f"{_USED}{' / 1e15' * 25} > 5",
        f"{_USED} * 5e-324 / 1e308",
        " * ".join([_USED] * 200),
        f"1 / ({' * '.join([_USED] * 200)}) + {_USED}",
    ],
)
def test_numbers_that_no_quantity_has_end(expr: str, tmp_path: Path) -> None:
    rules = [f"record: a:b:sum\n    expr: {expr}", f"alert: A\n    expr: {expr}"]
    assert _refused(tmp_path, rules) == ()


def test_a_value_doubled_by_each_rule_of_a_chain_has_an_end(tmp_path: Path) -> None:
    assert _refused(tmp_path, _chain(2000, "a:b:{0} + a:b:{0}")) == ()


_MANY = 3000


def _chain(count: int, expr: str, labels: str = "") -> list[str]:
    """Rules of which each one reads the one before it."""
    rules = [
        f"record: a:b:{n}\n    expr: {expr.format(n - 1)}{labels.format(n)}"
        for n in range(1, count)
    ]
    return [f"record: a:b:0\n    expr: {_UTIL}", *rules]


def _same(rule: str) -> list[str]:
    return [rule.format(n) for n in range(_MANY)]


@pytest.mark.parametrize(
    "rules",
    [
        _chain(_MANY, "a:b:{} * 2"),
        _chain(_MANY, "a:b:{} * 2")[::-1],
        _chain(_MANY, "a:b:{}", "\n    labels: {{l{0}: v}}"),
        _same("record: a:b:sum\n    expr: a:b:sum * {0}"),
        _same("record: a:b:sum\n    expr: max by (l{0}) (DCGM_FI_DEV_GPU_UTIL)"),
        _same("record: a:b:sum\n    expr: up\n    labels: {{l{0}: v, k: v{0}}}"),
        _same("alert: A\n    expr: DCGM_FI_DEV_GPU_UTIL > {0}"),
        _same("alert: A{0}\n    expr: DCGM_FI_DEV_GPU_UTIL > {0}"),
        [f"record: a:b:{n}\n    expr: a:b:{(n + 1) % _MANY}" for n in range(_MANY)],
        [f"record: a:b:{n}\n    expr: {' + '.join([_UTIL] * 280)}" for n in range(20)],
        [
            f"record: a:b:sum\n    expr: up\n    labels: {{{', '.join(f'l{n}: v' for n in range(10_000))}}}"
        ]
        * 2
        + ["record: a:b:c\n    expr: a:b:sum"],
    ],
    ids="chain reversed labels itself pieces labelled thresholds alerts circle operators wide".split(),
)
def test_many_rules_take_time_by_their_number_alone(rules: list[str], tmp_path: Path) -> None:
    with ends():
        assert _refused(tmp_path, rules) == ()


def _refused(folder: Path, rules: list[str]) -> tuple[str, ...]:
    """Files that linting rules of a group refuses to look at."""
    file = folder / "rules.yaml"
    file.write_text(_BAD + "".join(f"  - {rule}\n" for rule in rules), encoding="utf-8")
    return foreign.lint([file], world.built_in()).refused


_JOB = """- job_name: j{0}
  static_configs: [{{targets: [a, b]}}]
  metric_relabel_configs:
"""
_STEP = "  - {{source_labels: [gpu, l{0}], target_label: l{0}, regex: '(.*)'}}\n"


@pytest.mark.parametrize(
    "text",
    [
        "".join(_JOB.format(n) + _STEP.format(n) for n in range(1000)),
        _JOB.format(0) + "".join(_STEP.format(n) for n in range(10_000)),
        _JOB.format(0) + "".join(_STEP.format(n) for n in range(190)),
        _JOB.format(0) + f"  - {{action: labeldrop, regex: '{'a|' * 100_000}'}}\n",
        f"- job_name: a\n  static_configs: [{{targets: [{'a, ' * 50_000}a]}}]\n",
    ],
    ids="jobs steps followed pattern targets".split(),
)
def test_large_configurations_end(text: str, tmp_path: Path) -> None:
    file = tmp_path / "prometheus.yml"
    file.write_text(f"scrape_configs:\n{text}", encoding="utf-8")
    with ends():
        assert foreign.lint([file], world.built_in()).refused == ()
