"""A matcher that Alertmanager cannot read.

A matcher is a label, one of `=`, `!=`, `=~` and `!~`, and a value; a pattern is RE2's and is anchored at both ends.

Bad:

```yaml
route:
  receiver: default
  routes:
    - {receiver: pager, matchers: ['severity == "page"', 'team=~"a("']}
receivers: [{name: default}, {name: pager}, {name: chat}]
```

Good:

```yaml
route:
  receiver: default
  routes:
    - {receiver: pager, matchers: ['severity = "page"', 'team=~"a.*"']}
receivers: [{name: default}, {name: pager}, {name: chat}]
```
"""

from __future__ import annotations

CODE = "route/matcher-syntax"
SEVERITY = "error"
