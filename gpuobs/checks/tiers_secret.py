"""A secret in an address.

Specs and what they compile to are committed. A secret is named, as `NAME/KEY` of a Kubernetes Secret, and never written.

Bad:

```yaml
receivers:
  pagerduty-infra: {pagerduty: {routingKey: pagerduty/infra}}
  servicenow-infra: {servicenow: {url: https://servicenow.example.com/api/alerts?token=a1b2c3}}
  slack-infra: {slack: {apiUrl: slack/url, channel: "#gpu-infra"}}
  slack-workloads: {slack: {apiUrl: slack/url, channel: "#gpu-jobs"}}
default: slack-infra
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

CODE = "tiers/secret"
SEVERITY = "error"
