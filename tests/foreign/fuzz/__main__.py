"""`python -m tests.foreign.fuzz --count 20000 --seed N`; a case that fails is run by itself with `--only`."""

from __future__ import annotations

import argparse
import resource
import sys

from tests.foreign.fuzz import SLOW, run
from tests.foreign.fuzz.files import Maker, expressions, seeds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int, help="run this case alone and print its text")
    given = parser.parse_args()
    numbers = range(given.first, given.first + given.count)
    if given.only is not None:
        numbers = range(given.only, given.only + 1)
        texts = seeds()
        print(Maker(texts, expressions(texts)).text(given.seed, given.only))
    tally = run(numbers, given.seed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{tally.cases:,} cases, {tally.findings:,} findings, {tally.failed} failed, {tally.slow} slower than {SLOW:g} s; "
        f"slowest {tally.slowest:.2f} s (case {tally.slowest_case}); peak memory {peak:.0f} MB"
    )
    sys.exit(1 if tally.failed or tally.slow else 0)


if __name__ == "__main__":
    main()
