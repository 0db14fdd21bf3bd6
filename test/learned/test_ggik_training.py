"""Training one graph model for many arms: the data are right, it learns, and it resumes."""

from pathlib import Path

import pytest
import torch
from odd_arms import ODD_ARMS
from robots import NONE, Z, arm, planar_two_joints, urdf

from generative_ik_ros.cli.main import main
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.learned.ggik.autoregressive.goal_features import (
    GoalView,
    displacement_from,
    training_pairs,
)
from generative_ik_ros.learned.ggik.autoregressive.kinematics import (
    JointFrame,
    closed_form,
    displacement_of,
    next_frame,
)
from generative_ik_ros.learned.ggik.autoregressive.model import AutoregressiveModel
from generative_ik_ros.learned.ggik.config import AutoregressiveConfig, LatentConfig
from generative_ik_ros.learned.ggik.sampler import GGIK
from generative_ik_ros.learned.ggik.weights import load_model
from generative_ik_ros.learned.graph.arm_graph import ArmGraph, recover
from generative_ik_ros.learned.graph.layout import Layout
from generative_ik_ros.learned.graph.lines import JointLines
from generative_ik_ros.learned.graph.links import Frame
from generative_ik_ros.learned.training.config import TrainOptions
from generative_ik_ros.learned.training.ggik_config import GGIKTraining
from generative_ik_ros.learned.training.ggik_data import arm_source, random_source, varied_source
from generative_ik_ros.learned.training.ggik_task import ggik_task
from generative_ik_ros.learned.training.loop import train
from generative_ik_ros.learned.training.random_arms import random_arms, varied_arms
from generative_ik_ros.robot.known import load_robot

CPU = torch.device("cpu")
SMALL = LatentConfig(hidden=16, encoder_layers=1, decoder_layers=2, latent=4, components=4)
AUTOREGRESSIVE = AutoregressiveConfig(hidden=32, blocks=1, memory=16, components=8)
CONFIGS = {"latent": SMALL, "autoregressive": AUTOREGRESSIVE}


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("joints", [6, 7])
def test_random_arms_are_arms_that_points_describe(joints):
    lines = random_arms(joints, 200, generator())
    axes = lines.directions
    torch.testing.assert_close(axes.norm(dim=-1), torch.ones(200, joints))
    torch.testing.assert_close(axes[:, -1], lines.last_in_first[:, :3, 2], atol=1e-5, rtol=0)
    arm = ArmGraph(lines, Layout.of((False,) * joints))
    assert (arm.scale > 0.2).all() and arm.scale.std() > 0.1
    q = lines.uniform(torch.rand(200, joints, generator=generator()))
    off = recover(arm, arm.points(q)) - q
    turns = torch.remainder(off + torch.pi, 2.0 * torch.pi) - torch.pi
    assert turns.abs().max() < 1e-3
    parallel = torch.linalg.cross(axes[:, 1:], axes[:, :-1]).norm(dim=-1) < 1e-3
    assert 0.05 < parallel.float().mean() < 0.4
    three = parallel[:, 1:] & parallel[:, :-1]
    assert 0.05 < three.any(dim=1).float().mean() < 0.4
    assert not (three[:, 1:] & three[:, :-1]).any() and not parallel[:, 0].any()


def test_variations_keep_angles_and_change_lengths_by_the_share():
    lines = JointLines.of(load_robot("ur10")).to("cpu", torch.float32)
    varied = varied_arms(lines, 300, 0.4, generator())
    torch.testing.assert_close(varied.directions[7], lines.directions)
    graph = ArmGraph(varied, ArmGraph.of(load_robot("ur10")).layout)
    whole = ArmGraph.of(load_robot("ur10"))
    one = graph.joint_points.diff(dim=-2).norm(dim=-1)
    two = whole.joint_points.diff(dim=-2).norm(dim=-1).float()
    ratio = (one / two)[:, two > 1e-3]
    assert ratio.min() > 0.6 - 1e-4 and ratio.max() < 1.4 + 1e-4 and ratio.std() > 0.1


@pytest.mark.parametrize("one", ODD_ARMS)
def test_variations_of_any_arm_are_described_by_their_points(one):
    """Coaxial joints, too, whose link has a point beside their axis."""
    source = varied_source(ArmGraph.of(one()).to("cpu", torch.float32), 0.3)
    ((arm, q),) = source(8, generator(), 2)
    off = recover(arm, arm.points(q)) - q
    assert (torch.remainder(off + torch.pi, 2.0 * torch.pi) - torch.pi).abs().max() < 1e-3


def test_random_arms_may_have_a_prismatic_joint():
    ((arm, q),) = random_source(6, sliding=1.0)(50, generator(), 1)
    links, frame = arm.links, Frame.identity(q[..., :3])
    assert sum(links.prismatic) == 1
    for joint in range(6):
        joint_frame = JointFrame.of(links, joint, frame)
        displacement = displacement_of(links, joint, q)
        frame = next_frame(links, joint, frame, joint_frame, displacement)
    goal = links.end_frame(arm.lines.forward(q))
    for one, two in ((frame.origin, goal.origin), (frame.axes, goal.axes)):
        torch.testing.assert_close(one, two, atol=1e-3, rtol=0)
    assert not any(random_source(6)(8, generator(), 1)[0][0].lines.prismatic)


def test_batches_of_different_arms_are_problems_with_their_solutions():
    chains = {"two": planar_two_joints(), "ur10": load_robot("ur10")}
    source = arm_source(chains, CPU, joints=(6,))
    what = ggik_task(source, SMALL, {}, {}, CPU)
    problems, points = what._problems(7, generator())
    assert problems.exists.sum(-1).tolist() == [15] * 3 + [7] * 2 + [15] * 2
    known = problems.known & problems.exists
    torch.testing.assert_close(problems.positions[known], points[known], atol=1e-5, rtol=0)
    distances = torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")
    certain = problems.edges[..., 1] > 0
    torch.testing.assert_close(
        problems.edges[..., 0][certain], distances[certain], atol=1e-5, rtol=0
    )


def three_joints():
    places = (NONE, (1.0, 0.0, 0.0), (0.5, 0.0, 0.2))
    return arm(*(("revolute", place, Z, (-3.0, 3.0)) for place in places))


def task(generator="latent"):
    chains = {"three": three_joints()}
    robots = {"three": chains["three"].fingerprint}
    return ggik_task(arm_source(chains, CPU), CONFIGS[generator], robots, chains, CPU)


@pytest.mark.parametrize("generator", CONFIGS)
def test_a_few_seconds_teach_three_joints(generator, tmp_path):
    what, output = task(generator), tmp_path / "w.safetensors"
    before = what.evaluate()
    options = TrainOptions(
        steps=250, batch=64, learning_rate=5e-3, ema=0.98, warm_up=20, check_every=50,
        evaluate_every=0.0, patience=1e6,
    )  # fmt: skip
    summary = train(what, options, output, fingerprint="x")
    after = summary["figures"]
    share = 0.2 if generator == "latent" else 0.5
    assert after["held_out_loss"] < share * before["held_out_loss"]
    # Known distances decide all of it, once a joint is sampled: untrained, too.
    exact = generator == "autoregressive"
    assert after["position_error_mm"] < (1e-2 if exact else 0.5 * before["position_error_mm"])
    trained = load_model(output)
    assert trained.knows(three_joints())
    sampler = GGIK(three_joints(), weights=output)
    assert sampler.path == output and sampler.seeds_per_solution is not None


def test_training_angles_lead_back_to_their_configuration():
    """Decoding the angles that a model learns gives the configuration they were made from."""
    chain = load_robot("ur10")
    arm = ArmGraph.of(chain)
    links, lines = arm.links, arm.lines
    unit = torch.rand(20, 6, generator=generator(), dtype=torch.float64)
    q = lines.middle + 0.99 * lines.half * (2.0 * unit - 1.0)
    angles = {joint: angle for joint, _, angle in training_pairs(links, q)}
    goal, frame = links.end_frame(lines.forward(q)), Frame.identity(q[:, :3])
    assert list(angles) == [0, 1, 2, 3]
    for joint in range(6):
        joint_frame = JointFrame.of(links, joint, frame)
        if joint in angles:
            view = GoalView.of(links, frame, joint_frame, goal)
            found = displacement_from(links, joint, joint_frame, view, angles[joint])
        else:
            found = closed_form(links, joint, frame, joint_frame, goal)
        off = found - displacement_of(links, joint, q)
        off = torch.remainder(off + torch.pi, 2.0 * torch.pi) - torch.pi
        assert off.abs().max() < 1e-9
        frame = next_frame(links, joint, frame, joint_frame, found)


def test_command_line_trains_for_robots_and_for_random_ones(tmp_path, capsys):
    common = ["--minutes", "0.004", "--set", "batch=8", "--set", "hidden=8", "--device", "cpu"]
    for kind, what in (
        ("latent", ["--robots", "ur10"]),
        ("autoregressive", ["--robots", "ur10", "--vary", "0.4"]),
        ("autoregressive", ["--random-robots"]),
    ):
        output = tmp_path / f"{len(what)}-{kind}.safetensors"
        words = [*what, *common, "--set", f"generator={kind}", "--output", str(output), "--json"]
        assert main(["train", "ggik", *words]) == 0
        trained = load_model(output)
        assert bool(trained.robots) == (what == ["--robots", "ur10"])
        assert isinstance(trained.model, AutoregressiveModel) == (kind == "autoregressive")
    assert '"purpose": "random-robots"' in capsys.readouterr().out


def test_arms_whose_joints_all_follow_from_the_target_are_refused():
    two = {"two": planar_two_joints()}
    what = ggik_task(arm_source(two, CPU), AUTOREGRESSIVE, {}, two, CPU)
    with pytest.raises(InvalidArgumentError, match="nothing to learn"):
        what.loss(8, generator())


def test_files_of_one_name_are_several_robots(tmp_path):
    robots = []
    for length in (0.8, 1.2):
        robots.append(str(tmp_path / str(length) / "arm.urdf"))
        Path(robots[-1]).parent.mkdir()
        places = (NONE, (length, 0.0, 0.0), (0.5, 0.0, 0.2))
        rows = [("revolute", place, NONE, Z, (-3.0, 3.0), "") for place in places]
        Path(robots[-1]).write_text(urdf(rows))
    ready = GGIKTraining(robots=tuple(robots), hidden=8).prepare(CPU, None)
    checkpoint = ready.task.checkpoint({}, {})
    assert len(set(checkpoint.config["robots"].values())) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give --robots NAMES"),
        (["--robots", "r2d2"], "unknown robot 'r2d2'"),
        (["--robots", "ur10", "--random-robots"], "needs vary"),
        (["--robots", "ur10", "--vary", "1.5"], "vary must be"),
        (["--random-robots", "--output", "w.pt"], "must end in .safetensors"),
    ],
)
def test_misuse_is_one_line(words, message, refused):
    refused("train", "ggik", *words, "--device", "cpu", says=message)
