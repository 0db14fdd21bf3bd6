"""Closed forms of arms with prismatic joints as they are built, and cases known by hand."""

import numpy as np
import pytest
from prismatic_arms import SEVEN, SIX, prismatic_arm
from robots import (
    NONE,
    X,
    Y,
    assert_true_solutions,
    branches,
    drawn,
    errors,
    joint_gap,
    random_chain,
    random_positions,
    urdf,
)

from generative_ik_ros import IKSolver, KinematicChain
from generative_ik_ros.robot.closed_form import find_family, find_locked, why_none

pytestmark = pytest.mark.slow

# What is None for other chains.
# pyright: reportOptionalMemberAccess=false

_WIDE = (-3.0, 3.0)


@pytest.fixture(params=SIX)
def six(request):
    return prismatic_arm(request.param)


@pytest.mark.parametrize("offset", [0.0, 1e-9, 1e-3])
def test_a_straight_wrist_is_marked(six, offset):
    rng = np.random.default_rng(3)
    for q in drawn(six, rng, 30):
        q[4] = offset
        found, sure = branches(six, six.forward(q))
        assert len(found) and errors(six, found, six.forward(q)).max() < 1e-5
        assert sure == (offset == 1e-3)
        assert not sure or joint_gap(six, found, q) < 1e-6


@pytest.mark.parametrize(
    ("name", "q"),
    [
        # The wrist on the first axis; the forearm drawn in to nothing; elbows straight.
        ("stanford", [0.3, 0.0, None, None, None, None]),
        ("lift first", [None, 0.2, -0.1 - 0.02, None, None, None]),
        ("scara with a lift", [None, None, 0.0, None, None, None]),
        ("turn, lift, turn", [None, None, 0.0, None, None, None]),
    ],
)
def test_singular_places_of_the_wrist_are_marked_or_regular(name, q):
    """Whatever is not marked has to contain the configuration that the pose was made of."""
    chain, rng, marked = prismatic_arm(name), np.random.default_rng(5), 0
    for one in drawn(chain, rng, 60):
        at = np.array([x if known is None else known for x, known in zip(one, q, strict=True)])
        found, sure = branches(chain, chain.forward(at))
        marked += not sure
        assert len(found)
        assert errors(chain, found, chain.forward(at)).max() < 1e-5
        assert not sure or joint_gap(chain, found, at) < 1e-4
    assert marked == 60 or name in ("stanford", "lift first")


@pytest.mark.parametrize("name", ["stanford", "scara with a lift", "turn, lift, turn"])
def test_poses_out_of_reach_have_no_branches(name):
    chain = prismatic_arm(name)
    poses = chain.forward(drawn(chain, np.random.default_rng(1), 200))
    if name == "stanford":
        # Its second joint is 0.15 m beside the first axis, on which the wrist is here.
        wrist = poses[:, :3, 3] - poses[:, :3, :3] @ chain.tip_in_last_joint[:3, 3]
        poses[:, :2, 3] -= wrist[:, :2]
    else:
        poses[:, :2, 3] += 5.0
    for pose in poses:
        found, sure = branches(chain, pose)
        assert sure and not len(found)


@pytest.mark.parametrize("name", SIX)
def test_calls_find_what_the_search_finds_and_say_that_these_are_all(name, rng):
    chain, proved = prismatic_arm(name), 0
    solver, searching = IKSolver(chain), IKSolver(chain, "quasi_random")
    targets = chain.forward(random_positions(chain, rng, 25))
    found, others = solver.solve(targets, 100), searching.solve(targets, 100)
    assert_true_solutions(chain, found, targets)
    for t in np.flatnonzero(found.complete).tolist():
        proved += 1
        assert found.counts[t] == others.counts[t]
        assert max(joint_gap(chain, found.of(t), q) for q in others.of(t)) < 0.04
    assert proved > 20


def test_recognised_arms_are_named():
    names = {name: find_family(prismatic_arm(name)).name for name in SIX}
    assert names["gantry"].endswith("4, 5 and 6, joints 1, 2 and 3 prismatic")
    assert names["stanford"].endswith("joint 3 prismatic")
    assert names["cylindrical"].endswith("joints 2 and 3 prismatic")
    locked = {name: find_locked(prismatic_arm(name)).name for name in SEVEN}
    assert locked["lift and ur"].startswith("prismatic joint 1 locked: joints 3, 4 and 5 parallel")
    assert locked["tool on a slide"].startswith("prismatic joint 7 locked: spherical wrist")


def test_a_prismatic_joint_in_the_wrong_place_is_named():
    joints = list(SIX["stanford"])
    joints[2] = ("revolute", (0.0, 0.1, 0.5), NONE, X, _WIDE, "")
    joints[4] = ("prismatic", NONE, NONE, X, (-1.0, 1.0), "")
    chain = KinematicChain.from_urdf(urdf(joints))
    assert find_family(chain) is None
    assert "prismatic joint 'j4'" in why_none(chain) and "spherical wrist" in why_none(chain)
    joints[3] = ("prismatic", NONE, NONE, Y, (-1.0, 1.0), "")
    chain = KinematicChain.from_urdf(urdf(joints))
    assert "prismatic joints 'j3', 'j4'" in why_none(chain)
    joints = list(SEVEN["rail and wrist"])
    joints[0], joints[5] = joints[5], joints[0]
    chain = KinematicChain.from_urdf(urdf(joints))
    assert find_locked(chain) is None
    assert "prismatic joint 'j5'" in why_none(chain) and "first or the last" in why_none(chain)
    # A rail under an arm of no special kind: the joint itself is no obstacle.
    _, general = random_chain(np.random.default_rng(0), 7, ("revolute",))
    rail = [("prismatic", NONE, NONE, X, (-1.0, 1.0), "")]
    rail += [
        ("revolute", origin[:3, 3], NONE, axis, _WIDE, "")
        for origin, axis in zip(general.joint_origins[1:], general.joint_axes[1:], strict=True)
    ]
    chain = KinematicChain.from_urdf(urdf(rail))
    assert find_locked(chain) is None and "no special kind" in why_none(chain)


def test_slides_that_cannot_place_the_wrist_are_no_family():
    joints = list(SIX["gantry"])
    joints[1] = ("prismatic", (0.0, 0.1, 0.0), NONE, X, (-1.0, 1.0), "")
    chain = KinematicChain.from_urdf(urdf(joints))
    assert find_family(chain) is None and "all six directions" in why_none(chain)


@pytest.mark.parametrize("length", [0.5, 40.0])
def test_a_rail_of_any_length_is_sampled_where_the_arm_reaches(length, rng):
    joints = list(SEVEN["rail and ur"])
    joints[0] = ("prismatic", NONE, NONE, X, (0.0, length), "")
    chain = KinematicChain.from_urdf(urdf(joints))
    solver, searching = IKSolver(chain), IKSolver(chain, "quasi_random")
    targets = chain.forward(random_positions(chain, rng, 10))
    found, others = solver.solve(targets, 200), searching.solve(targets, 1000)
    assert_true_solutions(chain, found, targets)
    assert found.counts.sum() > 0.97 * np.minimum(200, others.counts).sum()
    for t in range(len(targets)):
        # Solutions of all parts of the rail that the search finds are near one of ours.
        apart = np.abs(found.of(t)[:, 0] - others.of(t)[:, :1]).min(axis=1)
        assert apart.max() < 0.15


@pytest.mark.parametrize("limits", [(-999999.0, 999999.0), (0.0, 999999.0)])
@pytest.mark.parametrize("base", ["rail", "plane"])
def test_travel_without_end_is_no_measure_of_the_robot(rng, base, limits):
    """Bases whose limits mean that they have none."""
    slides = [("prismatic", NONE, NONE, axis, limits, "") for axis in (X, Y)]
    arm = SEVEN["rail and wrist"][1:]
    chain = KinematicChain.from_urdf(urdf([*slides[: 1 + (base == "plane")], *arm]))
    assert chain.reach > 999999.0 and (chain.joint_units <= 12.0).all()
    targets = chain.forward(
        rng.uniform(
            np.maximum(chain.lower, -2.0), np.minimum(chain.upper, 2.0), (40, len(chain.lower))
        )
    )
    solver = IKSolver(chain)
    for number in (1, 5):
        found = solver.solve(targets, number)
        assert (found.counts == number).all()
        assert_true_solutions(chain, found, targets)
    path = targets[:1].repeat(20, axis=0)
    path[:, 0, 3] += np.linspace(0.0, 0.1, 20)
    along = solver.solve_path(path, found.positions[0, 0])
    assert len(along.positions) == 20 and np.abs(np.diff(along.positions, axis=0)).max() < 0.2
