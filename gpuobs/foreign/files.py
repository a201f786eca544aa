"""Files of others: what each of them holds, and why nothing is said of those that hold no rules."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpuobs.diagnostics import Diagnostic, EnvironmentProblem, error
from gpuobs.files import display, read_bytes
from gpuobs.foreign import alertmanager, helm, size, structure
from gpuobs.foreign.kinds import Content, Other, PromtoolTests, Routes, RuleSet, Scrapes, contents
from gpuobs.foreign.reader import Document, read_stream
from gpuobs.foreign.rules import rule_file
from gpuobs.foreign.scrape.read import configuration
from gpuobs.foreign.world import World
from gpuobs.ir import RuleFile
from gpuobs.routing import Configuration as RoutingConfiguration
from gpuobs.scraping import Configuration
from gpuobs.spec.document import decode
from gpuobs.spec.node import Source

_UNKNOWN = (
    "neither a rule file of Prometheus, Mimir or Thanos, nor a PrometheusRule, nor a test file of promtool's, "
    "nor a configuration of Prometheus or Alertmanager"
)
_CSV = (
    "a CSV file, and what is checked is YAML or JSON; which fields an exporter collects is checked in the project's specs, "
    "in 'collect'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignFile:
    """What was read of one file.

    `source` is set where findings can be suppressed. `tests` are promtool's.
    `note` says why there is nothing to look at, and `refused` why what was asked for cannot be done.
    """

    source: Source | None = None
    documents: tuple[Document, ...] = ()
    rule_files: tuple[RuleFile, ...] = ()
    tests: tuple[Document, ...] = ()
    configurations: tuple[Configuration, ...] = ()
    routings: tuple[RoutingConfiguration, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    note: str = ""
    refused: str = ""


def read_files(paths: Iterable[Path], world: World) -> tuple[ForeignFile, ...]:
    """Every file once, in the order given."""
    return tuple(_read(path, world) for path in dict.fromkeys(paths))


def paths_of(folder: Path, name: str) -> list[Path]:
    """The files that a name or a pattern in a folder's file means."""
    matched = glob.glob(str(folder / name)) if name else []  # noqa: PTH207 -- Path.glob takes no absolute pattern
    return sorted(map(Path, matched))


def matching(folder: Path, name: str, world: World) -> tuple[RuleFile, ...] | None:
    """The rule files that a test file in a folder means by a name or a pattern; None where one of them cannot be read."""
    found = read_files(paths_of(folder, name), world)
    if any(file.refused or not file.rule_files for file in found):
        return None
    return tuple(rules for file in found for rules in file.rule_files)


def _read(path: Path, world: World) -> ForeignFile:
    if path.suffix.lower() == ".csv":
        return ForeignFile(refused=f"'{display(path)}' is {_CSV}")
    try:
        source, mistakes = decode(display(path), read_bytes(path))
    except EnvironmentProblem as problem:
        return ForeignFile(refused=str(problem))
    if source is None:
        return ForeignFile(problems=tuple(mistakes))
    if helm.has_constructs(source):
        return _template(source)
    documents, mistakes = read_stream(source)
    if mistakes and helm.has_control(source):
        return _template(source)
    file = ForeignFile(source=source, documents=documents, problems=tuple(mistakes))
    found = [tuple(contents(document, world.has_thanos)) for document in documents]
    if any(content != Other("") for each in found for content in each):
        return _taken(file, path, found, world)
    if helm.named_as_chart(path):
        return _template(source)
    if mistakes:
        return file
    if not documents:
        return replace(file, note=f"{source.file}: nothing is in it")
    return replace(file, refused=f"'{source.file}' is {_stranger(documents)}")


def _template(source: Source) -> ForeignFile:
    """What is not YAML before Helm has rendered it."""
    problems = tuple(helm.problems(source))
    note = f"{source.file}: a Helm template: check what 'helm template' prints"
    # Where nothing is reported no suppression can be told to be unused.
    return ForeignFile(source=source if problems else None, problems=problems, note=note)


def _stranger(documents: Iterable[Document]) -> str:
    versions = [document.root.get("apiVersion") for document in documents]
    if any(each is not None and str(each.value).startswith("gpuobs/") for each in versions):
        return "a spec that is not in the folder of the specs"
    return _UNKNOWN


def _taken(
    file: ForeignFile, path: Path, found: Sequence[tuple[Content, ...]], world: World
) -> ForeignFile:
    """The file with its rules and tests, and with what is wrong with them."""
    assert file.source is not None
    second = _second(file, found)
    read = [content for each in found[: 1 if second else None] for content in each]
    rules = [content for content in read if isinstance(content, RuleSet)]
    tests = tuple(each.document for each in read if isinstance(each, PromtoolTests))
    scrapes = [configuration(each, world.version) for each in read if isinstance(each, Scrapes)]
    routes = [
        alertmanager.configuration(each.document.root, each.kind)
        for each in read
        if isinstance(each, Routes)
    ]
    made = [rule_file(each, world.version) for each in rules]
    problems = [
        *file.problems,
        *second,
        *(each for _, mistakes in (*scrapes, *routes) for each in mistakes),
    ]
    for each, (_, mistakes) in zip(rules, made, strict=True):
        problems += [*structure.problems(each, world.version), *size.problems(each), *mistakes]
    if _is_rendered(path, file.source, rules):
        problems += helm.problems(file.source)
    note = ""
    if not rules and not tests and not scrapes and not routes:
        note = f"{file.source.file}: Kubernetes objects, and none of Prometheus among them"
    return replace(
        file,
        rule_files=tuple(rules_of for rules_of, _ in made),
        tests=tests,
        configurations=tuple(made_of for made_of, _ in scrapes),
        routings=tuple(made_of for made_of, _ in routes if made_of is not None),
        problems=tuple(problems),
        note=note,
    )


def _second(file: ForeignFile, found: Sequence[tuple[Content, ...]]) -> list[Diagnostic]:
    """A second document in a file whose readers take one; manifests and mimirtool's files have many."""
    alone = any(
        isinstance(each, PromtoolTests)
        or (isinstance(each, RuleSet) and each.format in ("prometheus", "thanos"))
        or (isinstance(each, Scrapes | Routes) and each.kind == "configuration")
        for each in found[0]
    )
    if not alone or len(found) == 1:
        return []
    message = "a second document begins here, which Prometheus does not read"
    hint = "move it to a file of its own, or put its groups under the 'groups' above"
    return [error(file.documents[1].start, "yaml/second-document", message, hint)]


def _is_rendered(path: Path, source: Source, rules: Iterable[RuleSet]) -> bool:
    """Whether Helm renders a file that is YAML all the same."""
    manifest = any(each.format == "operator" for each in rules)
    return helm.wraps(source) or helm.in_chart(path) or (manifest and helm.in_templates(path))
