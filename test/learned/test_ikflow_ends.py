"""Outer joints in closed form: exact, inside the bounds, and only where they follow."""

import numpy as np
import pytest
import robots
import torch
from flows import scrambled, write_weights
from robots import NONE, Z, planar_two_joints, pose_gap, random_chain, random_positions, urdf

from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros import KinematicChain
from generative_ik_ros.learned.checkpoint import CheckpointError
from generative_ik_ros.learned.ikflow.closing import Closing, closable
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.ikflow.sampler import IKFlow
from generative_ik_ros.learned.ikflow.weights import config_for
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.samplers.base import SeedRequest

TURNING = ("revolute", "continuous")


def turning_chain(seed=0, joints=5):
    return random_chain(np.random.default_rng(seed), joints, TURNING)[1]


def arm(joints):
    """A chain of joints one after the other: (kind, axis, further XML)."""
    limits = {"revolute": (-2.0, 2.0), "prismatic": (0.0, 0.4), "continuous": None}
    rows = [
        (kind, (0.3, 0.0, 0.2), NONE, axis, limits[kind], extra) for kind, axis, extra in joints
    ]
    return KinematicChain.from_urdf(urdf([*rows, ("fixed", (0.1, 0, 0), NONE, Z, None, "")]))


X = (1.0, 0.0, 0.0)
TURN, LIFT = ("revolute", X, ""), ("prismatic", Z, "")
ALONG = ("revolute", Z, "")


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        (load_robot("panda"), (0, 6)),
        (load_robot("ur10"), (0, 5)),
        (planar_two_joints(), ()),
        (arm([ALONG, TURN, TURN]), ()),
        (arm([ALONG, TURN, TURN, ALONG]), (0, 3)),
        (arm([LIFT, ALONG, TURN, TURN, ALONG]), (4,)),
        (arm([ALONG, TURN, TURN, LIFT]), (0,)),
        (arm([ALONG, TURN, TURN, ALONG, (*ALONG[:2], "<mimic joint='j3'/>")]), (0,)),
        (arm([(*ALONG[:2], "<mimic joint='j1'/>"), TURN, TURN, ALONG, TURN]), (3,)),
    ],
)
def test_joints_that_follow(chain, expected):
    assert closable(chain) == expected
    assert config_for(chain).closed == expected
    assert config_for(chain, closed=()).closed == ()


def test_a_wrist_that_stays_on_the_first_axis_closes_only_the_last_joint():
    axes = Z, X, Z, (0.0, 1.0, 0.0), X
    assert closable(robots.arm(*(("revolute", NONE, axis, (-2.0, 2.0)) for axis in axes))) == (4,)


@pytest.mark.parametrize("seed", range(2))
def test_the_right_inner_joints_give_the_right_outer_ones(seed):
    chain = turning_chain(seed)
    closed = closable(chain)
    assert closed == (0, 4)
    rng, box = np.random.default_rng(seed), JointBox.of(chain)
    q = random_positions(chain, rng, 50)
    boxed = ((q - box.middle) / box.half)[:, 1:-1]
    closing = Closing(chain, closed, "cpu", torch.float64)
    poses = torch.tensor(chain.canonical_target(chain.forward(q)))
    found = closing.positions(torch.tensor(boxed), poses).numpy()
    np.testing.assert_allclose(np.exp(1j * found), np.exp(1j * q), atol=1e-7)


def test_wrong_inner_joints_get_the_best_outer_ones():
    chain = turning_chain(1)
    rng = np.random.default_rng(0)
    q = random_positions(chain, rng, 20)
    closing = Closing(chain, closable(chain), "cpu", torch.float64)
    poses = torch.tensor(chain.canonical_target(chain.forward(q)))
    found = closing.positions(torch.tensor(rng.uniform(-1, 1, (20, 3))), poses).numpy()

    def gaps(positions):
        reached = chain.canonical_target(chain.forward(positions))
        across = np.linalg.norm(reached[:, :2, 3] - poses.numpy()[:, :2, 3], axis=-1)
        return across, pose_gap(reached, poses.numpy())[1]

    across, angle = gaps(found)
    for joint, place in ((0, 0), (4, 1)):
        for step in (-0.01, 0.01):
            moved = found.copy()
            moved[:, joint] += step
            assert (gaps(moved)[place] > (across, angle)[place]).all()


@pytest.mark.parametrize("kind", ["spline", "coupling"])
@pytest.mark.parametrize("seed", range(2))
def test_samples_are_inside_the_bounds_and_differ_from_the_target_where_the_flow_does(
    kind, seed, tmp_path
):
    chain = turning_chain(seed)
    path = write_weights(tmp_path / "w.safetensors", chain, scrambled(chain, kind=kind))
    box = SearchBox.of(chain)
    target = chain.forward(random_positions(chain, np.random.default_rng(3), 4))
    request = box.seed_request(target, 60, 0)
    seeds = IKFlow(chain, weights=path).propose(request)
    assert (seeds >= request.lower).all() and (seeds <= request.upper).all()
    free = ((seeds > request.lower + 1e-9) & (seeds < request.upper - 1e-9))[..., [0, -1]]
    reached = chain.canonical_target(chain.forward(seeds))
    wanted = chain.canonical_target(target)[:, None]
    azimuths = [np.arctan2(one[..., 1, 3], one[..., 0, 3]) for one in (reached, wanted)]
    gap = np.abs(np.remainder(azimuths[0] - azimuths[1] + np.pi, 2 * np.pi) - np.pi)
    assert free[..., 0].any() and np.quantile(gap[free[..., 0]], 0.99) < 1e-4


def test_weights_that_leave_out_other_joints_are_refused(tmp_path):
    chain = turning_chain()
    flow = scrambled(chain, closed=(2,))
    path = write_weights(tmp_path / "w.safetensors", chain, flow)
    with pytest.raises(CheckpointError, match="do not follow"):
        IKFlow(chain, weights=path)


def test_more_than_a_turn_of_room_gives_the_turn_inside_the_bounds(tmp_path):
    chain = load_robot("ur10")
    path = write_weights(tmp_path / "w.safetensors", chain, scrambled(chain))
    sampler = IKFlow(chain, weights=path)
    box = SearchBox.of(chain)
    target = chain.forward(random_positions(chain, np.random.default_rng(0), 3))
    whole = sampler.propose(box.seed_request(target, 40, 0))
    lower, upper = np.full(6, 0.5), np.full(6, 0.5 + 2 * np.pi)
    narrow = sampler.propose(SeedRequest(target, 40, lower, upper, 0))
    assert (narrow >= lower).all() and (narrow <= upper).all()
    np.testing.assert_allclose(np.exp(1j * narrow), np.exp(1j * whole), atol=1e-9)
