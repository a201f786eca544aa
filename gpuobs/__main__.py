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
            import gc

            from gpuobs.cli import run

            gc.disable()  # a run is short and makes trees, not cycles: collecting costs a sixth of it
            sys.exit(run(sys.argv[1:], asked))
        sys.stderr.write(answer)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
