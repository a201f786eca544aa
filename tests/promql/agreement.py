"""Our verdicts against promtool's on expressions without end: `python -m tests.promql.agreement --count 10000 --seed 1`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import click

from gpuobs import promql
from gpuobs.promql.lexer import scan
from gpuobs.verify.promtool import Promtool, fetch
from tests.promql import listed
from tests.promql.expressions import expressions
from tests.promql.judge import complaints
from tests.promql.listed import Case, Version
from tests.promql.tables import VERSIONS


@dataclass(slots=True)
class Report:
    """What came of comparing at one version."""

    total: int = 0
    refused: int = 0
    listed: Counter[str] = field(default_factory=Counter)
    unlisted: list[Case] = field(default_factory=list)
    placed: list[tuple[Case, bool]] = field(default_factory=list)


def cases(promtool: Promtool, texts: Sequence[str]) -> Iterator[Case]:
    complained = complaints(promtool, texts)
    for index, text in enumerate(texts):
        yield Case(
            text, promtool.number, promql.parse(text, promtool.number), complained.get(index)
        )


def compare(promtool: Promtool, texts: Sequence[str]) -> Report:
    report = Report()
    for case in cases(promtool, texts):
        report.total += 1
        report.refused += case.complaint is not None
        if case.agrees:
            continue
        why = listed.reason(case)
        if why:
            report.listed[why] += 1
        else:
            report.unlisted.append(case)
    return report


def smallest(promtool: Promtool, found: list[Case]) -> list[Case]:
    """The same disagreements with every token removed that they do not need."""
    done: list[Case] = []
    while found:
        shorter = [list(_shorter(case.text)) for case in found]
        judged = iter(cases(promtool, [text for texts in shorter for text in texts]))
        smaller: list[Case] = []
        for case, texts in zip(found, shorter, strict=True):
            candidates = [next(judged) for _ in texts]
            better = next((other for other in candidates if _same(case, other)), None)
            (done if better is None else smaller).append(better or case)
        found = smaller
    return done


def _shorter(text: str) -> Iterator[str]:
    """The text without some tokens in a row, the most first."""
    parts = [token.text for token in scan(text)]
    for length in (16, 8, 4, 3, 2, 1):
        for start in range(len(parts) - length + 1):
            yield "".join(parts[:start] + parts[start + length :])
    if len(parts) < 6:
        yield from (text[:place] + text[place + 1 :] for place in range(len(text)))


def _same(case: Case, other: Case) -> bool:
    return not other.agrees and other.taken == case.taken and not listed.reason(other)


@click.command()
@click.option("--count", default=10_000)
@click.option("--seed", default=1)
@click.option(
    "--shown", default=40, help="how many disagreements are made minimal and shown for each version"
)
def main(count: int, seed: int, shown: int) -> None:
    """Compares on generated expressions, and prints each disagreement that is not listed."""
    texts = list(dict.fromkeys(expressions(seed, count)))
    failed = False
    for version in VERSIONS:
        promtool = fetch(".".join(map(str, version)))
        report = compare(promtool, texts)
        failed = failed or bool(report.unlisted)
        _print(version, report)
        for case in smallest(promtool, report.unlisted[:shown]):
            _explain(case)
    raise SystemExit(failed)


def _print(version: Version, report: Report) -> None:
    click.echo(
        f"{version[0]}.{version[1]}: {report.total} expressions, promtool refuses {report.refused}; "
        f"listed differences {sum(report.listed.values())}, unlisted {len(report.unlisted)}"
    )
    for why, times in report.listed.most_common():
        click.echo(f"  {times:5}  {why}")


def _explain(case: Case) -> None:
    ours = case.ours.message if isinstance(case.ours, promql.Refused) else "fine"
    theirs = case.complaint.message if case.complaint else "fine"
    click.echo(f"  {case.text!r}\n      ours: {ours}\n      promtool: {theirs}")


if __name__ == "__main__":
    main()
