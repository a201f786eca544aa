"""A route to a receiver that is not there.

Alertmanager refuses the configuration as a whole, and goes on with the old one.

Bad:

```yaml
route:
  receiver: default
  routes:
    - {receiver: pagr, matchers: ['severity="page"']}
receivers: [{name: default}, {name: pager}, {name: chat}]
```

Good:

```yaml
route:
  receiver: default
  routes:
    - {receiver: pager, matchers: ['severity="page"']}
receivers: [{name: default}, {name: pager}, {name: chat}]
```
"""

from __future__ import annotations

CODE = "route/receiver-missing"
SEVERITY = "error"
