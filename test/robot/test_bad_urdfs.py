"""Every malformed description raises its own clear error, quickly, and never anything else."""

import re
import time

import numpy as np
import pytest
from bad_urdfs import BAD_URDFS, GOOD_URDF
from hypothesis import example, given, settings
from hypothesis import strategies as st

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription


def test_the_good_one_is_good():
    chain = KinematicChain.from_urdf(GOOD_URDF)
    assert (chain.base_link, chain.tip_link) == ("base", "tip")
    assert chain.joint_names == ["turn", "slide", "roll"]


@pytest.mark.parametrize("bad", BAD_URDFS, ids=lambda bad: bad.id)
def test_each_fault_has_its_own_error(bad):
    with pytest.raises(bad.error, match=re.escape(bad.message)) as caught:
        KinematicChain.from_urdf(bad.text, bad.base_link, bad.tip_link)
    assert len(str(caught.value)) < 500 and "\n" not in str(caught.value)


VALUES = re.findall(r'"([^"]*)"', GOOD_URDF)
NASTY = ["", " ", "nan", "1e400", "-0", "0 0 0", "a", "&lt;", "${x}", "base", "tip", "turn", "é"]


@settings(max_examples=150, deadline=None)
@example(0, "x" * 9)
@given(st.integers(0, len(VALUES) - 1), st.sampled_from(NASTY) | st.text(max_size=8))
def test_any_attribute_value_gives_a_chain_or_our_error(which, value):
    pieces = re.split(r'"[^"]*"', GOOD_URDF)
    values = [*VALUES]
    values[which] = value
    quoted = [f'"{value}"' for value in values] + [""]
    text = "".join(piece + value for piece, value in zip(pieces, quoted, strict=True))
    _reads_or_refuses(text)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(GOOD_URDF)), st.integers(0, 60), st.text(max_size=5))
def test_any_cut_gives_a_chain_or_our_error(at, removed, inserted):
    _reads_or_refuses(GOOD_URDF[:at] + inserted + GOOD_URDF[at + removed :])


def _reads_or_refuses(text):
    try:
        chain = KinematicChain.from_urdf(text, tip_link="tip")
    except GenerativeIKError:
        return
    assert np.isfinite(chain.forward(np.zeros(chain.num_joints))).all()


def _mimics(number):
    links = "".join(f'<link name="l{i}"/>' for i in range(number + 1))
    limit = '<limit lower="0" upper="1"/>'
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent link="l0"/><child link="l{i + 1}"/>{limit}'
        + (f'<mimic joint="j{i + 1}"/>' if i + 1 < number else "")
        + "</joint>"
        for i in range(number)
    )
    return f"<robot>{links}{joints}</robot>"


@pytest.mark.slow
def test_a_hostile_tree_costs_no_more_than_its_size():
    """Twenty times the links, not four hundred times the time: one hub, one chain of mimics."""

    def seconds(number):
        text = _mimics(number)
        start = time.process_time()
        description = RobotDescription.from_urdf_text(text)
        with pytest.raises(GenerativeIKError):
            KinematicChain.from_urdf(description)
        KinematicChain.from_urdf(description, tip_link="l1")
        return time.process_time() - start

    seconds(10)
    few, many = (min(seconds(number) for _ in range(3)) for number in (100, 2000))
    assert many < 80 * few
