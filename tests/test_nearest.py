"""What is suggested for a name that nobody has."""

from __future__ import annotations

import pytest

from gpuobs.nearest import did_you_mean

MANY = [f"unlike{number}" for number in range(20)]


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("temperatur", ["temperature", *MANY], "did you mean 'temperature'?"),
        ("TEMPERATURE", ["temperature", *MANY], "did you mean 'temperature'?"),
        ("dcgm", ["nvidia-dcgm", *MANY], "did you mean 'nvidia-dcgm'?"),
        ("H100", ["H100-NVL-94GB", "H100-PCIE-80GB", *MANY], "did you mean one of H100-NVL-94GB, H100-PCIE-80GB?"),
        ("x8", ["exporter-x86_64", *MANY], ""),
        ("unlike", MANY, "did you mean 'unlike9'?"),
        ("red", ["page", "ticket"], "known: page, ticket"),
        ("red", MANY, ""),
        ("red", [], ""),
    ],
)  # fmt: skip
def test_hint(name: str, known: list[str], hint: str) -> None:
    assert did_you_mean(name, known) == hint
