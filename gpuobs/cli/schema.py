"""gpuobs schema"""

from __future__ import annotations

import json

import click


@click.command(name="schema")
@click.argument("kind", required=False)
def command(kind: str | None) -> int:
    """Print the JSON Schema of the specs, or of one KIND of them, for editors and other tools."""
    from gpuobs.nearest import did_you_mean
    from gpuobs.spec.model import KINDS
    from gpuobs.spec.schema import schema

    if kind is not None and kind not in KINDS:
        raise click.BadParameter(
            f"no kind '{kind}': {did_you_mean(kind, KINDS)}", param_hint="KIND"
        )
    click.echo(json.dumps(schema(kind), indent=2))
    return 0
