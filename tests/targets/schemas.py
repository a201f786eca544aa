"""Schemas of Kubernetes objects as an API server would apply them, but stricter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def closed(folder: Path, plural: str) -> Any:
    """The v1 schema of a CRD, in which a field that it does not name is a mistake: an API server would drop it."""
    crd = (folder / f"monitoring.coreos.com_{plural}.yaml").read_text(encoding="utf-8")
    crd = crd.replace("^(?i)", "(?i)^")  # Go takes flags anywhere, Python at the start only
    versions = yaml.safe_load(crd)["spec"]["versions"]
    return _closed(next(v["schema"]["openAPIV3Schema"] for v in versions if v["name"] == "v1"))


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema["properties"]:
        found.setdefault("additionalProperties", False)
    return found
