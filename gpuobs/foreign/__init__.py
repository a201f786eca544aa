"""Rule files of others: read, told apart by their content, and checked as the project's own rules are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpuobs import checks, suppressions
from gpuobs.diagnostics import Diagnostic, EnvironmentProblem, error, in_order
from gpuobs.files import display, read_bytes
from gpuobs.foreign import helm, size, structure
from gpuobs.foreign.kinds import Content, Other, PromtoolTests, RuleSet, contents
from gpuobs.foreign.reader import Document, read_stream
from gpuobs.foreign.rules import rule_file
from gpuobs.foreign.world import World
from gpuobs.ir import Program, RuleFile
from gpuobs.spec.document import decode
from gpuobs.spec.node import Node, Source

_UNKNOWN = "neither a rule file of Prometheus, Mimir or Thanos, nor a PrometheusRule, nor a test file of promtool's"


@dataclass(slots=True)
class ForeignFiles:
    """What was read of foreign files.

    `notes` says what was not looked at and need not be, `refused` what could not be. `tests` are promtool's test files,
    of which nothing has been looked at.
    """

    rule_files: list[RuleFile] = field(default_factory=list)
    tests: list[Document] = field(default_factory=list)
    documents: list[Node] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Lint:
    """Findings, with the documents that they are about, and what is to be said beside them."""

    diagnostics: tuple[Diagnostic, ...]
    documents: tuple[Node, ...]
    notes: tuple[str, ...]
    refused: tuple[str, ...]


def lint(paths: Sequence[Path], world: World) -> Lint:
    """Checks all files as one program, in which rules read each other's records."""
    files = read_files(paths, world)
    program = Program(
        fleet=str(world.policy.fleet.name),
        version=world.version,
        rule_files=tuple(files.rule_files),
        test_files=(),
        known=world.known,
        foreign=True,
        policy=world.policy,
    )
    found = suppressions.apply([*files.problems, *checks.check(program)], files.sources)
    return Lint(
        tuple(in_order(found)), tuple(files.documents), tuple(files.notes), tuple(files.refused)
    )


def read_files(paths: Iterable[Path], world: World) -> ForeignFiles:
    """Every file once, in the order given."""
    files = ForeignFiles()
    for path in dict.fromkeys(paths):
        try:
            data = read_bytes(path)
        except EnvironmentProblem as problem:
            files.refused.append(str(problem))
            continue
        source, mistakes = decode(display(path), data)
        files.problems += mistakes
        if source is not None:
            _read(path, source, world, files)
    return files


def _read(path: Path, source: Source, world: World, files: ForeignFiles) -> None:
    if helm.has_constructs(source):
        _skip_template(source, files)
        return
    documents, mistakes = read_stream(source)
    thanos = _is_thanos(world)
    found = [(each, list(contents(each, thanos))) for each in documents]
    known = [content for _, each in found for content in each if content != Other("")]
    if (not known and helm.named_as_chart(path)) or (mistakes and helm.has_control(source)):
        _skip_template(source, files)
        return
    files.sources.append(source)
    files.documents += [document.root for document in documents]
    files.problems += mistakes
    if _is_chart(path, source, known):
        files.problems += helm.problems(source)
    if not mistakes and not documents:
        files.notes.append(f"{source.file}: nothing is in it")
    elif not mistakes and not known:
        files.refused.append(f"'{source.file}' is {_unknown(documents)}")
    elif not mistakes and all(isinstance(content, Other) for content in known):
        files.notes.append(f"{source.file}: Kubernetes objects, and no PrometheusRule among them")
    for index, (document, each) in enumerate(found):
        if index and _alone(found[0][1]):
            files.problems.append(_second(document))
            break
        for content in each:
            _take(content, world, files)


def _unknown(documents: Iterable[Document]) -> str:
    versions = [document.root.get("apiVersion") for document in documents]
    if any(each is not None and str(each.value).startswith("gpuobs/") for each in versions):
        return "a spec that is not in the folder of the specs"
    return _UNKNOWN


def _skip_template(source: Source, files: ForeignFiles) -> None:
    problems = list(helm.problems(source))
    files.problems += problems
    # Where nothing is reported no suppression can be told to be unused.
    files.sources += [source] if problems else []
    files.notes.append(f"{source.file}: a Helm template: check what 'helm template' prints")


def _is_chart(path: Path, source: Source, known: Sequence[Content]) -> bool:
    """Whether Helm renders a file that is YAML all the same."""
    manifest = any(isinstance(each, RuleSet) and each.format == "operator" for each in known)
    return helm.wraps(source) or helm.in_chart(path) or (manifest and helm.in_templates(path))


def _is_thanos(world: World) -> bool:
    storage = world.policy.fleet.storage
    return (
        storage is not None and storage.long_term is not None and storage.long_term.kind == "thanos"
    )


def _alone(first: Sequence[Content]) -> bool:
    """Whether the first document is of a file of which readers take no second one: manifests and mimirtool's have many."""
    return any(
        isinstance(each, PromtoolTests)
        or (isinstance(each, RuleSet) and each.format in ("prometheus", "thanos"))
        for each in first
    )


def _second(document: Document) -> Diagnostic:
    message = "a second document begins here, which Prometheus does not read"
    hint = "move it to a file of its own, or put its groups under the 'groups' above"
    return error(document.start, "yaml/second-document", message, hint)


def _take(content: Content, world: World, files: ForeignFiles) -> None:
    if isinstance(content, PromtoolTests):
        file = content.document.root.source.file
        files.tests.append(content.document)
        files.notes.append(f"{file}: a test file of promtool's, which is not looked at yet")
    elif isinstance(content, RuleSet):
        files.problems += structure.problems(content, world.version)
        files.problems += size.problems(content)
        made, mistakes = rule_file(content, world.version)
        files.rule_files.append(made)
        files.problems += mistakes
