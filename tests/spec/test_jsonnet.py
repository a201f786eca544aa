"""`.jsonnet` specs: what they evaluate to, and the bounds of the evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.diagnostics import Diagnostic, Span
from gpuobs.spec import jsonnet
from gpuobs.spec.jsonnet import evaluate
from gpuobs.spec.node import Node
from gpuobs.spec.shape import shape

HEADER = "apiVersion: 'gpuobs/v1', kind: 'Tiers', name: 'a', owners: {}"


def _evaluated(
    folder: Path, text: str, ext_str: dict[str, str] | None = None
) -> tuple[Node | None, list[Diagnostic]]:
    path = folder / "a b.jsonnet"
    path.write_text(text, encoding="utf-8")
    return evaluate("specs/a b.jsonnet", path, text.encode(), folder.resolve(), ext_str or {})


def _said(folder: Path, text: str) -> list[tuple[int, int, str, str]]:
    node, problems = _evaluated(folder, text)
    assert node is None
    return [(one.span.line, one.span.column, one.code, one.message) for one in problems]


def test_data_with_imports_and_external_variables(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "tiers.libsonnet").write_text("{page: {severity: 'é'}}", encoding="utf-8")
    text = "{tiers: import 'lib/tiers.libsonnet', a: std.extVar('v'), b: [1, 1.5, null, true]}"
    node, problems = _evaluated(tmp_path, text, {"v": "w"})
    assert problems == []
    assert node is not None
    assert node.plain() == {
        "tiers": {"page": {"severity": "é"}},
        "a": "w",
        "b": [1, 1.5, None, True],
    }
    assert node.at("tiers", "page") == Span("specs/a b.jsonnet", 1, 1, 1, 2)


def test_a_wrong_shape_is_named_by_its_path(tmp_path: Path) -> None:
    node, _ = _evaluated(tmp_path, f"{{{HEADER}, tiers: {{page: {{severity: 5}}}}}}")
    assert node is not None
    assert [one.message for one in shape(node)[1]] == [
        "the number 5 stands where one word is wanted (at tiers.page.severity)"
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{\n a: 1\n b: 2}", (3, 2, "jsonnet/error", "expected a comma before next field")),
        ("{a: zz}", (1, 5, "jsonnet/error", "unknown variable: zz")),
        ("{\n a: 1 / 0}", (2, 5, "jsonnet/error", "division by zero")),
        ("{a: error 'no\\nway'}", (1, 5, "jsonnet/error", "no way")),
        ("{a: std.extVar('x')}", (1, 5, "jsonnet/error", "undefined external variable: x")),
        ("{a: import 'no.libsonnet'}", (1, 5, "jsonnet/error", "couldn't open import \"no.libsonnet\": no such file or directory")),
        ("{a: importstr '/etc/passwd'}", (1, 5, "yaml/outside", "an import leaves the specs folder")),
        ("{a: import '../x.libsonnet'}", (1, 5, "yaml/outside", "an import leaves the specs folder")),
        ("local f(x) = 1 + f(x); {a: f(1)}", (1, 18, "jsonnet/limit", "more than 200 stack frames")),
        ("function(x) x", (1, 1, "jsonnet/error", "function parameter x not bound in call")),
        ("[1]", (1, 1, "yaml/wrong-type", "a spec is a mapping of keys to values")),
        ("{a: " + "[" * 70 + "]" * 70 + "}", (1, 1, "yaml/too-deep", "nested deeper than 64 levels")),
        ("{a: '\\u0000'}", (1, 1, "yaml/encoding", "a text has a character that is not allowed, such as a control character")),
    ],
)  # fmt: skip
def test_a_mistake_has_its_place(
    tmp_path: Path, text: str, wanted: tuple[int, int, str, str]
) -> None:
    assert _said(tmp_path, text) == [wanted]


def test_a_key_that_is_a_word_of_jsonnet(tmp_path: Path) -> None:
    _, problems = _evaluated(tmp_path, "{name: 'a', for: '5m'}")
    assert [one.hint for one in problems] == [
        "'for' is a word of Jsonnet: quote the key, 'for': '5m'"
    ]


def test_a_mistake_in_an_import_names_both_files(tmp_path: Path) -> None:
    (tmp_path / "x.libsonnet").write_text("{\n  a: 1 / 0 }", encoding="utf-8")
    assert _said(tmp_path, "{\n a: (import 'x.libsonnet').a }") == [
        (2, 5, "jsonnet/error", "division by zero (in x.libsonnet:2:6)")
    ]


def test_a_link_to_the_outside_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "outside.libsonnet").write_text("{}", encoding="utf-8")
    specs = tmp_path / "specs"
    specs.mkdir()
    (specs / "link.libsonnet").symlink_to(tmp_path / "outside.libsonnet")
    assert [one[2] for one in _said(specs, "{a: import 'link.libsonnet'}")] == ["yaml/outside"]


def test_time_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonnet, "SECONDS", 0.5)
    text = "local f(n, x) = if n == 0 then x else f(n - 1, x + 1) tailstrict; {a: f(1e12, 0)}"
    assert [one[2] for one in _said(tmp_path, text)] == ["jsonnet/limit"]


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonnet, "MEMORY", 512 * 1024**2)
    text = "local f(n, x) = if n == 0 then x else f(n - 1, x + x); {a: f(40, '0123456789')}"
    assert [one[2] for one in _said(tmp_path, text)] == ["jsonnet/limit"]


def test_output_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonnet, "MAX_BYTES", 100)
    assert _said(tmp_path, "{a: std.repeat('x', 100)}") == [
        (1, 1, "jsonnet/limit", "this file evaluates to more than 100 bytes")
    ]
