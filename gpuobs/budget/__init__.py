"""What the monitoring of a fleet costs: series, samples, reads and bytes, from the specs alone.

`census` counts what exporters write, `recorded` what rules write and read, `storage` what it takes to keep it, and
`ledger` adds them up for each cluster. Nothing here asks a server.
"""
