"""What is said of a plain rule file's structure, promtool says too: it loads a file exactly where nothing is found."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gpuobs import foreign
from gpuobs.foreign import world
from gpuobs.verify.promtool import Promtool

GROUP = "groups:\n- name: g\n  {}\n"
RULE = "groups:\n- name: g\n  rules:\n  - {{{}}}\n"
ALERT = (
    RULE.format("alert: A, expr: up == 0, {}").replace("{alert", "{{alert").replace("}\n", "}}\n")
)
FILES = [
    "groups: []\n",
    "groups:\n",
    "groups: {}\n",
    "groups: text\n",
    "group: []\n",
    ".x: 1\ngroups: []\n",
    "groups: [text]\n",
    "groups: [{rules: []}]\n",
    "groups: [{name: '', rules: []}]\n",
    "groups: [{name: 1, rules: []}]\n",
    "groups: [{name: [a], rules: []}]\n",
    "groups: [{name: a}, {name: a}]\n",
    "groups: [{name: a}, {name: A}]\n",
    *(GROUP.format(text) for text in ("rules:", "rules: []", "rules: {}", "rules: [text]")),
    *(GROUP.format(text) for text in ("interval: 5", "interval: 5m", "interval: 1h 5m")),
    *(GROUP.format(text) for text in ("limit: 5", "limit: '5'", "limit: five")),
    *(GROUP.format(text) for text in ("limit: -1", "limit: +5", "limit:", "interval:")),
    GROUP.format("query_offset: 1m"),
    GROUP.format("labels: {a: b}"),
    GROUP.format("partial_response_strategy: warn"),
    GROUP.format("source_tenant: [a]"),
    *(RULE.format(text) for text in ("expr: up", "alert: A", "record: a", "alert: A, expr: ")),
    *(RULE.format(text) for text in ("alert: A, expr: ''", "alert: '', expr: up")),
    *(RULE.format(text) for text in ("alert: A, record: b, expr: up", "alert: A, expr: 1")),
    *(RULE.format(text) for text in ("record: a, expr: [up]", "alert: a b, expr: up == 0")),
    *(RULE.format(f"record: {name}, expr: up") for name in ("a:b", "a-b", "1a", "'a b'", "_")),
    *(RULE.format(f"record: a, expr: up, {key}: 5m") for key in ("for", "keep_firing_for")),
    RULE.format("record: a, expr: up, annotations: {a: b}"),
    RULE.format("record: a, expr: up, labels: {alertname: b}"),
    *(
        ALERT.format(f"for: {time}")
        for time in "5m 0 00 '' 5 5M 1h30m 30m1h 1.5h 1d2h3m4s5ms 1y1w -5m 300y 292y 1ms PT3M".split()
    ),
    ALERT.format("for: 5 m"),
    ALERT.format("keep_firing_for: 5m"),
    *(
        ALERT.format(f"{part}: {{{key}: x}}")
        for part in ("labels", "annotations")
        for key in ("a", "a_b", "a-b", "1a", "__name__", "'a b'", "__x", "a:b")
    ),
    *(ALERT.format(f"labels: {text}") for text in ("", "text", "[a]", "{a: [b]}", "{a: 1}")),
    *(ALERT.format(f"labels: {{a: {text}}}") for text in ("", "yes", "1.5", "2026-01-01", "~")),
    *(ALERT.format(f"annotations: {{a: {text}}}") for text in ("{}", "[]", "No", "''")),
    ALERT.format("foo: bar"),
    ALERT.format("severity: page"),
]
# What Prometheus loads and no one can mean.
STRICTER = [GROUP.format("limit: 1.5"), RULE.format("record: a, expr: up, for: 0")]


def loads(promtool: Promtool, file: Path) -> bool:
    command = [str(promtool.path), "check", "rules", "--lint=none", str(file)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_promtool_agrees(each_promtool: Promtool, tmp_path: Path) -> None:
    major, minor = each_promtool.number
    fleet = Path(world.__file__).parent / "default" / "fleet.yaml"
    named = tmp_path / "fleet.yaml"
    version = f'\nprometheusVersion: "{major}.{minor}"\n'
    named.write_text(fleet.read_text(encoding="utf-8") + version, encoding="utf-8")
    chosen, _ = world.of_file(named)
    assert chosen is not None
    wrong = []
    for index, text in enumerate(FILES):
        file = tmp_path / f"{index}.yaml"
        file.write_text(text, encoding="utf-8")
        done = foreign.lint([file], chosen)
        clean = not done.diagnostics and not done.refused
        if clean != loads(each_promtool, file):
            wrong.append((text, [found.message for found in done.diagnostics]))
    assert wrong == []


@pytest.mark.parametrize("text", ["groups: []\n---\ngroups: []\n", *STRICTER])
def test_promtool_is_silent_where_something_is_found(
    text: str, each_promtool: Promtool, tmp_path: Path
) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(text, encoding="utf-8")
    assert loads(each_promtool, file)
    assert foreign.lint([file], world.built_in()).diagnostics
