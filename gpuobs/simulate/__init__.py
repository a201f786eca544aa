"""Exporters that behave as the specs' fleet says: for trying a policy, and for proving its arithmetic.

`entities` makes the targets and their series, `values` their samples, `incidents` what may go wrong, and `server` answers
as the exporters and as Kubernetes' service discovery would.
"""
