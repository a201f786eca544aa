"""Tokens tile the text, each at its own place, and strings give their value."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuobs.promql.lexer import bad_escape, scan, tokens

KINDS = [
    ("sum by (a) (foo)", "word word bracket word bracket bracket word bracket"),
    ("rate(foo[5m:1m])", "word bracket word bracket duration colon duration bracket bracket"),
    ("foo[1h30m : 5s]", "word bracket duration colon duration bracket"),
    ("foo[5m:]", "word bracket duration colon bracket"),
    (":foo:bar + 1", "word operator number"),
    ("0x1F 1e-3 .5 1. 1_000 5m 1h30m", "number number number number number duration duration"),
    ("5min 1x 0x 1e", "error error error error"),
    ('a{b=~"c"}', "word bracket word operator string bracket"),
    ("a{b!~'c',d!=`e`}", "word bracket word operator string comma word operator string bracket"),
    ("foo @ end() offset 5m", "word operator word bracket bracket word duration"),
    ("$x ${x} ${x:csv} [[x]] [[x:csv]]", "variable variable variable variable variable"),
    ("a # comment\n+ b", "word operator word"),
    ("a # comment\r+ b", "word operator word"),
    ("foo[5m :.5]", "word bracket duration colon number bracket"),
    ("foo[5m :# a step\n1m]", "word bracket duration colon duration bracket"),
    ("${" * 3 + "x}", "error bracket error bracket variable"),
    ('"open', "error"),
    ("\u201cfoo\u201d && || ;", "error error error error"),
    ("foo\f", "word error"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "kinds"), KINDS, ids=[text for text, _ in KINDS])
def test_kinds(text: str, kinds: str) -> None:
    assert " ".join(token.kind for token in tokens(text)) == kinds


VALUES = [
    (r'"a\n\t\\\""', 'a\n\t\\"'),
    (r"'it\'s'", "it's"),
    (r"`\d+`", r"\d+"),
    (r'"\x41\u00e9\U0001F600\101"', "A\u00e9\U0001f600A"),
    (r'"\xc3\xa9 \303\251"', "\u00e9 \u00e9"),
    (r'"a\xffb"', "a\ufffdb"),
    ('"\ud800\\n"', "?\n"),
    ('""', ""),
]


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[text for text, _ in VALUES])
def test_string_value(text: str, value: str) -> None:
    assert [token.value for token in tokens(text)] == [value]


UNICODE = [
    (r'"a\x41"', True),
    (r'"\xc3\xa9"', True),
    (r'"\xc3"', False),
    (r'"\377"', False),
    (r"`\xff`", True),
]


@pytest.mark.parametrize(("text", "is_unicode"), UNICODE, ids=[text for text, _ in UNICODE])
def test_string_that_is_no_unicode(text: str, is_unicode: bool) -> None:
    assert [token.is_unicode for token in tokens(text)] == [is_unicode]


ESCAPES = [
    (r'"a\d"', r"\d"),
    (r'"\'"', r"\'"),
    (r'"\777"', r"\777"),
    (r'"\ud800"', r"\ud800"),
    (r'"\x4"', r"\x"),
    (r'"\U00110000"', r"\U00110000"),
]


@pytest.mark.parametrize(("text", "escape"), ESCAPES, ids=[text for text, _ in ESCAPES])
def test_bad_escape(text: str, escape: str) -> None:
    place = bad_escape(scan(text)[0])
    assert place is not None
    assert text[slice(*place)] == escape


@pytest.mark.parametrize("text", [r'"\\d+"', r"`\d+`", r"'\''", r'"\x41\u00e9\101"'])
def test_good_escapes(text: str) -> None:
    assert bad_escape(scan(text)[0]) is None


@settings(deadline=None)
@given(st.text() | st.text("ab:5m{}[]()\"'`\\\n #=~!,+.$@\u201c\u201d"))
def test_tokens_tile_the_text(text: str) -> None:
    found = scan(text)
    assert "".join(token.text for token in found) == text
    assert [text[token.start : token.end] for token in found] == [token.text for token in found]
    assert all(token.text for token in found)
