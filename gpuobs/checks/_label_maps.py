"""Label maps of others that make a label of everything that pods or their annotations have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuobs.checks._scrape_jobs import stages
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import Program

_ALL_OF_PODS = re.compile(r"\^?__meta_kubernetes_pod_(label|annotation)_\(?\.[+*]\)?\$?\Z")


def label_maps(program: Program) -> Iterator[Diagnostic]:
    """Pods' labels have values that change with each rollout, and nobody says how many there are."""
    for _, steps, of_metrics in stages(program):
        for each in steps:
            found = _ALL_OF_PODS.match(each.step.regex)
            if each.step.action != "labelmap" or of_metrics or found is None:
                continue
            what = found[1]
            message = (
                f"every {what} of a pod becomes a label of its series: nothing bounds their number, and "
                "each new value, such as a rollout's hash, makes all of them new series"
            )
            hint = f"name the ones that are wanted: regex: __meta_kubernetes_pod_{what}_(app|team)"
            yield warning(each.place("regex"), "budget/unbounded-label", message, hint)
