"""Real mistakes as inputs: what is reported for each of them, and whether it is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from gpuobs.diagnostics import Diagnostic
from gpuobs.foreign import lint, world
from gpuobs.foreign.files import read_files
from gpuobs.foreign.world import World
from gpuobs.pipeline import check_project

FOLDER = Path(__file__).parent
_FLEET = """apiVersion: gpuobs/v1
kind: Fleet
name: judged
scrapeInterval: {scrape}
prometheusVersion: '{version}'
exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    honorLabels: {honor}
    collect: {collect}
clusters:
  - name: main
    pools:
      - {{name: gpu, gpu: {gpu}, nodes: 4, gpusPerNode: 8, mig: {mig}}}
{storage}"""


@dataclass(frozen=True)
class Case:
    """One mistake, or with no codes a file that is right. `specs` is a folder with a project instead of files."""

    name: str
    what: str
    files: tuple[str, ...] = ()
    specs: str = ""
    generated: str = ""
    codes: tuple[str, ...] = ()
    at: str = ""
    fleet: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    case: Case
    findings: tuple[Diagnostic, ...]
    right: bool


def cases() -> Iterator[Case]:
    for entry in yaml.safe_load((FOLDER / "cases.yaml").read_text(encoding="utf-8")):
        given: dict[str, Any] = {**entry, "name": entry["case"]}
        del given["case"]
        given |= {key: tuple(entry.get(key, ())) for key in ("files", "codes")}
        yield Case(**given)


def judged(case: Case, scratch: Path) -> Verdict:
    """What the checks say of a case, and whether it is one of the right codes at the right place."""
    if case.specs:
        found = check_project(FOLDER / "cases" / case.specs).diagnostics
    else:
        found = lint(_files(case, scratch), _world(case, scratch)).diagnostics
    if not case.codes:
        return Verdict(case, found, not found)
    right = any(f.code in case.codes and _meets(f, case.at) for f in found)
    return Verdict(case, found, right)


def corpus(files: Iterable[Path], of: World) -> tuple[int, tuple[Diagnostic, ...]]:
    """How many rules some files have, and what is found in them."""
    files = list(files)
    rules = sum(1 for f in read_files(files, of) for each in f.rule_files for _ in each.rules)
    return rules, lint(files, of).diagnostics


def _world(case: Case, scratch: Path) -> World:
    given: dict[str, Any] = {
        "scrape": "30s",
        "version": "2.42",
        "honor": "false",
        "collect": ["default"],
    }
    given |= {"gpu": "H100-SXM5-80GB", "mig": {}, "storage": ""}
    names = {"scrapeInterval": "scrape", "prometheusVersion": "version", "honorLabels": "honor"}
    for key, value in case.fleet.items():
        given[names.get(key, key)] = str(value).lower() if key == "honorLabels" else value
    if "longTerm" in case.fleet:
        given["storage"] = f"storage: {{longTerm: {{kind: {case.fleet['longTerm']}}}}}\n"
    file = scratch / f"{case.name}-fleet.yaml"
    text = _FLEET.format(**{key: _flow(value) for key, value in given.items()})
    file.write_text(text, encoding="utf-8")
    of, mistakes = world.of_file(file, ())
    assert of is not None, mistakes
    return of


def _flow(value: object) -> object:
    if isinstance(value, list | dict):
        return yaml.safe_dump(value, default_flow_style=True).strip()
    return value


def _files(case: Case, scratch: Path) -> list[Path]:
    if not case.generated:
        return [FOLDER / "cases" / name for name in case.files]
    file = scratch / f"{case.name}.yml"
    if case.generated == "large":
        rules = (
            f'  - expr: sum by (Hostname) (DCGM_FI_DEV_GPU_UTIL{{gpu="{n:05}"}})\n'
            f"    record: node:gpu_util_{n:05}:sum\n"
            for n in range(5300)
        )
        file.write_text("groups:\n- name: big\n  rules:\n" + "".join(rules), encoding="utf-8")
    else:
        file.write_text(
            "groups:\n- name: g\n  rules:\n  - alert: A\n    expr: up == 0\n"
            f"    for: '{case.generated}'\n",
            encoding="utf-8",
        )
    return [file]


def _meets(finding: Diagnostic, text: str) -> bool:
    """Whether a finding's place meets one where the text stands in its file."""
    lines = Path(finding.span.file).read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        start = line.find(text)
        while start >= 0:
            span = finding.span
            before = (span.line, span.column) < (number, start + len(text) + 1)
            after = (number, start + 1) < (span.end_line, span.end_column)
            if before and after:
                return True
            start = line.find(text, start + 1)
    return False
