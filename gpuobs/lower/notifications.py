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
    "{{ if eq (len .Alerts) 1 }}{{ with index .Alerts 0 }}{{ or .Annotations.summary .Labels.alertname }}{{ end }}"
    "{{ else }}{{ with .CommonLabels.alertname }}{{ . }}, {{ end }}{{ len .Alerts }} alerts"
    "{{ with .CommonLabels.cluster }} in {{ . }}{{ end }}{{ end }}"
)
_LINE = (
    "- {{ or $alert.Annotations.summary $alert.Labels.alertname }}"
    "{{ with $alert.Annotations.value }} (value: {{ . }}){{ end }}"
    "{{ if not $.CommonAnnotations.runbook_url }}{{ with $alert.Annotations.runbook_url }}\n  {{ . }}{{ end }}{{ end }}"
)
_BODY = """\
{{ or .CommonLabels.alertname "Several alerts" }}{{ with .CommonLabels.tier }}, {{ . }}{{ end }}\
{{ with .CommonLabels.owner }} for {{ . }}{{ end }}
{{ range $number, $alert := .Alerts.Firing }}{{ if lt $number %(most)d }}LINE
{{ end }}{{ end }}\
{{ if gt (len .Alerts.Firing) %(most)d }}and more, {{ len .Alerts.Firing }} in all
{{ end }}\
{{ range $number, $alert := .Alerts.Resolved }}{{ if lt $number %(most)d }}- resolved: {{ or $alert.Annotations.summary $alert.Labels.alertname }}
{{ end }}{{ end }}\
{{ with .CommonAnnotations.description }}
{{ . }}
{{ else }}{{ with (index .Alerts 0).Annotations.description }}
For instance: {{ . }}
{{ end }}{{ end }}\
{{ with .CommonAnnotations.runbook }}
{{ . }}
{{ else }}{{ with (index .Alerts 0).Annotations.runbook }}
For instance: {{ . }}
{{ end }}{{ end }}\
{{ with .CommonAnnotations.runbook_url }}
Runbook: {{ . }}{{ end }}"""


def title() -> str:
    """One line: the summary of a single alert, else what they have in common."""
    return _TITLE


def body(dashboard_url: str | None) -> str:
    """The alerts with their values and dashboards, then what they mean and what to do."""
    line = _LINE + _dashboard(dashboard_url)
    return (_BODY % {"most": _MOST}).replace("LINE", line)


def _dashboard(url: str | None) -> str:
    """A link with the alert's labels as variables; nothing without an address."""
    if url is None:
        return ""
    address, hash_, fragment = url.partition("#")
    start = address + ("&" if "?" in address else "?")
    variables = (
        f"{{{{ with $alert.Labels.{label} }}}}&var-{label}={{{{ . | urlquery }}}}{{{{ end }}}}"
        for label in _VARIABLES
    )
    return f"\n  {start}from=now-3h&to=now{''.join(variables)}{hash_}{fragment}"
