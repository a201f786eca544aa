"""A setting of Alertmanager's without receivers.

Alertmanager's configuration is written where the Tiers document has `receivers`. Without them somebody else routes the
alerts, and what is said of routing here has no effect.

Bad:

```yaml
inhibit:
  - name: a page silences tickets of the same GPU
    when: {tier: [page]}
    silences: {tier: [ticket, info]}
    equal: [cluster, node, gpu]
```

Good:

```yaml
receivers:
  pagerduty-infra: {pagerduty: {routingKey: pagerduty/infra}}
  servicenow-infra: {servicenow: {url: https://servicenow.example.com/api/alerts, token: servicenow/token}}
  slack-infra: {slack: {apiUrl: slack/url, channel: "#gpu-infra"}}
  slack-workloads: {slack: {apiUrl: slack/url, channel: "#gpu-jobs"}}
default: slack-infra
inhibit:
  - name: a page silences tickets of the same GPU
    when: {tier: [page]}
    silences: {tier: [ticket, info]}
    equal: [cluster, node, gpu]
```
"""

from __future__ import annotations

CODE = "tiers/no-receivers"
SEVERITY = "error"
