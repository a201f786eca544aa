"""A receiver that nobody is told by.

It is left over, or an owner's receiver is misspelt.

Bad:

```yaml
receivers:
  pagerduty-infra: {pagerduty: {routingKey: pagerduty/infra}}
  servicenow-infra: {servicenow: {url: https://servicenow.example.com/api/alerts, token: servicenow/token}}
  slack-infra: {slack: {apiUrl: slack/url, channel: "#gpu-infra"}}
  slack-workloads: {slack: {apiUrl: slack/url, channel: "#gpu-jobs"}}
  slack-old: {slack: {apiUrl: slack/url, channel: "#old"}}
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

CODE = "tiers/unused-receiver"
SEVERITY = "error"
