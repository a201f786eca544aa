"""Schemas of Kubernetes objects as an API server would apply them, but stricter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


class _Loader(yaml.SafeLoader):
    """A CRD has `=` among its values, which YAML 1.1 has a type for and PyYAML no reader."""


_Loader.add_constructor("tag:yaml.org,2002:value", lambda _, node: node.value)


def closed(folder: Path, plural: str, version: str = "v1") -> Any:
    """A version's schema of a CRD, in which a field that it does not name is a mistake: an API server would drop it."""
    crd = (folder / f"monitoring.coreos.com_{plural}.yaml").read_text(encoding="utf-8")
    versions = yaml.load(crd, _Loader)["spec"]["versions"]
    return _closed(next(v["schema"]["openAPIV3Schema"] for v in versions if v["name"] == version))


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _closed(value) for key, value in schema.items()}
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and "(?i)" in pattern:
        # Go takes flags anywhere, Python at the start only.
        found["pattern"] = "(?i)" + pattern.replace("(?i)", "")
    if isinstance(schema.get("properties"), dict) and schema["properties"]:
        found.setdefault("additionalProperties", False)
    return found
