"""A receiver that cannot work.

It has no way to tell anybody, a login that is half there, an address that is none, or a label where none can be.

Bad:

```yaml
receivers:
  pagerduty-infra: {pagerduty: {routingKey: pagerduty/infra}}
  servicenow-infra: {servicenow: {url: https://servicenow.example.com/api/alerts, username: gpuobs}}
  slack-infra: {slack: {apiUrl: slack/url, channel: "#gpu-infra"}}
  slack-workloads: {slack: {apiUrl: slack/url, channel: "#gpu-jobs"}}
default: slack-infra
```

Good:

```yaml
receivers:
  pagerduty-infra: {pagerduty: {routingKey: pagerduty/infra}}
  servicenow-infra: {servicenow: {url: https://servicenow.example.com/api/alerts, username: gpuobs, password: servicenow/password}}
  slack-infra: {slack: {apiUrl: slack/url, channel: "#gpu-infra"}}
  slack-workloads: {slack: {apiUrl: slack/url, channel: "#gpu-jobs"}}
default: slack-infra
```
"""

from __future__ import annotations

CODE = "tiers/bad-receiver"
SEVERITY = "error"
