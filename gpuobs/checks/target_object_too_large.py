"""A PrometheusRule that is larger than the Prometheus operator takes.

Kubernetes takes an object of 1.5 MB, but the operator copies its rules into a ConfigMap and refuses
more than 524,288 bytes of them. From then on no change of any rule arrives. Several objects are the
way out; several groups in one object are none. Above four fifths of the limit this is a warning. Of
a plain rule file it is said too, for the day on which it becomes an object.
"""

from __future__ import annotations

CODE = "target/object-too-large"
SEVERITY = "error"
