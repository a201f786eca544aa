"""`gpuobs simulate` as a process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.cli.test_commands import ROOT, run
from tests.live.fleets import FLEETS, project
from tests.simulate.pages import read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project(tmp_path, FLEETS["mig"])
    return tmp_path


def test_one_page_goes_to_standard_output(folder: Path) -> None:
    code, out, err = run(folder, "simulate", "--once", "dcgm-exporter", "live-a100-0002")
    assert (code, err) == (0, "")
    samples = read(out.encode())[1]
    assert len({sample.labels["GPU_I_ID"] for sample in samples}) == 7


def test_incidents_seeds_and_lifetimes_are_seen(folder: Path) -> None:
    once = ("--once", "dcgm-exporter", "live-a100-0002")
    place = ("--incident", "gpu-lost@live-a100-0002/gpu1", "--seed", "3", "--pod-lifetime", "1s")
    code, out, err = run(folder, "simulate", *place, *once)
    assert (code, err) == (0, "")
    samples = read(out.encode())[1]
    assert {sample.labels["gpu"] for sample in samples} == set("0234567")


def test_incidents_are_listed(folder: Path) -> None:
    code, out, err = run(folder, "simulate", "--incidents")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert (
        lines[0] == "xid-N              the driver reports XID N; after XID 79 the GPU's series end"
    )
    assert all(re.fullmatch(r"[a-zA-Z-]+ +\S.*", line) for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--once", "dcgm-export", "live-h100-0000"],
            "gpuobs: no job 'dcgm-export': did you mean 'dcgm-exporter'?\n",
        ),
        (
            ["--once", "dcgm-exporter", "live-b200-0000"],
            "gpuobs: job 'dcgm-exporter' has no target 'live-b200-0000': did you mean 'live-h100-0000'?\n",
        ),
        (
            ["--incident", "xid79"],
            "gpuobs: no incident 'xid79': 'gpuobs simulate --incidents' lists them\n",
        ),
        (
            ["--incident", "exporter-down", "--once", "dcgm-exporter", "live-h100-0000"],
            "gpuobs: the exporter on 'live-h100-0000' is down\n",
        ),
        (
            ["--listen", "127.1.2.3:99999"],
            "Error: Invalid value for --listen: it answers on loopback only, such as 127.0.0.1:9464\n",
        ),
        (
            ["--listen", "0.0.0.0:9464"],
            "Error: Invalid value for --listen: it answers on loopback only, such as 127.0.0.1:9464\n",
        ),
        (
            ["--pod-lifetime", "soon"],
            "Error: Invalid value for --pod-lifetime: such as 10m\n",
        ),
    ],
)
def test_what_cannot_be_is_told_in_a_line(folder: Path, arguments: list[str], message: str) -> None:
    code, out, err = run(folder, "simulate", *arguments)
    assert (code, out) == (2, "")
    assert err.endswith(message)
    assert "Traceback" not in err


def test_specs_that_do_not_compile_are_told(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "fleet.yaml").write_text("apiVersion: gpuobs/v1\nkind: Fleet\n")
    code, out, err = run(tmp_path, "simulate")
    assert (code, out) == (1, "")
    assert "error" in err


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_until_it_is_interrupted(folder: Path, how: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "gpuobs", "simulate", "--listen", "127.0.0.1:0"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        said = re.fullmatch(r"(http://\S+) answers for 5 targets; Ctrl-C ends it\n", line)
        assert said, line
        with urllib.request.urlopen(f"{said[1]}/sd/dcgm-exporter", timeout=10) as answer:
            assert answer.status == 200
        process.send_signal(how)
        assert process.communicate(timeout=10)[1] == ""
    assert process.returncode == 0
