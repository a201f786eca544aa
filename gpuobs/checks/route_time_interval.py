"""A route that is muted, or active, at a time that is not defined.

Alertmanager refuses the configuration as a whole, and goes on with the old one.

Bad:

```yaml
route:
  receiver: default
  routes:
    - {receiver: chat, matchers: ['severity="info"'], mute_time_intervals: [nights]}
receivers: [{name: default}, {name: pager}, {name: chat}]
```

Good:

```yaml
route:
  receiver: default
  routes:
    - {receiver: chat, matchers: ['severity="info"'], mute_time_intervals: [nights]}
receivers: [{name: default}, {name: pager}, {name: chat}]
time_intervals:
  - name: nights
    time_intervals: [{times: [{start_time: '22:00', end_time: '24:00'}]}]
```
"""

from __future__ import annotations

CODE = "route/time-interval"
SEVERITY = "error"
