"""Closed forms of six-joint arms beside forward kinematics, a search, and cases known by hand."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from prismatic_arms import CASES, random_prismatic_arm
from robots import branches, drawn, errors, joint_gap, random_chain, searched
from six_joint_arms import FAMILIES, arm_of_no_family, chain_of, family_arm, random_lines

from generative_ik_ros.robot.closed_form import find_family, why_none
from generative_ik_ros.robot.known import load_robot

pytestmark = pytest.mark.slow

SAME = 0.02
"""Branches nearer than this cannot be told from one by a search, which ends 1e-6 from a pose."""


MAKERS = {
    **{name: partial(family_arm, name) for name in FAMILIES},
    **{" ".join(case): partial(random_prismatic_arm, case) for case in CASES},
}
"""Of random arms, by whether they are mirrored, a seed, and errors of their lines."""


def arms():
    for name, mirrored, seed in product(MAKERS, (False, True), (0, 1)):
        yield pytest.param(MAKERS[name](mirrored, seed), id=f"{name} {mirrored} {seed}")
    for seed in range(3):
        yield pytest.param(chain_of(*random_lines(np.random.default_rng(seed))), id=f"skew {seed}")


@pytest.mark.parametrize("chain", list(arms()))
def test_branches_are_right_and_the_known_one_is_among_them(chain):
    unsure, slides = 0, bool(chain.prismatic.any())
    assert ("prismatic" in find_family(chain).name) == slides
    for q in drawn(chain, np.random.default_rng(7), 200):
        pose = chain.forward(q)
        found, sure = branches(chain, pose)
        unsure += not sure
        if sure:
            assert joint_gap(chain, found, q) < (1e-6 if slides else 1e-4)
            assert errors(chain, found, pose).max() < (1e-9 if slides else 1e-7)
            for i in range(1, len(found)):
                assert joint_gap(chain, found[:i], found[i]) > 1e-7
    assert unsure <= (10 if find_family(chain).kernel.max_branches == 16 else 1)


@pytest.mark.parametrize(
    "name",
    ["ur10", "compi", "lwa4p", "skew", "wrist, 1 to 3 skew", "mirrored", *map(" ".join, CASES)],
)
def test_branches_are_those_of_an_exhaustive_search(name):
    rng = np.random.default_rng(11)
    if name in ("ur10", "compi", "lwa4p"):
        chain = load_robot(name)
    elif name == "skew":
        chain = chain_of(*random_lines(rng))
    else:
        chain = MAKERS.get(name, next(iter(MAKERS.values())))(name == "mirrored", 3)
    compared, count = 0, 8 if chain.prismatic.any() else 12
    for q in drawn(chain, rng, count):
        pose = chain.forward(q)
        found, sure = branches(chain, pose)
        if not sure:
            continue
        ends = searched(chain, pose, rng, 1500)
        assert len(ends) > 50
        assert max(joint_gap(chain, found, end) for end in ends) < SAME
        # Slides far beyond their limits are not searched.
        near = np.abs(found[:, chain.prismatic]).max(axis=1, initial=0.0) < 1.0
        assert max(joint_gap(chain, ends, one) for one in found[near]) < SAME
        compared += 1
    assert compared > 2 * count / 3


SINGULAR = {
    "elbow straight": {2: 0.0},
    "wrist straight": {4: 0.0},
    "both": {2: 0.0, 4: 0.0},
}


@pytest.mark.parametrize("offset", [0.0, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("case", SINGULAR)
@pytest.mark.parametrize("name", ["ur10", "compi"])
def test_singular_configurations_are_marked_and_found(name, case, offset):
    chain, rng = load_robot(name), np.random.default_rng(3)
    # On the URs and on compi joints 3 and 5 at zero are a straight arm and a straight wrist.
    for q in rng.uniform(-3.0, 3.0, (40, 6)):
        for joint, value in SINGULAR[case].items():
            q[joint] = value + offset
        pose = chain.forward(q)
        found, sure = branches(chain, pose)
        # Of a UR's straight wrist any of joint 6 may do, or only some of it.
        assert len(found) or (name == "ur10" and 4 in SINGULAR[case] and not sure)
        assert errors(chain, found, pose).max(initial=0.0) < (1e-9 if sure else 1e-5)
        if offset <= 1e-9:
            assert not sure
        elif sure:
            assert joint_gap(chain, found, q) < 1e-4
        if case == "elbow straight" and not sure:
            assert joint_gap(chain, found, q) < 0.01


def anthropomorphic():
    """Shoulder, elbow and wrist as in textbooks, upper arm 0.5 m, forearm 0.4 m, along z."""
    x, y, z = np.eye(3)
    points = [[0, 0, 0], [0, 0, 0], [0, 0, 0.5], [0, 0, 0.9], [0, 0, 0.9], [0, 0, 0.9]]
    return chain_of(np.array([z, y, y, z, y, x]), np.array(points, float))


@pytest.mark.parametrize("offset", [0.0, 1e-9, 1e-6, 1e-3])
def test_a_wrist_over_the_shoulder_is_marked(offset):
    chain, rng = anthropomorphic(), np.random.default_rng(5)
    for q in rng.uniform(-2.0, 2.0, (40, 6)):
        q[1] = offset - np.arctan2(0.4 * np.sin(q[2]), 0.5 + 0.4 * np.cos(q[2]))
        pose = chain.forward(q)
        found, sure = branches(chain, pose)
        assert len(found) and errors(chain, found, pose).max() < 1e-5
        assert not sure or (offset >= 1e-6 and joint_gap(chain, found, q) < 1e-4)
        assert sure or offset < 1e-3


@pytest.mark.parametrize("name", ["ur10", "compi"])
def test_poses_out_of_reach_have_no_branches(name):
    chain, rng = load_robot(name), np.random.default_rng(1)
    poses = chain.forward(rng.uniform(-np.pi, np.pi, (300, 6)))
    poses[:, :3, 3] *= 1.01 * chain.reach / np.linalg.norm(poses[:, :3, 3], axis=1)[:, None] * 1.3
    for pose in poses:
        found, sure = branches(chain, pose)
        assert sure and not len(found)


def test_rounded_descriptions_are_recognised_and_their_margin_is_wider():
    axes, points = random_lines(np.random.default_rng(2))
    FAMILIES["three parallel, 5 and 6 intersect"](axes, points)
    axes[3] += [2e-8, 0.0, -1.5e-8]
    axes[3] /= np.linalg.norm(axes[3])
    chain = chain_of(axes, points)
    exact = family_arm("three parallel, 5 and 6 intersect", False, 2)
    assert find_family(exact).parameters[2] < 1e-14
    assert 1e-9 < find_family(chain).parameters[2] < 1e-6
    rng, sure_ones = np.random.default_rng(0), 0
    for q in rng.uniform(-np.pi, np.pi, (300, 6)):
        pose = chain.forward(q)
        found, sure = branches(chain, pose)
        sure_ones += sure
        assert not sure or (
            joint_gap(chain, found, q) < 3e-3 and errors(chain, found, pose).max() < 1e-4
        )
    assert sure_ones > 255


@pytest.mark.parametrize(("mirrored", "off"), [(False, 3e-6), (True, 1e-7), (True, 3e-6)])
@pytest.mark.parametrize("name", MAKERS)
def test_arms_nearly_of_a_family_lose_no_branch(name, mirrored, off):
    for seed in range(3):
        chain = MAKERS[name](mirrored, seed, off)
        some = drawn(chain, np.random.default_rng(seed), 2000)
        for q, pose in zip(some, chain.forward(some), strict=True):
            found, sure = branches(chain, pose)
            assert not sure or joint_gap(chain, found, q) < 0.02


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ur10", "joints 2, 3 and 4 parallel, 5 and 6 intersect"),
        ("lwa4p", "joints 2 and 3 parallel, 1 and 2, 3 and 4, 4 and 5 intersect"),
        ("compi", "spherical wrist of joints 4, 5 and 6, 2 and 3 parallel"),
    ],
)
def test_robots_are_of_their_families(name, words):
    assert find_family(load_robot(name)).name == words


def test_mirrored_arms_are_named_from_their_base():
    chain = family_arm("wrist, 2 and 3 parallel", True, 0)
    assert find_family(chain).name == "spherical wrist of joints 3, 2 and 1, 5 and 4 parallel"


def test_arms_without_a_closed_form_are_told_why():
    assert "6 or 7 joints" in why_none(random_chain(np.random.default_rng(0), 5, ("revolute",))[1])
    _, chain = random_chain(np.random.default_rng(0), 6, ("prismatic",))
    assert "prismatic" in why_none(chain)
    axes, points = random_lines(np.random.default_rng(0))
    axes[:] = axes[0]
    assert find_family(chain_of(axes, points)) is None
    assert "all six directions" in why_none(chain_of(axes, points))
    assert "polynomial" in why_none(arm_of_no_family())
