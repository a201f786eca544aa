"""NVIDIA's XIDs, by what a person does about them."""

from __future__ import annotations

from gpuobs.catalog import Xid, xids

CLASSES = {"app", "info", "reset", "reboot", "triage", "unclassified", "unused"}


def test_every_number_is_there() -> None:
    assert sorted(xids()) == list(range(1, 173))
    assert {xid.class_ for xid in xids().values()} == CLASSES
    assert all(number == xid.number for number, xid in xids().items())


def test_an_xid_has_what_the_catalogue_says() -> None:
    assert xids()[79] == Xid(
        number=79,
        mnemonic="RC_GPU_HAS_FALLEN_OFF_THE_BUS",
        name="GPU has fallen off the bus",
        immediate="RESTART_BM",
        investigatory="CONTACT_SUPPORT",
        class_="reboot",
    )


def test_classes_follow_the_immediate_action() -> None:
    actions = {
        "app": {"RESTART_APP"},
        "reboot": {"RESTART_BM", "RESTART_VM"},
        "reset": {"RESET_GPU"},
        "info": {"IGNORE", "XID_154"},
        "unclassified": {""},
    }
    for xid in xids().values():
        if xid.class_ in actions:
            assert xid.immediate in actions[xid.class_], xid.number
        else:
            assert xid.class_ == "triage" or xid.name == "Unused", xid.number


def test_the_ones_that_take_a_gpu_away() -> None:
    assert {number for number, xid in xids().items() if xid.class_ == "reset"} == {
        46,
        62,
        64,
        95,
        109,
        110,
        119,
        120,
        136,
        140,
        143,
        155,
        156,
        158,
    }
    assert {number for number, xid in xids().items() if xid.class_ == "reboot"} == {79, 151}
