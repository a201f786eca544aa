"""A bar on a terminal; nothing where standard error is none, so that logs stay as they are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

Progress = Callable[[int, int], None]
_WIDTH = 30


@contextmanager
def bar(label: str) -> Iterator[Progress]:
    """What to call with how much is done, of how much; the bar goes when the work is over."""
    shown = sys.stderr.isatty()

    def progress(done: int, total: int) -> None:
        if shown:
            full = _WIDTH * done // max(total, 1)
            text = f"\r{label} [{'#' * full}{'-' * (_WIDTH - full)}] {done}/{total}"
            click.echo(text, err=True, nl=False)

    yield progress
    if shown:
        click.echo("\r\x1b[2K", err=True, nl=False)
