"""What is said of a prometheus.yml's form, promtool says too: it takes a configuration exactly where nothing of form is found."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gpuobs import foreign
from gpuobs.foreign import world
from gpuobs.pipeline import compile_project
from gpuobs.verify.promtool import Promtool

ROOT = Path(__file__).parents[2]
FORM = ("yaml/", "target/unsupported-field")
JOB = "scrape_configs:\n- job_name: a\n  {}\n"
STEP = JOB.format("metric_relabel_configs:\n  - {}")
WRITE = "remote_write:\n- url: http://a\n  {}\n"


def each(form: str, *texts: str) -> list[str]:
    return [form.replace("{}", text) for text in texts]


FILES = [
    *each("{}\n", "scrape_configs:", "scrape_configs: {}"),
    *each("{}\nscrape_configs: []\n", "global:", "global: {}", "global: []", "global: text"),
    *each("{}\nscrape_configs: []\n", "globals: {}", "rule_files: [a]", "rule_files: a", "rule_files: ['a/*/b']"),
    *each("{}\nscrape_configs: []\n", "rule_files: ['a/*.yml']", "rule_files: [5]", "scrape_config_files: [a]"),
    *each("{}\nscrape_configs: []\n", "runtime: {gogc: 75}", "runtime: {gogc: x}", "runtime:", "otlp: {}"),
    *each("{}\nscrape_configs: []\n", "storage: {tsdb: {out_of_order_time_window: 5m}}", "storage: {tsdb: {x: 5m}}"),
    *each("{}\nscrape_configs: []\n", "storage: {exemplars: {max_exemplars: 5}}", "tracing: {endpoint: a}", "tracing: {}"),
    *each("global: {{}: 1}\n".replace("{{}", "{scrape_interval: 5s, {}"), "sample_limit", "label_limit", "target_limit"),
    *each("global: {scrape_interval: 5s, {}}\n", "scrape_timeout: 6s", "scrape_timeout: 5s", "evaluation_interval: 15"),
    *each("global: {scrape_interval: 5s, {}}\n", "external_labels: {a: b}", "external_labels: {a-b: c}", "external_labels: [a]"),
    *each("global: {scrape_interval: 5s, {}}\n", "external_labels: {a: 1}", "rule_query_offset: 1m", "body_size_limit: 10MB"),
    *each("global: {scrape_interval: 5s, {}}\n", "body_size_limit: 10", "scrape_protocols: [PrometheusText0.0.4]", "x: y"),
    *each("global: {scrape_interval: 5s, {}}\n", "scrape_protocols: [prometheus]", "keep_dropped_targets: 1", "extra_scrape_metrics: true"),
    *each("global: {scrape_interval: 5s, {}}\n", "scrape_native_histograms: true", "metric_name_validation_scheme: utf8"),
    *each("global: {scrape_interval: 5s, {}}\n", "always_scrape_classic_histograms: true", "scrape_failure_log_file: a"),
    "scrape_configs: [null]\n",
    "scrape_configs: [a]\n",
    "scrape_configs: [{}]\n",
    "scrape_configs: [{job_name: ''}]\n",
    "scrape_configs: [{job_name: a}, {job_name: a}]\n",
    "scrape_configs: [{job_name: a}, {job_name: b}]\n",
    "scrape_configs: [{job_name: 5}]\n",
    "scrape_configs: [{job: a}]\n",
    *each(JOB, "scrape_interval: 15s", "scrape_interval: 15", "scrape_interval: 1.5m", "scrape_interval: 15 s", "scrape_interval:"),
    *each(JOB, "scrape_timeout: 2m", "scrape_timeout: 1m", "scrape_interval: 5s\n  scrape_timeout: 10s", "scrape_interval: 5s"),
    *each(JOB, "sample_limit: 100", "sample_limit: '100'", "sample_limit: -1", "sample_limit: many", "sample_limit: 1e3"),
    *each(JOB, "label_limit: 5", "label_name_length_limit: 5", "label_value_length_limit: 5", "target_limit: 5", "samplelimit: 5"),
    *each(JOB, "honor_labels: true", "honor_labels: yes", "honor_labels: 'true'", "honor_labels: 1", "honor_labels: True"),
    *each(JOB, "honor_timestamps: false", "track_timestamps_staleness: true", "enable_compression: false", "keep_dropped_targets: 5"),
    *each(JOB, "scrape_classic_histograms: true", "always_scrape_classic_histograms: true", "native_histogram_bucket_limit: 5"),
    *each(JOB, "native_histogram_min_bucket_factor: 1.1", "convert_classic_histograms_to_nhcb: true", "extra_scrape_metrics: true"),
    *each(JOB, "fallback_scrape_protocol: PrometheusText0.0.4", "fallback_scrape_protocol: text", "scrape_protocols: [PrometheusText0.0.4]"),
    *each(JOB, "scrape_protocols: [PrometheusText0.0.4, PrometheusText0.0.4]", "scrape_native_histograms: true"),
    *each(JOB, "metric_name_validation_scheme: utf8", "metric_name_validation_scheme: x", "metric_name_escaping_scheme: dots"),
    *each(JOB, "body_size_limit: 10MB", "body_size_limit: 10 MB", "body_size_limit: 0", "body_size_limit: 1.5GB", "metrics_path: /m"),
    *each(JOB, "params: {a: [b]}", "params: []", "scheme: https", "proxy_url: http://a", "proxy_from_environment: true", "http_headers: {}"),
    *each(JOB, "basic_auth: {username: a}", "basic_auth: text", "basic_auth: {username: a}\n  bearer_token: b", "bearer_token: a"),
    *each(JOB, "basic_auth: {username: a}\n  authorization: {credentials: a}", "tls_config: {insecure_skip_verify: true}"),
    *each(JOB, "static_configs: [{targets: [a]}]", "static_configs: [{targets: a}]", "static_configs: {targets: [a]}", "static_configs:"),
    *each(JOB, "static_configs: [{target: [a]}]", "static_configs: [{targets: ['http://a']}]", "static_configs: [{targets: [a], labels: {b: c}}]"),
    *each(JOB, "static_configs: [{targets: [a], labels: {b-c: d}}]", "static_configs: [{targets: [a], labels: {b: [c]}}]", "static_config: []"),
    *each(JOB, "static_configs: [{targets: ['http://a']}]\n  relabel_configs: [{target_label: __address__, replacement: b}]"),
    *each(JOB, "kubernetes_sd_configs: [{role: pod}]", "kubernetes_sd_configs: [{role: pods}]", "kubernetes_sd_configs: [{}]"),
    *each(JOB, "kubernetes_sd_configs: [{role: pod, namespaces: {names: [a]}}]", "kubernetes_sd_configs: [{role: Pod}]"),
    *each(JOB, "kubernetes_sd_configs: [{role: node, attach_metadata: {node: true}}]", "kubernetes_sd_configs: [{role: node, rôle: x}]"),
    *each(JOB, "dns_sd_configs: [{names: [a]}]", "dns_sd_configs: [{names: [a], type: A}]", "dns_sd_configs: [{}]"),
    *each(JOB, "file_sd_configs: [{files: [a.json]}]", "file_sd_configs: [{files: [a.txt]}]", "file_sd_configs: [{}]", "file_sd_configs: [{files: ['*/a.yml']}]"),
    *each(JOB, "http_sd_configs: [{url: 'http://a'}]", "http_sd_configs: [{}]", "consul_sd_config: []"),
    *each(STEP, "action: keep", "action: Keep", "action: KEEP", "action: keeps", "action: ''", "action: [keep]", "regex: a", "{}"),
    *each(STEP, "target_label: a", "target_label: a-b", "target_label: 'a${1}'", "target_label: '$1-x'", "target_label: ''", "target_label: [a]"),
    *each(STEP, "action: labelmap", "{action: labelmap, replacement: 'a-$1'}", "{action: labelmap, replacement: ''}", "{action: labelmap, regex: a}"),
    *each(STEP, "{action: labeldrop, regex: a}", "{action: labeldrop, regex: a, source_labels: [b]}", "{action: labeldrop, regex: a, source_labels: []}"),
    *each(STEP, "{action: labelkeep, regex: a, replacement: b}", "{action: labelkeep, regex: a, separator: ','}", "{action: labeldrop, regex: a, modulus: 1}"),
    *each(STEP, "{action: labeldrop, regex: a, target_label: b}", "{action: labeldrop, regex: a, separator: ';'}", "{action: labeldrop, regex: a, replacement: $1}"),
    *each(STEP, "{action: hashmod, target_label: a}", "{action: hashmod, target_label: a, modulus: 3}", "{action: hashmod, target_label: a, modulus: '3'}"),
    *each(STEP, "{action: hashmod, target_label: a, modulus: 0x10}", "{action: hashmod, target_label: a, modulus: 0}", "{action: hashmod, target_label: $1, modulus: 2}"),
    *each(STEP, "{action: keepequal, target_label: a}", "{action: keepequal, target_label: a, regex: (.*)}", "{action: dropequal, target_label: a, separator: ','}"),
    *each(STEP, "{action: lowercase, target_label: a, replacement: x}", "{action: uppercase, target_label: a, regex: x}", "{action: uppercase}"),
    *each(STEP, "{target_label: a, source_labels: b}", "{target_label: a, source_labels: [b-c]}", "{target_label: a, source_labels: ['']}", "{target_label: a, source_labels: [[b]]}"),
    *each(STEP, "{target_label: a, regex: '('}", "{target_label: a, regex: ''}", "{target_label: a, regex: 1}", "{target_label: a, regex: 'a**'}", "{target_label: a, regex: '(?<x>a)'}"),
    *each(STEP, "{target_label: a, replacement: 5}", "{target_label: a, replacement: ''}", "{target_label: a, seperator: x}", "{sourceLabels: [a], target_label: b}"),
    *each(STEP, "null", "text", "[]", "{target_label: a, modulus: 1.0}", "{target_label: a, modulus: x}", "{target_label: é}", "{target_label: a, replacement: é}"),
    *each(JOB, "metric_relabel_configs:", "metric_relabel_configs: {}", "relabel_configs: [{action: keep}]", "metric_relabel_config: []", "metricRelabelings: []"),
    "remote_write: [{}]\n",
    "remote_write: [null]\n",
    "remote_write: [{url: http://a, name: x}, {url: http://b, name: x}]\n",
    "remote_write: [{url: http://a}, {url: http://a}]\n",
    *each(WRITE, "remote_timeout: 5s", "remote_timeout: 5", "headers: {a: b}", "send_exemplars: true", "write_relabel_configs: [{action: keep}]"),
    *each(WRITE, "queue_config: {capacity: 5, max_shards: 3}", "queue_config: {capacity: x}", "queue_config: {max_shard: 3}", "queue_config: []"),
    *each(WRITE, "queue_config: {sample_age_limit: 5m}", "queue_config: {batch_send_deadline: 5}", "queue_config: {max_retries: 3}", "write_relabel_config: []"),
    *each(WRITE, "round_robin_dns: true", "protobuf_message: prometheus.WriteRequest", "metadata_config: {send: false}", "writeRelabelConfigs: []"),
    *each(WRITE, "queue_config: {retry_on_http_429: true}", "queue_config: {min_backoff: 30ms, max_backoff: 5s}", "sigv4: {}", "send_native_histograms: true"),
    "remote_read: [{url: http://a}]\n",
    "remote_read: [{}]\n",
    "remote_read: [{url: http://a, read_recent: true, filter_external_labels: true}]\n",
    "remote_read: [{url: http://a, chunked_read_limit: 5}]\n",
    *each("alerting: {alertmanagers: [{}]}\n", "static_configs: [{targets: [a]}]", "api_version: v1", "api_version: v2", "api_version: v3"),
    "alerting: {alertmanagers: [{static_configs: [{targets: [a]}], timeout: 5s, path_prefix: a, scheme: http}]}\n",
    "alerting: {alertmanagers: [{alert_relabel_configs: []}]}\n",
    "alerting: {alertmanagers: [], alert_relabel_configs: [{action: labeldrop, regex: a}]}\n",
    "alerting: {alertmanagers: [], alert_relabel_configs: [{action: labeldrop, target_label: a}]}\n",
    "alerting: {alertmanagers: [{relabel_configs: [{action: kept}]}]}\n",
]  # fmt: skip


def takes(promtool: Promtool, file: Path) -> bool:
    command = [str(promtool.path), "check", "config", "--syntax-only", str(file)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_promtool_agrees(each_promtool: Promtool, tmp_path: Path) -> None:
    major, minor = each_promtool.number
    fleet = Path(world.__file__).parent / "default" / "fleet.yaml"
    named = tmp_path / "fleet.yaml"
    version = f'\nprometheusVersion: "{major}.{minor}"\n'
    named.write_text(fleet.read_text(encoding="utf-8") + version, encoding="utf-8")
    chosen, _ = world.of_file(named)
    assert chosen is not None
    wrong = []
    # Debian's build of 2.42 has no discovery of Kubernetes.
    left_out = "kubernetes" if each_promtool.number == (2, 42) else "\0"
    for index, text in enumerate(each for each in FILES if left_out not in each):
        file = tmp_path / f"{index}.yml"
        file.write_text(text, encoding="utf-8")
        done = foreign.lint([file], chosen)
        found = [each.message for each in done.diagnostics if each.code.startswith(FORM)]
        if (not found and not done.refused) != takes(each_promtool, file):
            wrong.append((text, found, done.refused))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("scrape_configs: [{job_name: a, scrape_intervall: 5s}]", "no key 'scrape_intervall' here"),
        ("scrape_configs: [{job_name: a, sample_limit: '5'}]", "a whole number is wanted here"),
        ("scrape_configs: [{job_name: a, sample_limit: 1.5}]", "a whole number is wanted here"),
        ("scrape_configs: [{job_name: a}, {job_name: a}]", "a second job 'a', and Prometheus refuses the configuration"),
    ],
)  # fmt: skip
def test_what_is_said(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "prometheus.yml"
    file.write_text(text, encoding="utf-8")
    assert [each.message for each in foreign.lint([file], world.built_in()).diagnostics] == [said]


def test_what_gpuobs_makes_is_right(tmp_path: Path) -> None:
    project = compile_project(ROOT / "specs", targets=("scrape", "scrape-operator"))
    assert project.program is not None
    files = []
    for artifact in project.artifacts:
        file = tmp_path / artifact.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(artifact.content)
        files += (
            [file]
            if b"scrape_configs:" in artifact.content or b"Monitor\n" in artifact.content
            else []
        )
    done = foreign.lint(files, world.of_project(project.program))
    assert ([each.message for each in done.diagnostics], done.refused) == ([], ())
    assert len(files) > 3
