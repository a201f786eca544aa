"""An audit of what is no Prometheus, or a broken one: one clear line, in time, and nothing that steers the terminal."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from gpuobs.cli import run

Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def answering(answer: Answer) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A server's address, and the headers of the requests that it got."""
    seen: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(dict(self.headers))
            answer(self)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()


def sent(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def body(text: bytes, status: int = 200, **headers: str) -> Answer:
    return lambda handler: sent(handler, status, text, **headers)


def data(value: Any) -> Answer:
    return body(json.dumps({"status": "success", "data": value}).encode())


def dripping(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        time.sleep(0.2)


SPECS = Path(__file__).parents[1] / "budget" / "fleets" / "one-node" / "specs"


def audited(capsys: pytest.CaptureFixture[str], url: str, *more: str) -> tuple[int, str, str]:
    arguments = ["budget", "audit", "--specs", str(SPECS), "--url", url, "--timeout", "2", *more]
    code = run(arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            body(b"<html>hello</html>"),
            "does not answer as Prometheus does: an answer that is not JSON",
        ),
        (body(b"[" * 100_000), "an answer that is not JSON"),
        (body(b"{}"), "no answer of the Prometheus API"),
        (body(b'{"status": "error", "error": "\\u001b[31mred"}', 422), "\ufffd[31mred"),
        (body(b"oops", 500), "status 500"),
        (body(b"", 401), "answers 401: it wants a token (--token-file) or a tenant (--tenant)"),
        (body(b"", 302, Location="file:///etc/passwd"), "redirects to 'file:///etc/passwd'"),
        (dripping, "took too long: --timeout gives more"),
        (lambda handler: handler.connection.close(), "cannot ask http://127.0.0.1"),
    ],
    ids="html deep empty error oops unauthorized elsewhere dripping hangs-up".split(),
)
def test_what_is_no_prometheus_is_said_in_a_line(
    answer: Answer, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    with answering(answer) as (url, _):
        code, out, err = audited(capsys, url)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert words in err
    assert "\x1b" not in err
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "value",
    [None, 0, "text", [], {}, [1, None, {}], {"result": 1}, {"result": [{}]},
     {"result": [{"metric": {"job": 1}, "value": [0, "NaN"]}]},
     {"headStats": [], "seriesCountByMetricName": {"a": 1}}, ["a", "\x1b[2J", "b" * 10_000]],
)  # fmt: skip
def test_answers_of_any_shape_are_no_reason_to_fail(
    value: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with answering(data(value)) as (url, _):
        code, out, err = audited(capsys, url)
    assert code in (1, 2), err
    assert "Traceback" not in err
    assert "\x1b" not in out + err


def test_a_token_goes_to_the_server_that_was_named_and_to_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    token = tmp_path / "token"
    token.write_text("s3cret\n")
    with (
        answering(data([])) as (other, seen_there),
        answering(body(b"", 307, Location=f"{other}/x")) as (url, seen),
    ):
        code, out, err = audited(capsys, url, "--token-file", str(token))
    assert code == 2
    assert {headers.get("Authorization") for headers in seen} == {"Bearer s3cret"}
    assert seen_there == []
    assert "s3cret" not in out + err


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://x", "'ftp://x' is no address of a server"),
        ("http://", "'http://' is no address of a server"),
        ("http://a:b@localhost", "a password in an address is seen by others: use --token-file"),
        ("http://localhost:1", "cannot ask http://localhost:1"),
        ("http://localhost/?a=b", "leave out what follows '?' or '#'"),
        ("http://[::1", "is no address of a server"),
    ],
)
def test_addresses_that_are_none(url: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = audited(capsys, url)
    assert (code, out) == (2, "")
    assert words in err


@pytest.mark.parametrize("content", [b"", b"two words", b"a\nb", b"\xff", b"a\x00b"])
def test_files_without_a_token(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    token = tmp_path / "token"
    token.write_bytes(content)
    code, _, err = audited(capsys, "http://localhost:1", "--token-file", str(token))
    assert (code, "holds no token" in err) == (2, True)
