"""What a notification says: Go templates for titles and bodies, the same for every receiver.

The first line says what is broken. The body tells the value, whom it belongs to, what to type first, and where to read on.
"""

from __future__ import annotations

from gpuobs import names

FILE = "gpuobs.tmpl"
TITLE = "gpuobs.title"
BODY = "gpuobs.body"

# Labels that dashboards have variables for.
_VARIABLES = (
    names.CLUSTER,
    names.POOL,
    names.NODE,
    names.GPU,
    names.NAMESPACE,
    names.POD,
    names.MODEL,
)
_MOST = 10  # alerts that a body lists

_TITLE = (
    "[{{ .Status | toUpper }}{{ if gt (len .Alerts.Firing) 1 }}:{{ len .Alerts.Firing }}{{ end }}] "
    "{{ if eq (len .Alerts) 1 }}{{ (index .Alerts 0).Annotations.summary }}"
    "{{ else }}{{ .GroupLabels.alertname }}{{ with .GroupLabels.cluster }} in {{ . }}{{ end }}"
    ", {{ len .Alerts }} alerts{{ end }}"
)
_LINE = (
    "- {{ $alert.Annotations.summary }}"
    "{{ with $alert.Annotations.value }} (value: {{ . }}){{ end }}"
)
_BODY = """\
{{ .CommonLabels.alertname }}, {{ .CommonLabels.tier }} for {{ .CommonLabels.owner }}
{{ range $number, $alert := .Alerts.Firing }}{{ if lt $number %(most)d }}LINE
{{ end }}{{ end }}\
{{ if gt (len .Alerts.Firing) %(most)d }}and more, {{ len .Alerts.Firing }} in all
{{ end }}\
{{ range $number, $alert := .Alerts.Resolved }}{{ if lt $number %(most)d }}- resolved: {{ $alert.Annotations.summary }}
{{ end }}{{ end }}\
{{ with .CommonAnnotations.description }}
{{ . }}
{{ end }}\
{{ with .CommonAnnotations.runbook }}
{{ . }}
{{ end }}\
{{ with .CommonAnnotations.runbook_url }}
Runbook: {{ . }}{{ end }}"""


def title() -> str:
    """One line: the summary of a single alert, else what they have in common."""
    return _TITLE


def body(dashboard_url: str) -> str:
    """The alerts with their values and dashboards, then what they mean and what to do."""
    line = _LINE + _dashboard(dashboard_url)
    return (_BODY % {"most": _MOST}).replace("LINE", line)


def _dashboard(url: str) -> str:
    """A link with the alert's labels as variables; nothing without an address."""
    if not url:
        return ""
    start = url + ("&" if "?" in url else "?")
    variables = (
        f"{{{{ with $alert.Labels.{label} }}}}&var-{label}={{{{ . | urlquery }}}}{{{{ end }}}}"
        for label in _VARIABLES
    )
    return f"\n  {start}from=now-3h&to=now{''.join(variables)}"
