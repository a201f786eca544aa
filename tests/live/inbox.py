"""Who is notified, and where samples are sent: a server on loopback that keeps what is posted to it, by path."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Inbox:
    """What arrived, in order. A path in `blocked` is answered with 503, which asks to try again."""

    url: str = ""
    posts: list[tuple[float, str, bytes]] = field(default_factory=list)
    blocked: set[str] = field(default_factory=set)

    def at(self, path: str) -> list[Any]:
        """The JSON that was posted to a path."""
        return [json.loads(body) for _, posted, body in self.posts if posted == path]

    def alerts(self) -> list[tuple[str, dict[str, Any]]]:
        """Receiver and alert of every notification that Alertmanager's webhook sent, the same alert each time it was in one."""
        return [
            (path.strip("/"), alert)
            for _, path, body in self.posts
            if body.startswith(b"{") and "alerts" in (message := json.loads(body))
            for alert in message["alerts"]
        ]


@contextmanager
def inbox() -> Iterator[Inbox]:
    found = Inbox()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            blocked = self.path in found.blocked
            if not blocked:
                found.posts.append((time.time(), self.path, body))
            self.send_response(503 if blocked else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
