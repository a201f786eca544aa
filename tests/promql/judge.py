"""promtool's verdict on thousands of expressions at once: one run names every rule that it cannot parse."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from gpuobs.verify.promtool import Promtool

_COMPLAINT = re.compile(
    r'^.*?: [0-9]+:[0-9]+: group "g", rule (?P<rule>[0-9]+), "r": '
    r"(?:could not parse expression: (?P<line>[0-9]+):(?P<column>[0-9]+): (?:parse error: )?)?(?P<message>.*)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Complaint:
    """Why promtool refuses an expression; `offset` is where, in characters, and None where it does not say."""

    message: str
    offset: int | None


def complaints(promtool: Promtool, texts: Sequence[str]) -> dict[int, Complaint]:
    """By index of the expression; those that promtool takes are not there."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "rules.yaml")
        rules = "".join(f"      - record: r\n        expr: {_scalar(text)}\n" for text in texts)
        file.write_text(f"groups:\n  - name: g\n    rules:\n{rules}", encoding="ascii")
        command = [str(promtool.path), "check", "rules", "--lint=none", str(file)]
        done = subprocess.run(command, capture_output=True, check=False)
    said = (done.stdout + done.stderr).decode("utf-8", errors="replace")
    found = {}
    for match in _COMPLAINT.finditer(said):
        index = int(match["rule"]) - 1
        found[index] = Complaint(match["message"], _offset(match, texts[index]))
    assert bool(found) == (done.returncode != 0), said[:2000]
    return found


def _scalar(text: str) -> str:
    """YAML in double quotes, in ASCII."""
    plain = "".join(
        character
        if " " <= character <= "~" and character not in '"\\'
        else f"\\U{ord(character):08X}"
        for character in text
    )
    return f'"{plain}"'


def _offset(match: re.Match[str], text: str) -> int | None:
    """promtool counts lines from 1, and in them bytes from 1."""
    if match["line"] is None:
        return None
    before = text.split("\n")[: int(match["line"]) - 1]
    start = sum(len(line.encode()) + 1 for line in before) + int(match["column"]) - 1
    return len(text.encode()[:start].decode("utf-8", errors="ignore"))
