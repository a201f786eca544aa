"""`python -m tests.judgement [FOLDER]`: which real mistakes are caught, and findings per 100 rules of the files in a folder."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from gpuobs.foreign import world
from tests.judgement.runner import cases, corpus, judged


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        verdicts = [judged(case, Path(scratch)) for case in cases()]
    for verdict in verdicts:
        print(
            f"{'caught' if verdict.right else 'MISSED':<7} {verdict.case.name:<10} {verdict.case.what}"
        )
        for finding in () if verdict.right else verdict.findings:
            print(
                f"        {finding.span.line}:{finding.span.column} {finding.code} {finding.message}"
            )
    right = sum(verdict.right for verdict in verdicts)
    print(f"\n{right} of {len(verdicts)} as expected")
    for folder in sys.argv[1:]:
        _corpus(Path(folder))


def _corpus(folder: Path) -> None:
    rules, findings = corpus(sorted(folder.rglob("*.y*ml")), world.built_in())
    print(f"\n{folder}: {rules} rules, {100 * len(findings) / max(1, rules):.1f} findings per 100")
    for code, count in Counter(finding.code for finding in findings).most_common():
        print(f"{count:>5}  {code}")
    for finding in findings:
        place = f"{Path(finding.span.file).name}:{finding.span.line}"
        print(f"  {place} {finding.severity} {finding.code}: {finding.message}")


if __name__ == "__main__":
    main()
