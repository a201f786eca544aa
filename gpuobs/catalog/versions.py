"""Versions of exporters, such as `4.5.3-4.8.2`, in order."""

from __future__ import annotations

import re


def version_key(version: str) -> tuple[int, ...]:
    """The numbers of a version: what two versions are compared by. dcgm-exporter puts DCGM's version first."""
    return tuple(int(number) for number in re.findall(r"[0-9]+", version)[:6])
