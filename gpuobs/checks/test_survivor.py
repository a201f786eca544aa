"""A mutant of a rule that no test notices.

`gpuobs test --mutate` changes a rule in one place and runs the tests: a threshold is moved, a comparator turned, `for`
shortened, a label dropped. Where they pass all the same, they do not say which of the two rules is right,
and the next person who edits the line will not be told either. The hint is what would tell them apart: where the
series of a test that is there do so at some moment, an expectation to paste.
"""

from __future__ import annotations

CODE = "test/survivor"
SEVERITY = "warning"
