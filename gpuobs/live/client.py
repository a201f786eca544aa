"""Requests to the HTTP API that Prometheus, Thanos and Mimir have in common."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from gpuobs.diagnostics import EnvironmentProblem

_MOST_BYTES = 64 * 2**20
_CHUNK = 2**20
_LONGEST_TEXT = 200
_LONGEST_TOKEN = 65_536


class Refused(Exception):
    """The server understood, and did not do it: an endpoint that it lacks, or a query that it would not run."""


@dataclass(frozen=True)
class Client:
    """One server. All requests together take at most until `deadline`, by the monotonic clock."""

    url: str
    deadline: float
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Any:
        """The `data` of a response. `Refused` where the server says no; EnvironmentProblem where it cannot be asked."""
        answer = self.json(path, parameters or {})
        if not isinstance(answer, dict) or answer.get("status") != "success":
            said = answer.get("error") if isinstance(answer, dict) else None
            raise Refused(readable(str(said or "no answer of the Prometheus API")))
        return answer.get("data")

    def query(self, expression: str) -> list[tuple[dict[str, str], float]]:
        """An instant query's vector, as label sets and values."""
        wait = f"{max(1.0, min(60.0, self.seconds_left)):.0f}s"
        data = self.get("/api/v1/query", {"query": expression, "timeout": wait})
        try:
            found = [
                ({str(k): str(v) for k, v in each["metric"].items()}, float(each["value"][1]))
                for each in data["result"]
            ]
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise Refused("no vector in the answer to a query") from None
        if not all(math.isfinite(value) for _, value in found):
            raise Refused("a count that is no number")
        return found

    def json(self, path: str, parameters: Mapping[str, str]) -> Any:
        """A whole response, for endpoints that do not wrap it. Raises as `get` does, and TimeoutError."""
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError
        from urllib.parse import urlencode
        from urllib.request import Request

        if self.seconds_left <= 0:
            raise TimeoutError
        query = f"?{urlencode(parameters)}" if parameters else ""
        request = Request(f"{self.url}{path}{query}", headers=dict(self.headers))
        try:
            with _opener().open(request, timeout=self.seconds_left) as response:
                body = self._read(response)
        except HTTPError as problem:
            with problem:
                return _refusal(problem, self.url)
        except TimeoutError:
            raise
        except (URLError, OSError, ValueError, HTTPException) as problem:
            reason = getattr(problem, "reason", problem)
            if isinstance(reason, TimeoutError):
                raise TimeoutError from None
            raise EnvironmentProblem(f"cannot ask {self.url}: {reason}") from None
        return _parsed(body)

    def _read(self, response: Any) -> bytes:
        """The body, as far as size and time allow: a server may send a byte now and then without an end."""
        parts, size = [], 0
        while part := response.read1(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > _MOST_BYTES:
                raise Refused(f"an answer of more than {_MOST_BYTES:,} bytes")
            if self.seconds_left <= 0:
                raise TimeoutError
        return b"".join(parts)


@cache
def _opener() -> Any:
    """Requests that follow nobody elsewhere: a token is for the server that was named."""
    from urllib.request import HTTPRedirectHandler, build_opener

    class Stay(HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    return build_opener(Stay)


def _refusal(problem: Any, url: str) -> Any:
    """What an answer with an error's status says, as the API says it."""
    if problem.code in (401, 403):
        message = (
            f"{url} answers {problem.code}: it wants a token (--token-file) or a tenant (--tenant)"
        )
        raise EnvironmentProblem(message)
    if 300 <= problem.code < 400:
        place = readable(str(problem.headers.get("Location", "")))
        raise EnvironmentProblem(
            f"{url} is elsewhere: it redirects to '{place}'; give --url that address"
        )
    try:
        answer = json.loads(problem.read(_CHUNK))
    except (ValueError, OSError):
        answer = None
    if isinstance(answer, dict) and answer.get("status") == "error":
        return answer
    raise Refused(f"status {problem.code}")


def readable(text: str) -> str:
    """A server's text without what would steer a terminal, and not longer than a line."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in text[:_LONGEST_TEXT])
    return shown + ("..." if len(text) > _LONGEST_TEXT else "")


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Refused("an answer that is not JSON") from None


def client(url: str, *, token_file: Path | None, tenant: str, seconds: float) -> Client:
    """A client for an address as it is given on the command line."""
    from urllib.parse import urlsplit

    no_address = f"'{readable(url)}' is no address of a server, such as http://prometheus:9090"
    try:
        parts = urlsplit(url)
    except ValueError:
        raise EnvironmentProblem(no_address) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise EnvironmentProblem(no_address)
    if parts.username or parts.password:
        raise EnvironmentProblem("a password in an address is seen by others: use --token-file")
    if parts.query or parts.fragment:
        raise EnvironmentProblem(f"'{url}': leave out what follows '?' or '#'")
    headers = {"Accept": "application/json"}
    if token_file is not None:
        headers["Authorization"] = f"Bearer {_token(token_file)}"
    if tenant:
        headers["X-Scope-OrgID"] = tenant
    return Client(url.rstrip("/"), time.monotonic() + seconds, headers)


def _token(path: Path) -> str:
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST_TOKEN).decode("ascii").strip()
    except OSError as problem:
        raise EnvironmentProblem(f"cannot read {path}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise EnvironmentProblem(f"{path} holds no token: it is not ASCII text") from None
    if not text or any(character.isspace() or not character.isprintable() for character in text):
        raise EnvironmentProblem(f"{path} holds no token: one line without blanks is wanted")
    return text
