"""Arms of seven joints with one of them locked: branches of all its angles are the solutions."""

import numpy as np
import pytest
from prismatic_arms import SEVEN, prismatic_arm
from robots import (
    NONE,
    Y,
    Z,
    assert_true_solutions,
    nearest_lengths,
    poses,
    random_chain,
    random_positions,
    urdf,
)

from generative_ik_ros import CollisionModel, IKSolver, KinematicChain, Scene, SolveStatus
from generative_ik_ros.robot.closed_form import find_family, find_locked, why_none
from generative_ik_ros.robot.known import load_robot

pytestmark = pytest.mark.slow

# What is None for other chains.
# pyright: reportOptionalMemberAccess=false

_FIRST_LOCKED = [
    ("continuous", (0.0, 0.0, 0.3), NONE, Z, None, ""),
    ("revolute", (0.1, 0.02, 0.1), NONE, Y, (-2.0, 2.0), ""),
    ("revolute", NONE, NONE, Z, (-7.0, 7.0), ""),
    ("revolute", (0.05, 0.0, 0.4), NONE, Y, (-2.2, 2.2), ""),
    ("revolute", (-0.05, 0.0, 0.3), NONE, Z, (-2.9, 2.9), ""),
    ("revolute", (4e-6, 0.0, 0.0), NONE, Y, (-1.8, 1.8), ""),
    ("continuous", NONE, NONE, Z, None, ""),
    ("fixed", (0.02, 0.0, 0.15), (0.1, 0.2, 0.3), Z, None, ""),
]
"""A shoulder and an elbow with offsets, joints with and without room for several turns, and a
description of a wrist whose axes do not quite meet."""


PRISMATIC = "tilted rail and wrist", "lift and ur", "tool on a slide"


@pytest.fixture(scope="module", params=["panda", "iiwa", "own", *PRISMATIC])
def chain(request):
    if request.param == "own":
        return KinematicChain.from_urdf(urdf(_FIRST_LOCKED))
    if request.param in SEVEN:
        return prismatic_arm(request.param)
    return load_robot(request.param)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("iiwa", "joint 1 locked: spherical wrist of joints 5, 6 and 7, 2 and 3 intersect"),
        ("panda", "joint 7 locked: spherical wrist of joints 3, 2 and 1, 6 and 5 intersect"),
    ],
)
def test_the_joint_to_lock_is_recognised(name, words):
    chain = load_robot(name)
    assert find_locked(chain).name == words and find_family(chain) is None
    assert IKSolver(chain).sampler.name == "closed_form"


def test_other_arms_of_seven_joints_are_told_why():
    _, chain = random_chain(np.random.default_rng(0), 7, ("revolute",))
    assert find_locked(chain) is None and "locked" in why_none(chain)
    assert IKSolver(chain).sampler.name == "quasi_random"


def test_branches_at_the_angle_of_a_configuration_contain_it(chain, rng):
    """The locked joint's own geometry, against forward kinematics."""
    locked, solver = find_locked(chain), IKSolver(chain, distinct_distance=1e-4)
    for q in random_positions(chain, rng, 20):
        limits = np.full(7, np.inf)
        limits[locked.joint] = 1e-9
        found = solver.solve(
            chain.forward(q), 60, seed_state=q, consistency_limits=limits, order_by="diverse"
        )
        assert nearest_lengths(q[None], found.of(0)) < 3e-4


def test_all_is_true_and_covers_what_an_exhaustive_search_finds(solver, searching, chain, rng):
    targets, shares, counts = poses(chain, rng, 12), [], []
    found, others = solver.solve(targets, 300), searching.solve(targets, 1000)
    assert_true_solutions(chain, found, targets)
    assert not found.complete.any()
    for t in range(len(targets)):
        shares.append((nearest_lengths(others.of(t), found.of(t)) < 0.5).mean())
        counts.append(found.counts[t] / min(300, others.counts[t]))
    assert np.mean(shares) > 0.995 and min(shares) > 0.95
    assert np.mean(counts) > 0.97


def smallest_distance(q):
    return min(np.linalg.norm(one - other) for i, one in enumerate(q) for other in q[:i])


@pytest.mark.parametrize("wanted", [2, 3, 5])
def test_a_few_are_no_fewer_and_as_far_apart_as_those_of_a_search(
    solver, searching, chain, rng, wanted
):
    apart = []
    for target in poses(chain, rng, 25):
        found, other = solver.solve(target, wanted), searching.solve(target, wanted)
        assert_true_solutions(chain, found, target[None])
        assert found.counts[0] >= other.counts[0]
        if other.counts[0] == wanted:
            apart.append([smallest_distance(one.of(0)) for one in (found, other)])
    ours, theirs = np.mean(apart, axis=0)
    assert len(apart) > 15 and ours > 0.9 * theirs


def test_curves_shorter_than_the_first_steps_are_found_without_a_search():
    """Some poses of an iiwa have no solution at the angles that are looked at first."""
    chain = load_robot("iiwa")
    rows = random_positions(chain, np.random.default_rng(0), 200)
    found = IKSolver(chain).solve(chain.forward(rows), 100)
    assert (found.counts == 100).all() and found.timings.iterations == 0


def test_more_asked_is_never_less_found(solver, chain, rng):
    """Nor by a search, whose course does not depend on how many are wanted."""
    for target in poses(chain, rng, 3):
        for one, most in ((solver, 10_000), (solver.searching(), 3000)):
            counts = [one.solve(target, k).counts[0] for k in (1, 10, 100, 300, 1000, most)]
            assert counts == sorted(counts), counts


@pytest.mark.parametrize("off", [0.0, 4e-6])
def test_a_wrist_that_is_not_quite_one_costs_no_search_and_no_accuracy(off):
    """Branches are off by as much, and are made exact; none is marked for it."""
    joints = [list(joint) for joint in _FIRST_LOCKED]
    joints[5][1] = (off, 0.0, 0.0)
    # Without room for full turns, which a search would list.
    joints[2][4] = (-2.9, 2.9)
    chain = KinematicChain.from_urdf(urdf(joints))
    assert find_locked(chain).moved == pytest.approx(off / 2.0, rel=0.9)
    targets = chain.forward(random_positions(chain, np.random.default_rng(0), 40))
    found = IKSolver(chain).solve(targets, 200)
    assert found.counts.mean() > 176.0 and found.timings.iterations == 0
    assert_true_solutions(chain, found, targets)
    assert np.nanmax(found.position_error) < 1e-8 and np.nanmax(found.orientation_error) < 1e-8


def test_what_is_made_exact_stays_distinct_beside_singular_configurations(rng):
    """Where branches of a description with rounded angles move far, two may come to one."""
    right = np.pi / 2.0
    upper = ("continuous", (-0.02, -0.051, 0.325), (right, -right, -right), Z, None, "")
    elbow = ("continuous", (0.0, -0.094, 0.04), (right, 0.0, 0.0), Z, None, "")
    shoulder = [
        ("continuous", (0.0, 0.0, 0.051), NONE, Z, None, ""),
        ("continuous", (0.0, 0.0885, 0.055), (-right, 0.0, 0.0), Z, None, ""),
        ("continuous", (0.071, 0.0, -0.08855), (3.1416, -1.5708, 0.0), Z, None, ""),
    ]
    chain = KinematicChain.from_urdf(urdf([*shoulder, upper, elbow, upper, elbow]))
    q = rng.uniform(-3.0, 3.0, (40, 7))
    q = np.where(rng.random(q.shape) < 0.5, np.rint(q / right) * right, q)
    targets = chain.forward(q)
    found = IKSolver(chain).solve(targets, 600)
    assert_true_solutions(chain, found, targets)
    assert found.counts.mean() > 560.0


def test_solutions_come_most_diverse_first(solver, chain, rng):
    for target in poses(chain, rng, 4):
        q = solver.solve(target, 60).of(0)
        apart = [nearest_lengths(q[k : k + 1], q[:k])[0] for k in range(1, len(q))]
        # Chords count, which are no longer than arcs and at least 2 / pi of them.
        before = np.minimum.accumulate(apart)[:-1] + 1e-9
        assert (np.array(apart[1:]) * 2.0 / np.pi <= before).all()


def test_stretched_and_unreachable_poses_are_left_to_the_search(solver, searching, chain, rng):
    far = poses(chain, rng, 3)
    far[:, :3, 3] *= 4.0
    found = solver.solve(far, 50)
    assert found.status == (SolveStatus.NO_SOLUTION,) * 3 and not found.complete.any()
    straight = chain.forward(np.clip(np.zeros(7), chain.lower, chain.upper))
    one, other = solver.solve(straight, 50), searching.solve(straight, 50)
    assert_true_solutions(chain, one, straight)
    assert one.counts[0] >= 0.9 * other.counts[0]


@pytest.mark.parametrize("joints", [_FIRST_LOCKED, SEVEN["rail and wrist"]], ids=["own", "rail"])
def test_with_collisions_solutions_on_curves_are_free_and_no_fewer_than_a_search_has(joints, rng):
    pytest.importorskip("coal")
    text = urdf(joints)
    for link in ("l3", "l5"):
        shape = "<origin xyz='0 0 0.15'/><geometry><box size='0.08 0.08 0.3'/></geometry>"
        with_shape = f"<link name='{link}'><collision>{shape}</collision></link>"
        text = text.replace(f"<link name='{link}'/>", with_shape)
    chain, model = KinematicChain.from_urdf(text), CollisionModel.from_urdf(text)
    scene = Scene(boxes=[((0.3, 2.0, 0.6), (0.45, 0.0, 0.9))])
    solver, searching = (IKSolver(chain, name, collision=model) for name in ("auto", "uniform"))
    targets = poses(chain, rng, 20)
    found, others = (
        solver.solve(targets, 60, scene=scene),
        searching.solve(targets, 60, scene=scene),
    )
    assert_true_solutions(chain, found, targets)
    free = others.counts > 0
    assert 5 < free.sum() and (found.counts[free] > 0).all()
    assert found.counts.sum() > 0.98 * others.counts.sum()
    for t in np.flatnonzero(found.counts):
        assert not solver.collides(found.of(t), scene=scene).any()
