"""Running promtool on files in a test."""

from __future__ import annotations

import subprocess
from pathlib import Path

from gpuobs.verify.promtool import Promtool


def run_tests(promtool: Promtool, file: Path) -> str:
    """What `promtool test rules` says of a file; nothing where it passes."""
    return _run(promtool, "test", "rules", str(file))


def check_rules(promtool: Promtool, *files: Path) -> str:
    """What `promtool check rules`, as strict as it can be, says of files; nothing where it passes."""
    return _run(promtool, "check", "rules", "--lint=all", "--lint-fatal", *map(str, files))


def check_config(promtool: Promtool, file: Path) -> str:
    """What `promtool check config` says of a configuration and its rules; nothing where it passes."""
    return _run(promtool, "check", "config", str(file))


def _run(promtool: Promtool, *arguments: str) -> str:
    done = subprocess.run([promtool.path, *arguments], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"exit {done.returncode}\n{done.stdout}{done.stderr}"
