"""A mute time that is not there, or never comes.

A span that ends before it begins is two: one until midnight, and one from then on.

Bad:

```yaml
muteTimes:
  nights: [{times: ["22:00-06:00"]}]
```

Good:

```yaml
muteTimes:
  nights: [{times: ["22:00-24:00", "00:00-06:00"]}]
```
"""

from __future__ import annotations

CODE = "tiers/mute-time"
SEVERITY = "error"
