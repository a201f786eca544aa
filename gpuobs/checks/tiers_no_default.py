"""Receivers without a default.

Alertmanager hands what no route takes to one receiver: alerts that others wrote, and those whose owner it does not know.
Nobody would hear of them.

Bad:

```yaml
receivers:
  pagerduty-infra: {pagerduty: {routingKey: pagerduty/infra}}
  servicenow-infra: {servicenow: {url: https://servicenow.example.com/api/alerts, token: servicenow/token}}
  slack-infra: {slack: {apiUrl: slack/url, channel: "#gpu-infra"}}
  slack-workloads: {slack: {apiUrl: slack/url, channel: "#gpu-jobs"}}
```

Good:

```yaml
receivers:
  pagerduty-infra: {pagerduty: {routingKey: pagerduty/infra}}
  servicenow-infra: {servicenow: {url: https://servicenow.example.com/api/alerts, token: servicenow/token}}
  slack-infra: {slack: {apiUrl: slack/url, channel: "#gpu-infra"}}
  slack-workloads: {slack: {apiUrl: slack/url, channel: "#gpu-jobs"}}
default: slack-infra
```
"""

from __future__ import annotations

CODE = "tiers/no-default"
SEVERITY = "error"
