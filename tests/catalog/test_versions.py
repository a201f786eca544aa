"""Exporter versions in order."""

from __future__ import annotations

import pytest

from gpuobs import catalog
from gpuobs.catalog.versions import version_key


def test_the_known_versions_are_listed_oldest_first() -> None:
    found = catalog.metric_catalog("nvidia-dcgm")
    assert found is not None
    assert list(found.versions) == sorted(found.versions, key=version_key)
    assert found.versions[-1] == "4.6.0-4.8.3"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("4.5.3-4.8.2", "4.6.0-4.8.3"),
        ("3.3.9-3.6.1", "3.3.10-3.6.0"),
        ("4.6.0", "4.6.0-4.8.3"),
        ("v4.5.3-4.8.2-ubuntu22.04", "v4.6.0-4.8.3-ubuntu22.04"),
        ("1.2.0", "1.10.0"),
    ],
)
def test_versions_are_compared_by_their_numbers(older: str, newer: str) -> None:
    assert version_key(older) < version_key(newer)
