"""What is proposed against a survivor kills it, pasted as it stands."""

from __future__ import annotations

from pathlib import Path

from gpuobs.pipeline import compile_project
from gpuobs.verify import mutants, suites
from gpuobs.verify.mutants import killing
from gpuobs.verify.promtool import Promtool
from tests.projects import project
from tests.verify.mutants.suites import report, suite
from tests.verify.mutants.test_mutants import HOT

STEPS = """\
  - interval: 1m
    input_series:
      - {series: 'temperature{node="n1", gpu="0"}', values: 60x9 80 80 80.4 81x10}
      - {series: 'temperature{node="n1", gpu="1"}', values: 60x40}
    alert_rule_test:
      - {alertname: Hot, eval_time: 20m, exp_alerts: [{exp_labels: {node: n1}}]}
"""
ASSERTED = "    promql_expr_test:\n"


def _hints(promtool: Promtool, folder: Path, tests: str) -> dict[str, str]:
    read = suite(folder, HOT, tests, promtool)
    alive = [v.mutant for v in report(read, promtool).having("survived")]
    found = killing.hints(promtool, read.cases, dict(enumerate(alive)))
    return {mutant.said: found[number] for number, mutant in enumerate(alive)}


def test_the_first_moment_that_tells_them_apart_is_found(
    promtool: Promtool, tmp_path: Path
) -> None:
    hints = _hints(promtool, tmp_path, STEPS)
    assert hints["'for: 5m' becomes '4m'"] == (
        "add to 'promql_expr_test' of 'case 1':\n"
        """- expr: 'ALERTS{alertname="Hot", alertstate="firing"}'\n"""
        "  eval_time: 16m\n"
        "  exp_samples: []"
    )
    assert hints["'80' becomes '80.8'"] == (
        "add to 'promql_expr_test' of 'case 1':\n"
        """- expr: 'ALERTS{alertname="Hot", alertstate="firing"}'\n"""
        "  eval_time: 17m\n"
        "  exp_samples:\n"
        """  - {labels: 'ALERTS{alertname="Hot", alertstate="firing", node="n1"}', value: 1}"""
    )


def test_pasted_it_kills(promtool: Promtool, tmp_path: Path) -> None:
    """All that a moment of the test can tell apart dies by what was proposed."""
    hints = _hints(promtool, tmp_path, STEPS)
    pasted = {hint.split("\n", 1)[1] for hint in hints.values() if "promql_expr_test" in hint}
    lines = [f"      {line}\n" for text in sorted(pasted) for line in text.split("\n")]
    assert _hints(promtool, tmp_path, STEPS + ASSERTED + "".join(lines)) == {}


def test_words_say_what_no_series_shows(promtool: Promtool, tmp_path: Path) -> None:
    tests = STEPS.replace("60x9 80 80 80.4 81x10", "60x9 95x20").replace(
        '      - {series: \'temperature{node="n1", gpu="1"}\', values: 60x40}\n', ""
    )
    hints = _hints(promtool, tmp_path, tests)
    assert {said: hint for said, hint in hints.items() if "promql_expr_test" not in hint} == {
        "'>' becomes '>='": "a scenario with a value of exactly 80, for as long as the alert waits",
        "'80' becomes '79.2'": "a scenario with a value from 79.2 to 80",
        "'80' becomes '80.8'": "a scenario with a value from 80 to 80.8",
        "'max' becomes 'min'": "two series of one group, with values on either side of the threshold",
        "'max' becomes 'avg'": "two series of one group, with values on either side of the threshold",
    }


ALERT = """\
alerts:
  - name: Hot
    tier: ticket
    expr: max by (node, gpu) (label_replace(DCGM_FI_DEV_GPU_TEMP <= 200, "node", "$1", "Hostname", "(.*)")) > 85
    for: 10m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It is hot.
    runbook: {impact: None., diagnose: [Look.], fix: [Cool it.]}
    scenarios:
      - name: one is hot
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1", gpu="3"}': 70x9 90x40}
        fires: [{at: 30m, labels: {node: n1}}]
"""


def test_a_scenario_gets_its_expectation_in_the_language_of_specs(
    promtool: Promtool, tmp_path: Path
) -> None:
    program = compile_project(project(tmp_path, ALERT)).program
    assert program is not None
    cases = list(suites.generated(program))
    done = mutants.run(promtool, program, cases, lambda rule: rule in tuple(program.alerting))
    alive = {n: v.mutant for n, v in enumerate(done.having("survived")) if v.mutant.name == "Hot"}
    hints = killing.hints(promtool, cases, alive)
    said = {mutant.said: hints[number] for number, mutant in alive.items()}
    assert said["'for: 10m' becomes '9m'"] == "in scenario 'one is hot' add: quiet: [{at: 19m}]"
    assert said["'gpu' of 'by' is dropped"] == (
        "in scenario 'one is hot' add: fires: [{at: 20m, labels: {gpu: '3', node: n1}}]"
    )
    (tmp_path / "again").mkdir()
    pasted = ALERT + "        quiet: [{at: 19m}]\n"
    again = compile_project(project(tmp_path / "again", pasted)).program
    assert again is not None
    done = mutants.run(
        promtool, again, list(suites.generated(again)), lambda rule: rule in tuple(again.alerting)
    )
    killed = {verdict.mutant.said for verdict in done.having("killed")}
    assert "'for: 10m' becomes '9m'" in killed
