"""YAML to nodes: values by YAML 1.2, a place for everything, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuobs.diagnostics import Diagnostic, Related, Span
from gpuobs.spec.document import MAX_BYTES, read
from tests.spec.reading import node_of, read_says


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("on", "on"),
        ("no", "no"),
        ("Yes", "Yes"),
        ("12:30", "12:30"),
        ("12:30:45", "12:30:45"),
        ("010", "010"),
        ("00.5", "00.5"),
        ("1_000", "1_000"),
        ("2026-12-01", "2026-12-01"),
        ("0b11", "0b11"),
        ("0o17", 15),
        ("0xFf", 255),
        ("-12", -12),
        ("+3", 3),
        ("0", 0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("'1'", "1"),
        ('"true"', "true"),
        ("|-\n  5", "5"),
        ("=", "="),
        ("é 😀", "é 😀"),
    ],
)
def test_scalars_follow_yaml_1_2(written: str, value: Any) -> None:
    read_value = node_of(f"k: {written}\n").plain()["k"]
    assert (type(read_value), read_value) == (type(value), value)


def test_every_key_and_value_has_its_place() -> None:
    node = node_of("a: 1\nlist:\n  - {é😀: x, b: 'y'}\n  - |\n    text\n    more\n\nend:\n")
    assert node.key_span("list") == Span("a.yaml", 2, 1, 2, 5)
    assert node.at("list", 0) == Span("a.yaml", 3, 5, 3, 20)
    assert node.at("list", 0, "b") == Span("a.yaml", 3, 16, 3, 19)
    assert node.at("list", 1) == Span("a.yaml", 4, 5, 6, 9)
    assert node.at("list") == Span("a.yaml", 3, 3, 6, 9)
    assert node.at("end") == Span("a.yaml", 8, 5, 8, 6)
    assert node.span == Span("a.yaml", 1, 1, 8, 6)


def test_a_duplicate_key_names_the_first_one() -> None:
    assert read("a.yaml", b"a: 1\nb: 2\na: 3\n")[1] == [
        Diagnostic(
            Span("a.yaml", 3, 1, 3, 2),
            "yaml/duplicate-key",
            "error",
            "key 'a' is there twice, and readers take one of them",
            "keep one of them",
            (Related(Span("a.yaml", 1, 1, 1, 2), "first here"),),
        )
    ]


QUOTE = "-> quote it: "


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a: {{ x }} y\n", f"1:4 yaml/syntax [{{{{ x }}}} y] a value that begins with '{{{{' reads as a mapping {QUOTE}'{{{{ x }}}} y'"),
        ("a: {{ x }}\n", f"1:4 yaml/syntax [{{{{ x }}}}] a value that begins with '{{{{' reads as a mapping {QUOTE}'{{{{ x }}}}'"),
        ("a: %x\n", f"1:4 yaml/syntax [%x] a value cannot begin with '%' {QUOTE}'%x'"),
        ("a: @x # why\n", f"1:4 yaml/syntax [@x] a value cannot begin with '@' {QUOTE}'@x'"),
        ("a: `x`\n", f"1:4 yaml/syntax [`x`] a value cannot begin with '`' {QUOTE}'`x`'"),
        ("a: * 5\n", f"1:4 yaml/syntax [* 5] a value that begins with '*' reads as an alias {QUOTE}'* 5'"),
        ("a: & b\n", f"1:4 yaml/syntax [& b] a value that begins with '&' reads as an anchor {QUOTE}'& b'"),
        ("a: b: c\n", f"1:4 yaml/syntax [b: c] ': ' inside a value begins another mapping {QUOTE}'b: c'"),
        ("e: up[5m: 1m]\n", f"1:4 yaml/syntax [up[5m: 1m]] ': ' inside a value begins another mapping {QUOTE}'up[5m: 1m]'"),
        ('e: {a="b"} > 1\n', f"1:4 yaml/syntax [{{a=\"b\"}} > 1] a value that begins with '{{' reads as a mapping {QUOTE}'{{a=\"b\"}} > 1'"),
        ("a: 'it's hot'\n", f"1:4 yaml/syntax ['it's hot'] text goes on after the closing ' {QUOTE}\"it's hot\""),
        ('a: "x" > 1\n', f"1:4 yaml/syntax [\"x\" > 1] text goes on after the closing \" {QUOTE}'\"x\" > 1'"),
        ("a: 'x\nb: 1\n", "1:4 yaml/syntax ['] this ' is not closed -> close it with '"),
        ("a: 'x\nb: 'y'\n", "1:4 yaml/syntax ['] this ' is not closed -> close it with '"),
        ("a: [1,\nb: 2\n", "1:4 yaml/syntax [[] this '[' is not closed -> close it with ']'"),
        ("a: [1]]\n", "1:7 yaml/syntax []] a ']' too many -> remove it"),
        ("a:1\nb: 2\n", "1:1 yaml/syntax [a] a space is missing after the colon -> write 'a: 1'"),
        ("a: {b:1}\n", "1:5 yaml/syntax [b:1] a space is missing after the colon -> write 'b: 1'"),
        ("a: 1\n  b: 2\n", "2:3 yaml/syntax [b] 'b' is indented deeper than the keys beside it -> begin it at column 1, as 'a' in line 1"),
        ("a:\n   b: 1\n  c: 2\n", "3:3 yaml/syntax [c: 2] this line does not line up with the ones before it -> begin it at column 4, as 'b' in line 2, or at column 1, as line 1"),
        ("a: 1\nfoo\nb: 2\n", "2:1 yaml/syntax [foo] this line is no 'key: value' -> add a colon and a value, or indent it if it goes on with the text above"),
        ("a:\n  - b\n  -c\n", "3:3 yaml/syntax [-c] a space is missing after the '-' -> write '- c'"),
        ("a:\n  - b\n  c: 1\n", "3:3 yaml/syntax [c: 1] this line is no entry of the list above -> begin it with '- ', or indent it other than the list (line 2)"),
        ("a:  - b\n", "1:5 yaml/syntax [-] a list begins on the line of its key -> begin it on the next line, or use [ ]"),
        ("a: |x\n  y\n", "1:5 yaml/syntax [x] text on the line of '|' -> begin it on the next line, indented"),
        ("a: 1\n<<<<<<< HEAD\nb: 1\n", "2:1 yaml/syntax [<<<<<<<] a conflict of a merge is not resolved -> resolve it and remove the markers"),
        ("a:\n\tb: 1\n", "2:1 yaml/tab [\t] a tab in the indentation -> use spaces"),
        ("a:\n  b: 1\n\tc: 2\n", "3:1 yaml/tab [\t] a tab in the indentation -> use spaces"),
        ("a:\n  -\t b: 1\n", "2:4 yaml/tab [\t] a tab in the indentation -> use spaces"),
        ("a: 1\n---\nb: 1\n", "2:1 yaml/second-document [---] a second document begins here, which other readers skip -> move it to a file of its own"),
        ("a: 1\n...\nb: 1\n", "3:1 yaml/second-document [b: 1] text after the end of the document -> move it to a file of its own"),
        ("a: *x\n", "1:4 yaml/alias [*x] '*x' is an alias: a spec says everything where it stands -> write the value out; a text that begins with '*' wants quotes"),
        ("a: &x 1\n", "1:4 yaml/alias [&x] '&x' is an anchor: a spec says everything where it stands -> remove it; a text that begins with '&' wants quotes"),
        ("<<: {a: 1}\n", "1:1 yaml/alias [<<] '<<' is a merge key: a spec says everything where it stands -> write the keys out"),
        ("a: !!str 1\n", "1:4 yaml/bad-value [!!str] the tag '!!str' changes what the value means -> remove it; a text that begins with '!' wants quotes"),
        ("a: -.inf\n", "1:4 yaml/bad-value [-.inf] '-.inf' is no finite number -> leave it out, or quote it if it is a text"),
        ("a: 1e999\n", "1:4 yaml/bad-value [1e999] '1e999' is no finite number -> leave it out, or quote it if it is a text"),
        ("1: a\n", "1:1 yaml/wrong-type [1] the key '1' is no text -> quote it: \"1\""),
        ("? [a]\n: b\n", "1:3 yaml/wrong-type [[] a key is plain text -> write it without brackets"),
        ("- a\n", "1:1 yaml/wrong-type [-] a spec is a mapping of keys to values -> begin with apiVersion, kind and name"),
        ("# nothing\n", "1:1 yaml/missing-key [#] this file is empty -> begin with apiVersion, kind and name"),
        ("é😀: [ü, *x]\n", "1:9 yaml/alias [*x] '*x' is an alias: a spec says everything where it stands -> write the value out; a text that begins with '*' wants quotes"),
        ("a: x\x00\n", "1:5 yaml/encoding [\x00] the character U+0000 is not allowed -> remove it"),
        ("a: ü\x85\n", "1:5 yaml/encoding [\x85] the character U+0085 is not allowed -> remove it"),
        ('a: "\\0"\n', '1:4 yaml/encoding ["\\0"] an escape gives a character that is not allowed -> remove it'),
    ],
)  # fmt: skip
def test_a_mistake_is_said_in_the_authors_terms(text: str, wanted: str) -> None:
    assert read_says(text) == [wanted]


def test_reading_goes_on_behind_a_mistake() -> None:
    text = 'a: %x\nb: "\\d\\w"\nc: x: y\nd: {{ z }} y\nb: 1\n'
    assert [line.split("] ")[0] for line in read_says(text)] == [
        "1:4 yaml/syntax [%x",
        "2:5 yaml/syntax [\\d",
        "2:7 yaml/syntax [\\w",
        "3:4 yaml/syntax [x: y",
        "4:4 yaml/syntax [{{ z }} y",
        "5:1 yaml/duplicate-key [b",
    ]


def test_every_byte_that_is_no_utf_8_is_named() -> None:
    found = read("a.yaml", b"a: \xff\nb: \xc3\xa9\xfe\n")[1]
    assert [(one.span, one.message) for one in found] == [
        (Span("a.yaml", 1, 4, 1, 5), "byte 0xff is not UTF-8"),
        (Span("a.yaml", 2, 5, 2, 6), "byte 0xfe is not UTF-8"),
    ]


def test_utf_16_is_named() -> None:
    assert [one.message for one in read("a.yaml", "a: 1".encode("utf-16"))[1]] == [
        "this file is UTF-16"
    ]


def test_a_byte_order_mark_and_foreign_line_ends_do_no_harm() -> None:
    node, problems = read("a.yaml", b"\xef\xbb\xbfa: 1\r\nb: |\r\n  x\r\n  y\r\nc: 2\r\n")
    assert problems == []
    assert node is not None
    assert node.plain() == {"a": 1, "b": "x\ny\n", "c": 2}
    assert node.key_span("c") == Span("a.yaml", 5, 1, 5, 2)


def test_a_file_that_is_too_large() -> None:
    assert [one.code for one in read("a.yaml", b"#" * (MAX_BYTES + 1))[1]] == ["yaml/too-large"]
    assert [one.code for one in read("a.yaml", b"#" * MAX_BYTES)[1]] == ["yaml/missing-key"]


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_a_file_that_is_too_deep(opening: str) -> None:
    text = "a:\n " + opening * 70
    assert [one.code for one in read("a.yaml", text.encode())[1]] == ["yaml/too-deep"]


_PARTS = [
    b": ", b":", b"- ", b"\n", b"\n  ", b"\t", b"{{", b"}}", b"[", b"]", b"'", b'"', b"|", b">",
    b"&a ", b"*a", b"!x ", b"<<: ", b"\n---\n", b"\n...", b"%", b"@", b"`", b"\\", b"\x00", b"\xff",
    "é".encode(), "😀".encode(), "\x85".encode(), b"#", b"? ", b",", b"1", b"~", b".inf", b"\r", b"0x",
    b"a", b"b c",
]  # fmt: skip


def _broken(data: bytes) -> list[str]:
    """Promises that reading breaks: something usable or a reason, at a place that exists, and never an exception."""
    node, problems = read("a.yaml", data)
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    broken = [] if node is not None or problems else ["neither a document nor a reason"]
    for one in problems:
        span = one.span
        if not (span.line, span.column) < (span.end_line, span.end_column):
            broken.append(f"{one.code}: an empty place")
        if not 1 <= span.column <= len(lines[span.line - 1]) + 1:
            broken.append(f"{one.code}: a place outside of its line")
        if not (one.message and one.hint):
            broken.append(f"{one.code}: no words")
    return broken


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes(data: bytes) -> None:
    assert _broken(data) == []


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(_PARTS), max_size=25))
def test_any_broken_yaml(parts: list[bytes]) -> None:
    assert _broken(b"".join(parts)) == []
