"""The one door to a running Prometheus, Thanos or Mimir: what it holds, beside what the specs say it should.

Every request only reads, has a time limit, and is one of a bounded number.
"""
