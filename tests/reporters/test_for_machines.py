"""The reports that other tools read."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

from gpuobs import __version__, checks
from gpuobs.diagnostics import Diagnostic, Related, Span, error, warning
from gpuobs.reporters import FORMATS, render

PLACE = Span("specs/a b.yaml", 3, 5, 3, 9)
OTHER = Span("specs/b.yaml", 1, 2, 1, 3)
FINDINGS = (
    error(PLACE, "alert/no-runbook", "no 'x': 100%, <a>\x01", "do y", (Related(OTHER, "first"),)),
    warning(Span("/tmp/c.yaml", 1, 1, 2, 1), "made/up", "a\nb"),
)


def rendered(name: str, findings: tuple[Diagnostic, ...] = FINDINGS) -> str:
    return render(name, findings, lambda _file, _number: "")


def test_json() -> None:
    assert json.loads(rendered("json")) == {
        "diagnostics": [
            {
                "file": "specs/a b.yaml",
                "line": 3,
                "column": 5,
                "endLine": 3,
                "endColumn": 9,
                "code": "alert/no-runbook",
                "severity": "error",
                "message": "no 'x': 100%, <a>\x01",
                "hint": "do y",
                "related": [
                    {
                        "file": "specs/b.yaml",
                        "line": 1,
                        "column": 2,
                        "endLine": 1,
                        "endColumn": 3,
                        "message": "first",
                    }
                ],
            },
            {
                "file": "/tmp/c.yaml",
                "line": 1,
                "column": 1,
                "endLine": 2,
                "endColumn": 1,
                "code": "made/up",
                "severity": "warning",
                "message": "a\nb",
                "hint": "",
                "related": [],
            },
        ],
        "summary": {"errors": 1, "warnings": 1},
    }


def test_github() -> None:
    assert rendered("github") == (
        "::error file=specs/a b.yaml,line=3,col=5,endLine=3,endColumn=9,title=alert/no-runbook"
        "::no 'x': 100%25, <a>\x01%0Ahint: do y\n"
        "::warning file=/tmp/c.yaml,line=1,col=1,endLine=2,title=made/up::a%0Ab"
    )
    odd = error(Span("a,b:c", 1, 1, 1, 2), "a/b", "::stop\r\n")
    assert rendered("github", (odd,)) == (
        "::error file=a%2Cb%3Ac,line=1,col=1,endLine=1,endColumn=2,title=a/b::::stop%0D%0A"
    )


def test_sarif() -> None:
    page = (checks.module("alert/no-runbook").__doc__ or "").strip()
    data = json.loads(rendered("sarif"))
    assert data == {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "gpuobs",
                        "version": __version__,
                        "rules": [
                            {
                                "id": "alert/no-runbook",
                                "shortDescription": {"text": page.split("\n")[0]},
                                "help": {"text": page, "markdown": page},
                            },
                            {"id": "made/up"},
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [
                    {
                        "ruleId": "alert/no-runbook",
                        "ruleIndex": 0,
                        "level": "error",
                        "message": {"text": "no 'x': 100%, <a>\x01\nhint: do y"},
                        "locations": [_located("specs/a%20b.yaml", 3, 5, 3, 9)],
                        "relatedLocations": [
                            {**_located("specs/b.yaml", 1, 2, 1, 3), "message": {"text": "first"}}
                        ],
                    },
                    {
                        "ruleId": "made/up",
                        "ruleIndex": 1,
                        "level": "warning",
                        "message": {"text": "a\nb"},
                        "locations": [_located("file:///tmp/c.yaml", 1, 1, 2, 1)],
                    },
                ],
            }
        ],
    }


def _located(uri: str, line: int, column: int, end_line: int, end_column: int) -> dict[str, object]:
    artifact = {"uri": uri} if ":" in uri else {"uri": uri, "uriBaseId": "%SRCROOT%"}
    region = {
        "startLine": line,
        "startColumn": column,
        "endLine": end_line,
        "endColumn": end_column,
    }
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def test_junit() -> None:
    suites = ET.fromstring(rendered("junit"))
    suite = suites[0]
    assert suite.attrib == {"name": "gpuobs", "tests": "2", "failures": "1"}
    assert [(case.get("name"), case[0].tag, case[0].text) for case in suite] == [
        (
            "alert/no-runbook specs/a b.yaml:3:5",
            "failure",
            "no 'x': 100%, <a>?\nhint: do y",
        ),
        ("made/up /tmp/c.yaml:1:1", "system-out", "a\nb"),
    ]


def test_of_no_findings_there_is_a_valid_report_in_every_format() -> None:
    empty = {name: rendered(name, ()) for name in FORMATS}
    assert (empty["text"], empty["github"]) == ("", "")
    assert json.loads(empty["json"]) == {
        "diagnostics": [],
        "summary": {"errors": 0, "warnings": 0},
    }
    assert json.loads(empty["sarif"])["runs"][0]["results"] == []
    assert ET.fromstring(empty["junit"])[0][0].attrib == {
        "classname": "gpuobs",
        "name": "no findings",
    }
