"""The house's rules: imports go one way, every library has one door, slow ones load where they are used."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import gpuobs

PACKAGE = Path(gpuobs.__file__).parent

# A module may import what stands on an earlier line, or beside it in its own package.
ORDER = (
    ("__init__",),
    ("diagnostics", "nearest"),
    ("names",),
    ("spec.node", "spec.scalars"),
    ("promql", "templates"),
    ("spec",),
    ("suppressions",),
    ("catalog",),
    ("exporters",),
    ("policy",),
    ("arithmetic", "counts", "scraping", "routing"),
    ("receivers",),
    ("resolve", "plan"),
    ("ir",),
    ("world",),
    ("expressions", "notified"),
    ("budget",),
    ("lower",),
    ("checks",),
    ("settings",),
    ("targets",),
    ("files",),
    ("pipeline",),
    ("foreign", "baseline"),
    ("swap",),
    ("output", "verify", "reporters", "cache"),
    ("graph",),
    ("explain", "live", "simulate"),
    ("cli",),
    ("__main__",),
)

DOORS = {
    "yaml": ("spec/document.py", "spec/yaml_mistakes.py"),
    "promql_parser": ("promql/second_reader.py",),
    "jsonschema": ("spec/schema.py", "spec/refusals.py"),
    "_jsonnet": ("spec/jsonnet.py",),
    "click": ("cli/",),
}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> Iterator[str]:
    """Dotted names of everything imported, anywhere in the module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rank(module: str) -> int:
    """The line of ORDER that a module stands on: the longest entry that it begins with."""
    name = module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    found = [
        (len(entry), line)
        for line, entries in enumerate(ORDER)
        for entry in entries
        if name == entry or name.startswith(f"{entry}.")
    ]
    assert found, f"{module} has no place in ORDER"
    return max(found)[1]


def test_imports_go_one_way() -> None:
    wrong = []
    for path, tree in modules():
        for name in imported(tree):
            if not name.startswith("gpuobs."):
                continue
            target = name.removeprefix("gpuobs.").replace(".", "/")
            if not (
                (PACKAGE / f"{target}.py").exists() or (PACKAGE / target / "__init__.py").exists()
            ):
                continue
            if rank(target) > rank(path):
                wrong.append(f"{path} imports {target}")
    assert wrong == []


def test_every_library_has_one_door() -> None:
    wrong = [
        f"{path} imports {library}"
        for path, tree in modules()
        for library, doors in DOORS.items()
        if path != "verify/doctor.py"  # which says whether each library is there
        if any(name.split(".")[0] == library for name in imported(tree))
        and not any(
            path == door or (door.endswith("/") and path.startswith(door)) for door in doors
        )
    ]
    assert wrong == []


def test_slow_libraries_load_where_they_are_used() -> None:
    """Linting specs without a mistake needs none of these."""
    slow = [
        "jsonschema",
        "grafanalib",
        "_jsonnet",
        "difflib",
        "importlib.metadata",
        "xml",
        "ctypes",
    ]
    script = (
        "import sys; from pathlib import Path; from gpuobs.pipeline import compile_project;"
        f"compile_project(Path({str(Path(__file__).parent / 'base')!r}));"
        f"print([name for name in {slow!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
