"""`gpuobs` and `python -m gpuobs`."""

from __future__ import annotations

import sys


def main() -> None:
    """The command line: answered from the cache where nothing changed, without loading what a run needs."""
    try:
        from gpuobs import cache

        asked = cache.question(sys.argv[1:])
        answer = cache.answer(asked) if asked is not None else None
        if answer is None:
            from gpuobs.cli import run

            sys.exit(run(sys.argv[1:], asked))
        sys.stderr.write(answer)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
