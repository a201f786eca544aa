"""Requests to the HTTP API that Prometheus, Thanos and Mimir have in common."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpuobs.diagnostics import EnvironmentProblem

_MOST_BYTES = 64 * 2**20
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
            raise Refused(str(said or "no answer of the Prometheus API"))
        return answer.get("data")

    def query(self, expression: str) -> list[tuple[dict[str, str], float]]:
        """An instant query's vector, as label sets and values."""
        wait = f"{max(1.0, min(60.0, self.seconds_left)):.0f}s"
        data = self.get("/api/v1/query", {"query": expression, "timeout": wait})
        try:
            return [(dict(each["metric"]), float(each["value"][1])) for each in data["result"]]
        except (KeyError, TypeError, ValueError, IndexError):
            raise Refused("no vector in the answer to a query") from None

    def json(self, path: str, parameters: Mapping[str, str]) -> Any:
        """A whole response, for endpoints that do not wrap it. Raises as `get` does, and TimeoutError."""
        from urllib.error import HTTPError, URLError
        from urllib.parse import urlencode
        from urllib.request import Request, urlopen

        if self.seconds_left <= 0:
            raise TimeoutError
        query = f"?{urlencode(parameters)}" if parameters else ""
        request = Request(f"{self.url}{path}{query}", headers=dict(self.headers))
        try:
            with urlopen(request, timeout=self.seconds_left) as response:
                body = response.read(_MOST_BYTES + 1)
        except HTTPError as problem:
            with problem:
                return _refusal(problem.code, problem.read(_MOST_BYTES), self.url)
        except TimeoutError:
            raise
        except (URLError, OSError, ValueError) as problem:
            reason = getattr(problem, "reason", problem)
            if isinstance(reason, TimeoutError):
                raise TimeoutError from None
            raise EnvironmentProblem(f"cannot ask {self.url}: {reason}") from None
        if len(body) > _MOST_BYTES:
            raise Refused(f"an answer of more than {_MOST_BYTES:,} bytes")
        return _parsed(body)


def _refusal(status: int, body: bytes, url: str) -> Any:
    """What an answer with an error's status says, as the API says it."""
    if status in (401, 403):
        message = f"{url} answers {status}: it wants a token (--token-file) or a tenant (--tenant)"
        raise EnvironmentProblem(message)
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if isinstance(answer, dict) and answer.get("status") == "error":
        return answer
    raise Refused(f"status {status}")


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise Refused("an answer that is not JSON") from None


def client(url: str, *, token_file: Path | None, tenant: str, seconds: float) -> Client:
    """A client for an address as it is given on the command line."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        message = f"'{url}' is no address of a server, such as http://prometheus:9090"
        raise EnvironmentProblem(message)
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
