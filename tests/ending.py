"""Work that has to end: what hangs is broken off. How fast it is, the benchmarks say."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 60


@contextmanager
def ends() -> Iterator[None]:
    """Fails what takes a minute, many times what it takes on a busy machine."""

    def broken_off(signum: int, frame: FrameType | None) -> None:
        raise AssertionError(f"does not end within {SECONDS} s")

    before = signal.signal(signal.SIGALRM, broken_off)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
