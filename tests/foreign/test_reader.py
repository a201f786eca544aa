"""YAML of others: what is read of it, and what is refused."""

from __future__ import annotations

from gpuobs.foreign.reader import MAX_VALUES, read_stream
from gpuobs.spec.document import decode, place
from tests.ending import ends
from tests.foreign.reading import stream, stream_says


def test_every_document_that_is_not_empty_is_read() -> None:
    assert stream("a: b\n---\n# nothing\n---\n- c\n") == [{"a": "b"}, ["c"]]


def test_scalars_are_the_text_that_was_written() -> None:
    text = "{a: No, b: 1.0, c: 0x1F, d: 2026-01-01, e: ~, f: null, g: , h: 'x', i: true}"
    assert stream(text) == [
        {
            "a": "No",
            "b": "1.0",
            "c": "0x1F",
            "d": "2026-01-01",
            "e": None,
            "f": None,
            "g": None,
            "h": "x",
            "i": "true",
        }
    ]


def test_aliases_are_written_out() -> None:
    assert stream("a: &x {b: c}\nd: [*x, *x]\n") == [{"a": {"b": "c"}, "d": [{"b": "c"}] * 2}]


def test_an_anchor_is_known_in_its_own_document_only() -> None:
    assert stream_says("a: &x 1\n---\nb: *x\n") == [
        "3:4 yaml/alias [*x] '*x' names no anchor above it"
        " -> write the value out; a text that begins with '*' wants quotes"
    ]


def test_an_alias_within_its_own_anchor_names_nothing() -> None:
    (found,) = stream_says("a: &x [*x]\n")
    assert found.startswith("1:8 yaml/alias [*x]")


def test_a_merge_gives_what_the_mapping_does_not_have_itself() -> None:
    text = "a: &x {b: 1, c: 1}\ny: &y {c: 2, d: 2}\nz: {<<: [*x, *y], b: 3}\n"
    (document,) = stream(text)
    assert isinstance(document, dict)
    assert document["z"] == {"b": "3", "c": "1", "d": "2"}


def test_a_merged_key_stands_where_it_was_written() -> None:
    source, _ = decode("a.yaml", b"a: &x {b: 1}\nz: {<<: *x}\n")
    assert source is not None
    (document,), _ = read_stream(source)
    node = document.root.get("z")
    assert node is not None
    assert (node.key_span("b").line, node.key_span("b").column) == (1, 8)


def test_places_in_a_text_behind_an_anchor_and_a_tag_are_exact() -> None:
    source, _ = decode("a.yaml", b"a: &x !!str up == 0\n")
    assert source is not None
    (document,), _ = read_stream(source)
    node = document.root.get("a")
    assert node is not None
    assert (place(node, 0, 2).column, place(node, 3, 5).column) == (13, 16)


def test_json_is_read_with_tabs_and_escapes() -> None:
    assert stream('{\n\t"a": "b\\/c\\n",\n\t"d": [1, null, true]\n}\n') == [
        {"a": "b/c\n", "d": ["1", None, "true"]}
    ]


def test_aliases_of_aliases_end() -> None:
    links = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    links += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    with ends():
        (found,) = stream_says("\n".join(links))
    assert "yaml/too-large" in found


def test_long_texts_count_as_often_as_they_are_repeated() -> None:
    text = "a: &a " + "x" * 100_000 + "\nb: [" + "*a, " * 1000 + "]\n"
    (found,) = stream_says(text)
    assert "yaml/too-large" in found


def test_merges_of_merges_end() -> None:
    many = ", ".join(f"k{n}: {n}" for n in range(1000))
    text = f"a: &a {{{many}}}\nb:\n" + "  - {<<: *a}\n" * 1000
    (found,) = stream_says(text)
    assert "yaml/too-large" in found


def test_aliases_that_nest_are_no_deeper_than_what_is_written_out() -> None:
    links = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 100)]
    (found,) = stream_says("\n".join(links))
    assert "yaml/too-deep" in found


def test_a_file_of_too_many_values_is_refused() -> None:
    (found,) = stream_says("- a\n" * (MAX_VALUES + 1))
    assert "yaml/too-large" in found
