"""`.jsonnet` specs: evaluated in a process of their own, with bounds, to the data that a YAML spec would hold."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpuobs.diagnostics import Diagnostic, Span, error
from gpuobs.spec.document import MAX_BYTES
from gpuobs.spec.node import Node, Source

SECONDS = 10
MAX_STACK = 200
_PLACE = re.compile(r"(?P<file>[^\s:]+):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?")


def evaluate(
    shown: str, path: Path, data: bytes, root: Path, ext_str: Mapping[str, str]
) -> tuple[Node | None, list[Diagnostic]]:
    """The file's data; its nodes all stand on the file's first line, for evaluation loses the places.

    Imports are confined to `root`, external variables to `ext_str`, the stack to 200 frames, the time to ten seconds.
    """
    import subprocess
    import sys

    first = Span(shown, 1, 1, 1, 2)
    request = json.dumps({"path": str(path.resolve()), "root": str(root), "ext": dict(ext_str)})
    try:
        done = subprocess.run(
            [sys.executable, "-m", "gpuobs.spec.jsonnet"],
            input=request.encode(),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"this file is not evaluated after {SECONDS} seconds"
        return None, [error(first, "jsonnet/limit", message, "look for a recursion without an end")]
    if done.returncode != 0:
        return None, [_problem(shown, path, done.stderr.decode("utf-8", "replace"))]
    if len(done.stdout) > MAX_BYTES:
        message = f"this file evaluates to more than {MAX_BYTES:,} bytes"
        return None, [error(first, "jsonnet/limit", message, "split it into several documents")]
    text = data.decode("utf-8", "replace")
    node = _node(Source(shown, text), json.loads(done.stdout))
    if not isinstance(node.value, dict):
        message = "a spec is a mapping of keys to values"
        return None, [error(first, "yaml/wrong-type", message, "begin with apiVersion, kind and name")]
    return node, []


def _node(source: Source, value: Any) -> Node:
    place = (1, 1, 1, 2)
    if isinstance(value, dict):
        children = {key: _node(source, child) for key, child in value.items()}
        return Node(source, children, place, "flow", dict.fromkeys(children, place))
    if isinstance(value, list):
        return Node(source, [_node(source, child) for child in value], place, "flow")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return Node(source, value, place)


def _problem(shown: str, path: Path, words: str) -> Diagnostic:
    lines = [line for line in words.strip().splitlines() if line.strip()] or ["evaluation failed"]
    message = re.sub(r"^(RUNTIME ERROR|STATIC ERROR): ", "", lines[0])
    line, column = 1, 1
    for text in lines:
        match = _PLACE.search(text)
        if match and Path(match["file"]).name == path.name:
            line, column = int(match["line"]), int(match["column"] or 1)
            message = message.replace(match.group(), "").lstrip("-0123456789: ")
            break
    span = Span(shown, line, column, line, column + 1)
    if "max stack frames" in words:
        return error(span, "jsonnet/limit", f"more than {MAX_STACK} stack frames", "look for a recursion")
    if "outside the specs folder" in words:
        message = "an import leaves the specs folder"
        return error(span, "yaml/outside", message, "copy the file into the specs folder")
    return error(span, "jsonnet/error", message or "evaluation failed")


def _evaluate_request() -> None:
    """The child process: a request on standard input, the data or an error on the standard streams."""
    import sys

    import _jsonnet

    request = json.load(sys.stdin)
    root = Path(request["root"])

    def load(folder: str, name: str) -> tuple[str, bytes]:
        target = Path(folder, name).resolve()
        if not target.is_relative_to(root):
            raise RuntimeError(f"import of '{name}' from outside the specs folder")
        return str(target), target.read_bytes()

    try:
        text = _jsonnet.evaluate_file(
            request["path"], ext_vars=request["ext"], import_callback=load, max_stack=MAX_STACK
        )
    except RuntimeError as problem:
        sys.exit(str(problem))
    sys.stdout.write(text)


if __name__ == "__main__":
    _evaluate_request()
