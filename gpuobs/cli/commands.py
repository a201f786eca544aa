"""The commands with their one-line helps, so that `--help` loads none of them."""

from __future__ import annotations

COMMANDS = {
    "build": "Compile the specs and write what they say.",
    "lint": "Check the specs and write nothing.",
    "test": "Run promtool over the generated tests and the project's own.",
    "budget": "Print what monitoring the fleet costs; what-if and audit are below it.",
    "explain": "Explain a check, an alert, a recorded series, a signal or a metric.",
    "graph": "Show what feeds a metric, a rollup or an alert, and who uses it.",
    "simulate": "Serve the metrics of the specs' fleet, for trying a policy.",
    "schema": "Print the JSON Schema of the specs, for editors.",
    "doctor": "Say what is installed, what is missing and how to get it.",
}
