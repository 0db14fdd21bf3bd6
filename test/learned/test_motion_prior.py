"""A flow that learns a user's configurations: what it proposes, and what it prefers."""

import csv
import json

import numpy as np
import pytest
from robots import NONE, Z, urdf

from generative_ik_ros import IKSolver, KinematicChain
from generative_ik_ros.cli.main import main
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.learned.checkpoint import load_checkpoint
from generative_ik_ros.learned.ikflow.sampler import IKFlow
from generative_ik_ros.learned.training.motion_prior import motion_prior
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.samplers.base import SeedRequest

WIDE = (-3.0, 3.0)
PLANAR = urdf(
    [
        ("revolute", NONE, NONE, Z, WIDE, ""),
        ("revolute", (1.0, 0, 0), NONE, Z, WIDE, ""),
        ("revolute", (0.8, 0, 0), NONE, Z, WIDE, ""),
    ]
)
"""Three parallel joints: a pose has two solutions, elbow up and elbow down."""
SETTINGS = [
    "layers=6", "hidden=16", "condition_hidden=32", "learning_rate=5e-3", "steps=400", "batch=256",
    "warm_up=20", "ema=0.98", "threads=1",
]  # fmt: skip


def elbow_up(rng, count):
    q = rng.uniform(-2.5, 2.5, (count, 3))
    q[:, 1] = rng.uniform(0.4, 2.2, count)
    return q


def write(path, names, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["time", *names], *([k, *row] for k, row in enumerate(rows))])
    return path


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """The arm, and weights that have seen nothing but elbow up."""
    folder = tmp_path_factory.mktemp("prior")
    arm, weights = folder / "arm.urdf", folder / "weights.safetensors"
    arm.write_text(PLANAR)
    chain = KinematicChain.from_urdf(PLANAR)
    seen = elbow_up(np.random.default_rng(0), 600)
    file = write(folder / "seen.csv", chain.joint_names, seen)
    arguments = ["train", "ikflow", "--urdf", str(arm), "--output", str(weights)]
    arguments += [part for one in SETTINGS for part in ("--set", one)]
    assert main([*arguments, "--configurations", str(file)]) == 0
    return chain, weights, arguments, folder


@pytest.fixture
def solver(learned):
    chain, weights, *_ = learned
    return IKSolver(chain, IKFlow(chain, weights=weights))


def test_samples_follow_the_prior(learned, rng):
    chain, weights, *_ = learned
    q = elbow_up(rng, 100)
    request = SeedRequest(chain.forward(q), 20, chain.lower, chain.upper, 0)
    up = IKFlow(chain, weights=weights).propose(request)[..., 1] > 0.0
    assert up.mean() > 0.9


def test_what_is_likelier_comes_first(solver, rng):
    q = elbow_up(rng, 100)
    found = solver.solve(solver.chain.forward(q), 2, order_by="likelihood")
    both = found.counts == 2  # where elbow down is within the limits, too
    assert both.sum() > 50 and (found.positions[both, 1, 1] < 0.0).mean() > 0.95
    assert (found.positions[both, 0, 1] > 0.0).mean() > 0.95
    assert (np.diff(found.scores[both], axis=1) <= 0.0).all()
    own = solver.sampler.log_likelihood(found.positions[:, 0])
    np.testing.assert_allclose(found.scores[:, 0], own)
    diverse = solver.solve(solver.chain.forward(q), 2)
    assert diverse.scores is None and (diverse.positions[both, 0, 1] > 0.0).mean() < 0.9


def test_unusual_poses_are_solved_all_the_same(solver, rng):
    q = elbow_up(rng, 50) * [1, -1, 1]
    found = solver.solve(solver.chain.forward(q), 1)
    assert found.counts.all()


def test_densities_are_of_one_pose(solver, learned):
    pose = solver.chain.forward(np.array([0.3, 1.0, 0.2]))
    for bad in ({"region": TaskSpaceRegion.free_axis("z")}, {"goal_set": True}):
        poses = pose[None] if "goal_set" in bad else pose
        with pytest.raises(InvalidArgumentError, match="compares solutions of one pose"):
            solver.solve(poses, 1, order_by="likelihood", **bad)
    loose = IKSolver(solver.chain, solver.sampler, orientation_tolerance=np.inf)
    with pytest.raises(InvalidArgumentError, match="infinite tolerance"):
        loose.solve(pose, 1, order_by="likelihood")


def test_weights_of_all_configurations_alike_have_no_likelihood():
    chain = load_robot("panda")
    with pytest.raises(InvalidArgumentError, match=r"none is likelier; .* --configurations FILE"):
        IKSolver(chain).solve(np.eye(4), 1, order_by="likelihood")


def test_the_file_says_what_was_learned_and_resumes_with_nothing_else(learned, refused):
    chain, weights, arguments, folder = learned
    training = load_checkpoint(weights, sampler="ikflow").training
    assert 450 < training["configurations"] < 600 and training["uniform_share"] == 0.1
    other = write(folder / "other.csv", chain.joint_names, elbow_up(np.random.default_rng(1), 99))
    words = (*arguments, "--configurations", other, "--resume")
    refused(*words, says="of other configurations")


def test_the_shell_shows_the_score(learned, monkeypatch, capsys):
    chain, weights, _, folder = learned
    place = folder / "data" / "ikflow" / f"{chain.fingerprint}.safetensors"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(weights.read_bytes())
    monkeypatch.setenv("GENERATIVE_IK_WEIGHTS", str(folder / "data"))
    pose = ["--pose", "1.3 0.5 0 0 0 0.25 0.968"]
    order = ["--order-by", "likelihood", "-n", "2", "--json"]
    assert main(["solve", "--urdf", str(folder / "arm.urdf"), *pose, *order]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["scores"] == sorted(report["scores"], reverse=True) and report["count"] == 2
    assert report["positions"][0][1] > 0.0 > report["positions"][1][1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda q: q[:49], "50 different configurations or more, not from 49"),
        (lambda q: q[:1].repeat(500, axis=0), "not from 1"),
        (
            lambda q: q + 4.0 * (np.arange(len(q)) == 7)[:, None],
            "configuration 7 has joint 'j.' at .*, outside",
        ),
    ],
)
def test_what_no_prior_can_be_learned_from(change, reason, rng):
    chain = KinematicChain.from_urdf(PLANAR)
    with pytest.raises(InvalidArgumentError, match=reason):
        motion_prior(chain, change(elbow_up(rng, 100)), 0.1)


def test_a_recording_is_held_out_in_pieces_and_its_spread_does_not_follow_its_rate(rng):
    chain = KinematicChain.from_urdf(PLANAR)
    corners = rng.uniform(-2.0, 2.0, (30, 3))
    spreads = []
    for a_leg in (10, 100):
        share = np.linspace(0.0, 1.0, a_leg, endpoint=False)[:, None]
        walk = [a + (b - a) * share for a, b in zip(corners[:-1], corners[1:], strict=True)]
        seen = motion_prior(chain, np.concatenate(walk), 0.1)
        assert 0.05 < len(seen.held_out) / (len(seen.points) + len(seen.held_out)) < 0.15
        spreads.append(seen.spread)
    # Ten times as many configurations of the same motion are hardly more to learn from.
    assert spreads[1] > 0.5 * spreads[0] > 0.02
