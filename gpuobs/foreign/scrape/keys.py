"""The keys of prometheus.yml and of the operator's monitors, with their forms and the Prometheus that first had them.

From Prometheus' config/config.go, model/relabel/relabel.go and discovery/, and the operator's CustomResourceDefinitions;
held by tests against promtool 2.42 and 3.5. A line is a key, its form, and its first version if that is after 2.42;
`*` stands for a list of the form, `!3.0` for the version that no longer has the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Key:
    """What a key's value is, and which versions have it."""

    form: str
    many: bool = False
    since: Version = (0, 0)
    until: Version | None = None


def _version(text: str) -> Version:
    major, minor = text.split(".")
    return int(major), int(minor)


def _keys(*tables: str) -> Mapping[str, Key]:
    found = {}
    for line in filter(str.strip, "\n".join(tables).splitlines()):
        name, form, *versions = line.split()
        since = [_version(each) for each in versions if each[0] != "!"]
        until = [_version(each[1:]) for each in versions if each[0] == "!"]
        found[name] = Key(
            form.removesuffix("*"),
            form.endswith("*"),
            since[0] if since else (0, 0),
            until[0] if until else None,
        )
    return found


_CLIENT = """
basic_auth                      mapping
authorization                   mapping
oauth2                          mapping
bearer_token                    text
bearer_token_file               text
tls_config                      mapping
follow_redirects                truth
enable_http2                    truth
proxy_url                       text
no_proxy                        text      2.43
proxy_from_environment          truth     2.43
proxy_connect_header            mapping   2.43
http_headers                    mapping   2.53
"""
_HISTOGRAMS = """
scrape_native_histograms        truth     3.8
convert_classic_histograms_to_nhcb  truth 3.0
always_scrape_classic_histograms    truth 3.0
extra_scrape_metrics            truth     3.9
metric_name_validation_scheme   naming    3.0
metric_name_escaping_scheme     escaping  3.2
scrape_failure_log_file         text      3.0
"""
_LIMITS = "sample_limit target_limit label_limit label_name_length_limit label_value_length_limit"
_GLOBAL = """
scrape_interval                 duration
scrape_timeout                  duration
evaluation_interval             duration
rule_query_offset               duration  2.53
query_log_file                  text
external_labels                 labels
scrape_protocols                protocol* 2.49
body_size_limit                 size      2.45
keep_dropped_targets            whole     2.47
"""
_SCRAPE = """
job_name                        text
honor_labels                    truth
honor_timestamps                truth
track_timestamps_staleness      truth     2.48
params                          mapping
scrape_interval                 duration
scrape_timeout                  duration
scrape_protocols                protocol* 2.49
fallback_scrape_protocol        protocol  3.0
scrape_classic_histograms       truth     2.45 !3.0
metrics_path                    text
scheme                          text
enable_compression              truth     2.49
body_size_limit                 size
keep_dropped_targets            whole     2.47
native_histogram_bucket_limit   whole     2.45
native_histogram_min_bucket_factor  number 2.50
relabel_configs                 step*
metric_relabel_configs          step*
"""
_DISCOVERIES = (
    "azure consul digitalocean dns docker dockerswarm ec2 eureka file gce hetzner http ionos kubernetes kuma "
    "lightsail linode marathon nerve nomad openstack ovhcloud puppetdb scaleway serverset triton uyuni vultr"
)
_FORMED = ("kubernetes", "dns", "file", "http")
_NEWER_DISCOVERIES = "stackit_sd_configs mapping* 3.5\naws_sd_configs mapping* 3.8\n"


def _discoveries() -> str:
    lines = ["static_configs static*"]
    for name in _DISCOVERIES.split():
        form = f"{name}_sd" if name in _FORMED else "mapping"
        lines.append(f"{name}_sd_configs {form}*")
    return "\n".join(lines) + "\n" + _NEWER_DISCOVERIES


def _each(names: str, form: str, since: str = "") -> str:
    return "".join(f"{name} {form} {since}\n" for name in names.split())


_STEP = """
source_labels                   text*
separator                       text
target_label                    text
regex                           regex
modulus                         whole
replacement                     text
action                          action
"""

PROMETHEUS: Mapping[str, Mapping[str, Key]] = {
    "configuration": _keys("""
        global                  global
        runtime                 runtime   2.53
        alerting                alerting
        rule_files              text*
        scrape_config_files     text*     2.43
        scrape_configs          scrape*
        storage                 storage
        tracing                 mapping
        remote_write            write*
        remote_read             read*
        otlp                    mapping   2.55
    """),
    "global": _keys(_GLOBAL, _each(_LIMITS, "whole", "2.45"), _HISTOGRAMS),
    "runtime": _keys("gogc number 2.53"),
    "storage": _keys("tsdb tsdb\nexemplars exemplars"),
    "tsdb": _keys("out_of_order_time_window duration\nretention mapping 3.9"),
    "exemplars": _keys("max_exemplars number"),
    "alerting": _keys("alert_relabel_configs step*\nalertmanagers alertmanager*"),
    "alertmanager": _keys(
        """
        scheme                  text
        path_prefix             text
        timeout                 duration
        api_version             text
        sigv4                   mapping   2.48
        relabel_configs         step*
        alert_relabel_configs   step*     2.51
        """,
        _CLIENT,
        _discoveries(),
    ),
    "scrape": _keys(_SCRAPE, _each(_LIMITS, "whole"), _HISTOGRAMS, _CLIENT, _discoveries()),
    "step": _keys(_STEP),
    "static": _keys("targets text*\nlabels labels"),
    "kubernetes_sd": _keys(
        """
        api_server              text
        role                    role
        kubeconfig_file         text
        namespaces              mapping
        selectors               mapping*
        attach_metadata         mapping
        """,
        _CLIENT,
    ),
    "dns_sd": _keys("names text*\nrefresh_interval duration\ntype text\nport whole"),
    "file_sd": _keys("files text*\nrefresh_interval duration"),
    "http_sd": _keys("url text\nrefresh_interval duration", _CLIENT),
    "write": _keys(
        """
        url                     text
        remote_timeout          duration
        headers                 mapping
        write_relabel_configs   step*
        name                    text
        send_exemplars          truth
        send_native_histograms  truth
        round_robin_dns         truth     3.1
        protobuf_message        text      2.54
        queue_config            queue
        metadata_config         metadata
        sigv4                   mapping
        azuread                 mapping   2.45
        google_iam              mapping   3.0
        """,
        _CLIENT,
    ),
    "queue": _keys(
        _each("capacity max_shards min_shards max_samples_per_send", "number"),
        _each("batch_send_deadline min_backoff max_backoff", "duration"),
        "retry_on_http_429 truth\nsample_age_limit duration 2.50",
    ),
    "metadata": _keys("send truth\nsend_interval duration\nmax_samples_per_send number"),
    "read": _keys(
        """
        url                     text
        remote_timeout          duration
        headers                 mapping
        chunked_read_limit      whole     2.55
        read_recent             truth
        name                    text
        required_matchers       labels
        filter_external_labels  truth
        """,
        _CLIENT,
    ),
}

_MONITOR = """
attachMetadata                  mapping
bodySizeLimit                   text
convertClassicHistogramsToNHCB  truth
fallbackScrapeProtocol          text
jobLabel                        text
keepDroppedTargets              whole
labelLimit                      whole
labelNameLengthLimit            whole
labelValueLengthLimit           whole
namespaceSelector               mapping
nativeHistogramBucketLimit      whole
nativeHistogramMinBucketFactor  any
podTargetLabels                 text*
sampleLimit                     whole
scrapeClass                     text
scrapeClassicHistograms         truth
scrapeNativeHistograms          truth
scrapeProtocols                 text*
selector                        mapping
selectorMechanism               text
targetLimit                     whole
"""
_ENDPOINT = """
authorization                   mapping
basicAuth                       mapping
bearerTokenSecret               mapping
enableHttp2                     truth
filterRunning                   truth
followRedirects                 truth
honorLabels                     truth
honorTimestamps                 truth
interval                        duration
metricRelabelings               step*
noProxy                         text
oauth2                          mapping
params                          mapping
path                            text
port                            text
proxyConnectHeader              mapping
proxyFromEnvironment            truth
proxyUrl                        text
relabelings                     step*
scheme                          text
scrapeTimeout                   duration
targetPort                      any
tlsConfig                       mapping
trackTimestampsStaleness        truth
"""
_SCRAPE_CONFIG = """
authorization                   mapping
basicAuth                       mapping
bodySizeLimit                   text
convertClassicHistogramsToNHCB  truth
enableCompression               truth
enableHTTP2                     truth
fallbackScrapeProtocol          text
honorLabels                     truth
honorTimestamps                 truth
jobName                         text
keepDroppedTargets              whole
labelLimit                      whole
labelNameLengthLimit            whole
labelValueLengthLimit           whole
metricRelabelings               step*
metricsPath                     text
nameEscapingScheme              text
nameValidationScheme            text
nativeHistogramBucketLimit      whole
nativeHistogramMinBucketFactor  any
noProxy                         text
oauth2                          mapping
params                          mapping
proxyConnectHeader              mapping
proxyFromEnvironment            truth
proxyUrl                        text
relabelings                     step*
sampleLimit                     whole
scheme                          text
scrapeClass                     text
scrapeClassicHistograms         truth
scrapeInterval                  duration
scrapeNativeHistograms          truth
scrapeProtocols                 text*
scrapeTimeout                   duration
staticConfigs                   static*
targetLimit                     whole
tlsConfig                       mapping
trackTimestampsStaleness        truth
"""
_OPERATOR_DISCOVERIES = (
    "azure consul digitalOcean dns docker dockerSwarm ec2 eureka file gce hetzner http ionos kubernetes kuma lightSail "
    "linode nomad openstack ovhcloud puppetDB scaleway"
)
_OPERATOR_STEP = """
sourceLabels                    text*
separator                       text
targetLabel                     text
regex                           text
modulus                         whole
replacement                     text
action                          action
"""

# Of an object what stands under `spec`; what is no monitor is read for its remote writes alone.
OPERATOR: Mapping[str, Mapping[str, Key]] = {
    "ServiceMonitor": _keys(
        _MONITOR, "endpoints endpoint*\nserviceDiscoveryRole text\ntargetLabels text*"
    ),
    "PodMonitor": _keys(_MONITOR, "podMetricsEndpoints pod-endpoint*"),
    "ScrapeConfig": _keys(
        _SCRAPE_CONFIG,
        "".join(f"{name}SDConfigs mapping*\n" for name in _OPERATOR_DISCOVERIES.split()),
    ),
    "endpoint": _keys(_ENDPOINT, "bearerTokenFile text"),
    "pod-endpoint": _keys(_ENDPOINT, "portNumber whole"),
    "step": _keys(_OPERATOR_STEP),
    "static": _keys("targets text*\nlabels labels"),
}
ROOTS = {"ServiceMonitor": "v1", "PodMonitor": "v1", "ScrapeConfig": "v1alpha1"}
