"""Generated tests cut down to what each alert needs."""

from __future__ import annotations

from pathlib import Path

from gpuobs.output import write
from gpuobs.pipeline import compile_project
from gpuobs.verify.pieces import pieces
from gpuobs.verify.promtool import Promtool
from gpuobs.verify.unit_tests import run
from tests.projects import project

ALERTS = """alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: {default: 85, H100-SXM5-80GB: 82}}
    summary: hot
  - name: GpuIdle
    tier: info
    when: {signal: sm_active, level: node, reduce: avg, window: 5m, below: 0.05}
    summary: idle
"""
WRONG = """    scenarios:
      - name: never hot
        series: {'gpu_junction_temperature{hostname="n1"}': '20x30'}
        fires: [{at: 20m, labels: {node: n1}}]
"""


def test_a_piece_holds_one_alert_and_the_chain_below_it(tmp_path: Path) -> None:
    program = compile_project(project(tmp_path, ALERTS)).program
    assert program is not None
    hot, idle = (piece.rules.decode() for piece in pieces(program, program.test_files[0]))
    names = [
        line.split(": ")[1] for line in hot.splitlines() if "- record" in line or "- alert" in line
    ]
    assert names == [
        "gpu:temperature:max5m",
        "gpu:temperature:max5m",
        "gpu:GpuHot:threshold",
        "GpuHot",
    ]
    names = [
        line.split(": ")[1] for line in idle.splitlines() if "- record" in line or "- alert" in line
    ]
    assert names == [
        "gpu:sm_active:avg1m",
        "gpu:sm_active:avg1m",
        "gpu:sm_active:avg5m",
        "node:sm_active:avg5m",
        "GpuIdle",
    ]


def test_pieces_and_whole_files_say_the_same(promtool: Promtool, tmp_path: Path) -> None:
    done = compile_project(project(tmp_path, ALERTS + WRONG))
    out = tmp_path / "generated"
    write(out, done.artifacts)
    quick = run(promtool, done.program, out, ())
    assert quick == run(promtool, done.program, out, (), whole=True)
    assert [finding.message for finding in quick.diagnostics] == [
        "'GpuIdle: never hot' at 20m: GpuIdle fires at 20m for exactly {node=\"n1\"}: "
        'expected {node="n1"}, got nothing'
    ]
