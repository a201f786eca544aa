"""What promtool prints where unit tests fail, as data.

promtool names an assertion by its expression and time only, and many cases ask the same at the same time. So a file that
fails is run once more as a copy in which every expression ends in a comment with its own number.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuobs.spec.node import Node
from gpuobs.targets import _yaml

# 2.42, 2.53 and 3.5 print alike; from 2.49 on the test's name stands above an alert's failure.
_HEAD = re.compile(
    r'^ {4}(?:name: (?P<name>.*),\n {4})?(?:expr: (?P<expr>"(?:[^"\\]|\\.)*")|alertname: (?P<alert>.*?)),'
    r" time: (?P<time>[0-9a-z.]+),",
    re.MULTILINE,
)
_COMPARED = re.compile(r"\s*exp: ?(?P<expected>.*?),?\s*got: ?(?P<got>.*)", re.DOTALL)
_TAG = re.compile(r" # (?P<case>[0-9]+)\.(?P<assertion>[0-9]+)\Z")
_ALERT = re.compile(r"[0-9]+:\s+Labels:(?P<labels>\{.*\})\s+Annotations:(?P<annotations>\{.*\})")
_SAMPLE = re.compile(r'(?P<labels>\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\}) (?P<value>[^\s,{]+)')


@dataclass(frozen=True, slots=True)
class Failure:
    """One assertion that does not hold. `case` and `assertion` count from 0, and are None where nothing tells them."""

    subject: str  # the expression, or the alert's name
    is_alert: bool
    time: str
    expected: str
    got: str
    problem: str = ""  # why the expression cannot be evaluated
    case: int | None = None
    assertion: int | None = None


def parse(output: str) -> tuple[Failure, ...]:
    """The failures that promtool lists; none where it could not run the file at all."""
    heads = list(_HEAD.finditer(output))
    ends = (*(head.start() for head in heads), len(output))[1:]
    return tuple(
        _failure(head, output[head.end() : end]) for head, end in zip(heads, ends, strict=True)
    )


def _failure(head: re.Match[str], body: str) -> Failure:
    # Go quotes like Python does.
    subject = head["alert"] if head["expr"] is None else str(ast.literal_eval(head["expr"]))
    case = int(head["name"]) if (head["name"] or "").isdecimal() else None
    tag = _TAG.search(subject)
    compared = _COMPARED.match(body)
    return Failure(
        subject=subject[: tag.start()] if tag else subject,
        is_alert=head["expr"] is None,
        time=head["time"],
        expected=compared["expected"].strip() if compared else "",
        got=compared["got"].strip() if compared else "",
        problem="" if compared else body.strip().removeprefix("err: "),
        case=int(tag["case"]) if tag else case,
        assertion=int(tag["assertion"]) if tag else None,
    )


def copies(node: Node, folder: Path, named: bool) -> Iterator[tuple[int, bytes]]:
    """A test file with its assertions numbered, and the number of the first case in it.

    `folder` is what the file's paths are relative to. An alert's failure can be told apart only by the case's name.
    Where promtool knows none (not `named`), each case becomes a file.
    """
    data = node.plain()
    data["rule_files"] = [str((folder / name).absolute()) for name in data.get("rule_files") or []]
    cases = data.get("tests") or []
    for number, case in enumerate(cases):
        case.pop("name", None)
        if named:
            case["name"] = str(number)
        for index, assertion in enumerate(case.get("promql_expr_test") or []):
            assertion["expr"] = f"{assertion['expr']} # {number}.{index}"
    if named or not any(case.get("alert_rule_test") for case in cases):
        yield 0, _yaml.document(data)
        return
    for number, case in enumerate(cases):
        yield number, _yaml.document({**data, "tests": [case]})


@dataclass(frozen=True, slots=True)
class Placed:
    """A failure with its case, the case's number, and the assertion in the original file."""

    failure: Failure
    number: int
    case: Node
    assertion: Node | None


def placed(failures: tuple[Failure, ...], node: Node, first: int) -> Iterator[Placed]:
    """Each failure of a copy, whose first case has the number `first`, where it stands in the original."""
    for failure in failures:
        number = first if failure.case is None else failure.case
        case = node.get("tests", number)
        if case is None:
            continue
        assertion = (
            _alert_test(failure, case)
            if failure.assertion is None
            else case.get("promql_expr_test", failure.assertion)
        )
        yield Placed(failure, number, case, assertion)


def _alert_test(failure: Failure, case: Node) -> Node | None:
    tests = case.get("alert_rule_test")
    for test in tests.value if tests is not None and isinstance(tests.value, list) else []:
        asked = test.plain()
        if asked.get("alertname") == failure.subject and _same_time(asked, failure):
            found: Node = test
            return found
    return None


def _same_time(asked: dict[str, Any], failure: Failure) -> bool:
    """Whether an assertion is for the failure's time, which promtool prints as it likes: `60s` as `1m`."""
    from gpuobs.spec.scalars import Duration

    return Duration(str(asked.get("eval_time", "0s"))).seconds == Duration(failure.time).seconds


def samples(text: str) -> dict[str, float] | None:
    """Labels to value of the samples that promtool lists; None where they are no plain numbers."""
    if text in ("nil", "", "[]"):
        return {}
    found = {match["labels"]: match["value"] for match in _SAMPLE.finditer(text)}
    if not found or _SAMPLE.sub("", text).strip(" ,\n"):
        return None
    try:
        return {labels: float(value) for labels, value in found.items()}
    except ValueError:
        return None


def alerts(text: str) -> str | None:
    """The alerts that promtool lists, on one line; None where it lists something else."""
    listed = [
        f"{match['labels']} with annotations {match['annotations']}"
        for match in _ALERT.finditer(text)
    ]
    return ", ".join(listed) or None
