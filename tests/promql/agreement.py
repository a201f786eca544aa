"""Our verdicts against promtool's on expressions without end: `python -m tests.promql.agreement --count 10000 --seed 1`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import click

from gpuobs import promql
from gpuobs.promql.lexer import scan, tokens
from gpuobs.verify.promtool import Promtool, fetch
from tests.promql import corpus, garbage, listed
from tests.promql.expressions import expressions
from tests.promql.judge import complaints
from tests.promql.listed import Case
from tests.promql.tables import VERSIONS, Version


@dataclass(slots=True)
class Report:
    """What came of comparing at one version; `places` says where we point, measured by where promtool points."""

    total: int = 0
    refused: int = 0
    listed: Counter[str] = field(default_factory=Counter)
    unlisted: list[Case] = field(default_factory=list)
    places: Counter[str] = field(default_factory=Counter)


def cases(promtool: Promtool, texts: Sequence[str]) -> Iterator[Case]:
    complained = complaints(promtool, texts)
    version = promtool.number
    for index, text in enumerate(texts):
        yield Case(text, version, promql.parse(text, version), complained.get(index))


def compare(promtool: Promtool, texts: Sequence[str]) -> Report:
    report = Report()
    for case in cases(promtool, texts):
        report.total += 1
        report.refused += case.complaint is not None
        place = _place(case)
        if place:
            report.places[place] += 1
        if case.agrees:
            continue
        why = listed.reason(case)
        if why:
            report.listed[why] += 1
        else:
            report.unlisted.append(case)
    return report


def differences(promtool: Promtool, texts: Sequence[str]) -> list[str]:
    """What is not listed, made minimal, in words."""
    return [explained(case) for case in smallest(promtool, compare(promtool, texts).unlisted)]


def smallest(promtool: Promtool, found: list[Case]) -> list[Case]:
    """The same differences with every token removed that they do not need."""
    done: list[Case] = []
    while found:
        shorter = [list(_shorter(case.text)) for case in found]
        judged = cases(promtool, [text for texts in shorter for text in texts])
        smaller: list[Case] = []
        for case, texts in zip(found, shorter, strict=True):
            candidates = [next(judged) for _ in texts]
            better = next((other for other in candidates if _same(case, other)), None)
            (done if better is None else smaller).append(better or case)
        found = smaller
    return done


def _shorter(text: str) -> Iterator[str]:
    """The text without some tokens in a row, the most first; of a short one, without a character."""
    parts = [token.text for token in scan(text)]
    for length in (16, 8, 4, 3, 2, 1):
        for start in range(len(parts) - length + 1):
            yield "".join(parts[:start] + parts[start + length :])
    if len(parts) < 6:
        yield from (text[:place] + text[place + 1 :] for place in range(len(text)))


def _same(case: Case, other: Case) -> bool:
    return not other.agrees and other.taken == case.taken and not listed.reason(other)


def explained(case: Case) -> str:
    ours = case.ours.message if isinstance(case.ours, promql.Refused) else "fine"
    theirs = case.complaint.message if case.complaint else "fine"
    return f"{case.text!r} at {case.version}: ours '{ours}', promtool '{theirs}'"


def _place(case: Case) -> str:
    if not isinstance(case.ours, promql.Refused) or not case.complaint:
        return ""
    theirs = case.complaint.offset
    if theirs is None:
        return "promtool gives no place"
    if case.ours.start <= theirs <= case.ours.end:
        return "the same token"
    ends = [token.end for token in tokens(case.text)]
    apart = sum(end <= case.ours.start for end in ends) - sum(end <= theirs for end in ends)
    if abs(apart) > 1:
        return "further left" if apart < 0 else "further right"
    return "the next token" if apart else "the same token"


@click.command()
@click.option("--count", default=10_000, help="how many expressions are generated")
@click.option("--seed", default=1)
@click.option("--garbage", "texts", default=1000, help="how many texts that are no PromQL are read")
@click.option("--shown", default=40, help="how many differences are shown for each version")
def main(count: int, seed: int, texts: int, shown: int) -> None:
    """Compares generated and written expressions, and prints each difference that is not listed."""
    written = [*corpus.own(), *corpus.others(), *expressions(seed, count)]
    distinct = list(dict.fromkeys(written))
    failed = False
    for version in VERSIONS:
        promtool = fetch(".".join(map(str, version)))
        report = compare(promtool, distinct)
        failed = failed or bool(report.unlisted)
        _print(version, report)
        for case in smallest(promtool, report.unlisted[:shown]):
            click.echo(f"  {explained(case)}")
    for text, version, problem in garbage.worst(seed, texts):
        failed = True
        click.echo(f"{text[:200]!r} at {version}: the reader {problem}")
    raise SystemExit(failed)


def _print(version: Version, report: Report) -> None:
    agreeing = report.total - len(report.unlisted) - report.listed.total()
    click.echo(
        f"{version[0]}.{version[1]}: {report.total} expressions, of which promtool refuses {report.refused}; "
        f"{agreeing} agree, {report.listed.total()} differ as listed, {len(report.unlisted)} otherwise"
    )
    for why, times in report.listed.most_common():
        click.echo(f"{times:8}  {why}")
    for place, times in report.places.most_common():
        click.echo(f"{times / report.places.total():8.1%}  of what both refuse: {place}")


if __name__ == "__main__":
    main()
