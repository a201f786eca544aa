"""`.jsonnet` specs: evaluated in a process of their own, with bounds, to the data that a YAML spec would hold."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpuobs.diagnostics import Diagnostic, EnvironmentProblem, Span, error
from gpuobs.spec.document import CONTROL, MAX_BYTES, MAX_DEPTH
from gpuobs.spec.node import Node, Source

SECONDS = 10
MEMORY = 2 * 1024**3
MAX_STACK = 200
_OUTSIDE = "outside the specs folder"
_TOO_LONG = "the output is too long"


class _TooDeep(Exception):
    pass


class _BadText(Exception):
    pass


def evaluate(
    shown: str, path: Path, data: bytes, root: Path, ext_str: Mapping[str, str]
) -> tuple[Node | None, list[Diagnostic]]:
    """The file's data; its nodes all stand on the file's first line, for evaluation loses the places.

    Imports are confined to `root` (a resolved path), external variables to `ext_str`; the stack, the time, the memory and
    the output are bounded.
    """
    import os
    import subprocess
    import sys

    path = path.resolve()
    first = Span(shown, 1, 1, 1, 2)
    request = {"path": str(path), "root": str(root), "ext": dict(ext_str)}
    bounds = {"most": MAX_BYTES, "memory": MEMORY}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "gpuobs.spec.jsonnet"],
            input=json.dumps(request | bounds).encode(),
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
    except subprocess.TimeoutExpired:
        message = f"this file is not evaluated after {SECONDS} seconds"
        return None, [error(first, "jsonnet/limit", message, "look for a recursion without an end")]
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace")
        return None, [_refusal(shown, path, root, words, done.returncode)]
    try:
        node = _node(Source(shown, data.decode("utf-8", "replace")), json.loads(done.stdout), 0)
    except (_TooDeep, RecursionError):
        message = f"nested deeper than {MAX_DEPTH} levels"
        return None, [error(first, "yaml/too-deep", message, "make it flatter")]
    except _BadText:
        message = "a text has a character that is not allowed, such as a control character"
        return None, [error(first, "yaml/encoding", message, "remove it")]
    if not isinstance(node.value, dict):
        hint = "give an object with apiVersion, kind and name"
        return None, [
            error(first, "yaml/wrong-type", "a spec is a mapping of keys to values", hint)
        ]
    return node, []


def _node(source: Source, value: Any, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise _TooDeep
    place = (1, 1, 1, 2)
    if isinstance(value, dict):
        children = {key: _node(source, child, depth + 1) for key, child in value.items()}
        return Node(source, children, place, "flow", dict.fromkeys(children, place))
    if isinstance(value, list):
        return Node(source, [_node(source, child, depth + 1) for child in value], place, "flow")
    if isinstance(value, str) and CONTROL.search(value):
        raise _BadText
    return Node(source, value, place, "double" if isinstance(value, str) else "plain")


def _refusal(shown: str, path: Path, root: Path, words: str, code: int) -> Diagnostic:
    """What the evaluation said, at the innermost line of this file that it names."""
    if "No module named '_jsonnet'" in words:
        raise EnvironmentProblem(f"'{shown}' needs the jsonnet package: pip install jsonnet")
    first = Span(shown, 1, 1, 1, 2)
    if code < 0 or "MemoryError" in words:
        message = "this file needs more memory than evaluation is given"
        return error(first, "jsonnet/limit", message, "look for a recursion without an end")
    if words.startswith("Traceback"):
        raise RuntimeError(words)
    if _TOO_LONG in words:
        message = f"this file evaluates to more than {MAX_BYTES:,} bytes"
        return error(first, "jsonnet/limit", message, "split it into several documents")
    match = re.search(rf"{re.escape(str(path))}:\(?([0-9]+):([0-9]+)", words)
    line, column = (int(match[1]), int(match[2])) if match else (1, 1)
    span = Span(shown, line, column, line, column + 1)
    if "max stack frames" in words:
        message = f"more than {MAX_STACK} stack frames"
        return error(span, "jsonnet/limit", message, "look for a recursion without an end")
    if _OUTSIDE in words:
        message = "an import leaves the specs folder"
        return error(span, "yaml/outside", message, "copy the file into the specs folder")
    message = _message(path, root, words)
    return error(span, "jsonnet/error", message, _hint(message))


def _message(path: Path, root: Path, words: str) -> str:
    """The first paragraph without its own place; with the place if that is in an imported file."""
    text = " ".join(re.split(r"\n\t", words.strip())[0].split())
    text = re.sub(r"^(RUNTIME|STATIC) ERROR: ", "", text)
    text = re.sub(rf"^{re.escape(str(path))}:\S+ ", "", text).removesuffix(".")
    text = text.replace(f"{root}/", "")
    place = re.search(rf"\n\t{re.escape(str(root))}/(.+?:\(?[0-9]+:[0-9]+)", words)
    if place and not place[1].startswith(path.relative_to(root).as_posix() + ":"):
        text += f" (in {place[1].replace('(', '')})"
    if text[1:2].islower():
        text = text[0].lower() + text[1:]
    return text or "evaluation failed"


def _hint(message: str) -> str:
    undefined = re.match(r"undefined external variable: (.*)", message)
    if undefined:
        return f"give it with --ext-str {undefined[1]}=..."
    if message.startswith("object comprehension"):
        return "'for' is a word of Jsonnet: quote the key, 'for': '5m'"
    if message.startswith("function parameter"):
        return "a spec is an object, not a function; take parameters from std.extVar"
    return "run `jsonnet` on the file to see where the evaluation was"


def _evaluate_request() -> None:
    """The child process: a request on standard input, the data or an error on the standard streams."""
    import contextlib
    import sys

    import _jsonnet

    request = json.load(sys.stdin)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (request["memory"], request["memory"]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    root = Path(request["root"])

    def load(folder: str, name: str) -> tuple[str, bytes]:
        target = Path(folder, name).resolve()
        if not target.is_relative_to(root):
            raise RuntimeError(f"'{name}' is {_OUTSIDE}")
        try:
            return str(target), target.read_bytes()
        except OSError as problem:
            raise RuntimeError(str(problem.strerror).lower()) from None

    try:
        text = _jsonnet.evaluate_file(
            request["path"], ext_vars=request["ext"], import_callback=load, max_stack=MAX_STACK
        )
    except RuntimeError as problem:
        sys.exit(str(problem))
    if len(text) > request["most"]:
        sys.exit(_TOO_LONG)
    sys.stdout.buffer.write(text.encode())


if __name__ == "__main__":
    _evaluate_request()
