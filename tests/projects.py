"""Small projects for tests: the base project with one document added, or one of its own changed."""

from __future__ import annotations

import re
import shutil
from itertools import count
from pathlib import Path

BASE = Path(__file__).parent / "base"
_HEADER = "apiVersion: gpuobs/v1\nkind: {kind}\nname: example\n"
_KINDS = {
    "alerts": _HEADER.format(kind="Alerts") + "owner: infra\n",
    "rollups": _HEADER.format(kind="Rollups"),
    "rules": _HEADER.format(kind="Rollups"),
    "slos": _HEADER.format(kind="Slos") + "owner: infra\n",
    "signals": _HEADER.format(kind="SignalCatalog"),
}
_OF_FLEET = (
    "exporters",
    "clusters",
    "scrapeInterval",
    "evaluationInterval",
    "prometheusVersion",
    "storage",
)
_OF_TIERS = ("tiers", "owners", "receivers", "default", "inhibit", "muteTimes")
_BESIDE = ("Checks", "Budget", "MetricCatalog")  # kinds of documents that may stand before a text


def project(folder: Path, text: str) -> Path:
    """A specs folder: the base and a text.

    A text that begins with a key of the Fleet or of the Tiers replaces these keys there. Any other text is a document
    of its own, in example.yaml; where it begins with a list of alerts, rollups, rules or signals its header is added. Keys
    of the Fleet, and documents of some kinds, may stand before another text, with lines of `---` between them.
    """
    specs = folder / "specs"
    shutil.copytree(BASE, specs)
    for number in count(1):
        before, parted, after = text.partition("\n---\n")
        if parted and re.search(rf"^kind: (?:{'|'.join(_BESIDE)})$", before, re.MULTILINE):
            (specs / f"another-{number}.yaml").write_text(before + "\n", encoding="utf-8")
        elif parted and re.match(rf"(?:{'|'.join(_OF_FLEET)}):", before):
            _replace(specs / "fleet.yaml", before)
        else:
            break
        text = after
    first = re.match(r"[A-Za-z]*", text)
    key = first.group() if first else ""
    if key in _OF_FLEET:
        _replace(specs / "fleet.yaml", text)
    elif key in _OF_TIERS:
        _replace(specs / "tiers.yaml", text)
    else:
        (specs / "example.yaml").write_text(_KINDS.get(key, "") + text, encoding="utf-8")
    return specs


def _replace(file: Path, text: str) -> None:
    """Put top-level keys in the place of those of the same names."""
    base = file.read_text(encoding="utf-8")
    for key in re.findall(r"^([A-Za-z]+):", text, re.MULTILINE):
        base = re.sub(rf"^{key}:.*\n(?:[ -].*\n)*", "", base, flags=re.MULTILINE)
    file.write_text(base + text + "\n", encoding="utf-8")
