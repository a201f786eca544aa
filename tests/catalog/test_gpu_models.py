"""GPU models: what bounds them, and MIG profiles that fit into them."""

from __future__ import annotations

import re

import pytest

from gpuobs import catalog
from gpuobs.policy import slices
from gpuobs.spec.model import GpuModel

MODELS = catalog.gpu_models()
CUT = [model for model in MODELS.values() if model.mig]


def profile_memory(profile: str) -> int:
    found = re.fullmatch(r"[1-7]g\.(\d+)gb(\+me)?", profile)
    assert found is not None, profile
    return int(found[1])


def test_names_say_model_form_and_memory() -> None:
    for name, model in MODELS.items():
        assert name.endswith(f"-{model.memory:g}GB"), name
        assert model.source, name


def test_models_of_the_reference_fleet() -> None:
    assert {
        "H100-SXM5-80GB",
        "A100-SXM4-40GB",
        "MI300X-192GB",
        "L40S-48GB",
        "H200-SXM5-141GB",
    } <= set(MODELS)


def test_model_labels_are_unique() -> None:
    labels = [model.model_label for model in MODELS.values() if model.model_label]
    assert len(labels) == len(set(labels))


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.name)
def test_what_the_driver_reports_is_no_more_than_the_board_holds(model: GpuModel) -> None:
    if model.framebuffer is not None:
        assert 0.9 < model.framebuffer / 1024 / model.memory <= 1.0
    if model.slowdown is not None:
        assert model.max_operating is not None
        assert model.shutdown is not None
        assert model.max_operating < model.slowdown < model.shutdown
    known = catalog.metric_catalog(
        {"nvidia": "nvidia-dcgm", "amd": "amd-device-metrics"}[model.vendor]
    )
    assert known is not None
    assert set(model.unsupported) <= {metric.name for metric in known.metrics}
    assert not (model.nvlinks and "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL" in model.unsupported)


@pytest.mark.parametrize("model", CUT, ids=lambda model: model.name)
def test_mig_profiles_fit(model: GpuModel) -> None:
    assert model.mig_slices == (4 if model.name in ("A30-24GB", "RTX-PRO-6000-96GB") else 7)
    for profile, count in model.mig.items():
        assert slices(profile) * count <= model.mig_slices, profile
        # Profiles are named after rounded sizes: 7 x 23 GB of a B200 with 180 GB, 7 x 18 of 141.
        assert profile_memory(profile) * count <= model.memory * 1.03, profile
    whole = max(model.mig, key=slices)
    assert slices(whole) == model.mig_slices
    assert model.mig[whole] == 1
    assert profile_memory(whole) == pytest.approx(model.memory, rel=0.01)


def test_only_what_can_be_cut_has_slices() -> None:
    assert [m.name for m in MODELS.values() if bool(m.mig) != bool(m.mig_slices)] == []
