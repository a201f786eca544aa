"""What the operator refuses for its size: measured as the operator writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs import foreign
from gpuobs.foreign import world

_HEAD = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: gpu}\nspec:\n"


def rules(count: int) -> str:
    """A file of 100 bytes a rule."""
    return "groups:\n- name: big\n  rules:\n" + "".join(
        f'  - expr: sum by (Hostname) (DCGM_FI_DEV_GPU_UTIL{{gpu="{number:05}"}})\n'
        f"    record: node:gpu_util_{number:05}:sum\n"
        for number in range(count)
    )


def _object(text: str) -> str:
    return _HEAD + "".join(f"  {line}\n" for line in text.splitlines())


@pytest.mark.parametrize("write", [str, _object])
@pytest.mark.parametrize(
    ("count", "severity", "words"),
    [
        (5300, "error", "has about 530,029 bytes, and the operator refuses more than 524,288"),
        (4900, "warning", "has about 490,029 bytes of the 524,288 that the operator takes"),
        (4100, "", ""),
    ],
)
def test_size(tmp_path: Path, write: type[str], count: int, severity: str, words: str) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(write(rules(count)), encoding="utf-8")
    found = foreign.lint([file], world.built_in()).diagnostics
    assert [(each.code, each.severity) for each in found] == (
        [("target/object-too-large", severity)] if severity else []
    )
    for each in found:
        assert words in each.message
        line = file.read_text(encoding="utf-8").splitlines()[each.span.line - 1]
        assert line[each.span.column - 1 : each.span.end_column - 1] == "big"
