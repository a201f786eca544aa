"""A threshold for a model whose label is not confirmed.

Thresholds by model are joined on the label that the exporter writes. Where the catalog does not
know it, a GpuModels document of your own can say.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: {default: 85, A100-PCIe-80GB: 87}}
    summary: GPU {{ $labels.gpu }} is hot
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: {default: 85, H100-SXM5-80GB: 87}}
    summary: GPU {{ $labels.gpu }} is hot
```
"""

from __future__ import annotations

CODE = "alert/model-label"
SEVERITY = "error"
