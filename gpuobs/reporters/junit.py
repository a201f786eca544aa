"""JUnit XML, which most CI systems show as a list of tests: one test a finding, or one that passed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpuobs.diagnostics import Diagnostic
from gpuobs.reporters import counted

# XML 1.0 has no way to write these.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(diagnostics: Sequence[Diagnostic]) -> str:
    from xml.etree import ElementTree as ET

    suites = ET.Element("testsuites")
    tests = str(max(len(diagnostics), 1))
    failures = str(counted(diagnostics)["errors"])
    suite = ET.SubElement(suites, "testsuite", name="gpuobs", tests=tests, failures=failures)
    for entry in diagnostics:
        span = entry.span
        name = f"{entry.code} {span.file}:{span.line}:{span.column}"
        case = ET.SubElement(suite, "testcase", classname=_text(span.file), name=_text(name))
        kind = "failure" if entry.severity == "error" else "system-out"
        problem = ET.SubElement(case, kind)
        if kind == "failure":
            problem.set("message", _text(entry.message))
            problem.set("type", entry.code)
        problem.text = _text(
            f"{entry.message}\nhint: {entry.hint}" if entry.hint else entry.message
        )
    if not diagnostics:
        ET.SubElement(suite, "testcase", classname="gpuobs", name="no findings")
    ET.indent(suites)
    body = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}'


def _text(text: str) -> str:
    return _FORBIDDEN.sub("?", text)
