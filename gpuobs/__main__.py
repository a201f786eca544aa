"""`gpuobs` and `python -m gpuobs`."""

from __future__ import annotations

import sys


def main() -> None:
    """The command line: answered from the cache where nothing changed, without loading what a run needs."""
    from gpuobs import cache

    answer = cache.answer(sys.argv[1:])
    if answer is not None:
        sys.stdout.write(answer.stdout)
        sys.stderr.write(answer.stderr)
        sys.exit(0)
    from gpuobs.cli import run

    run()


if __name__ == "__main__":
    main()
