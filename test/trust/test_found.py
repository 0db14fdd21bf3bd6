"""Regression tests of the errors found by the fuzzers and the soak test."""

import json

import numpy as np
import pytest
from robots import NONE, Z, urdf

from generative_ik_ros import CollisionModel, IKSolver, KinematicChain, Scene
from generative_ik_ros.errors import GenerativeIKError, InvalidArgumentError
from generative_ik_ros.robot.known import load_robot, robot_urdf_path
from generative_ik_ros.samplers.base import SeedRequest


@pytest.mark.parametrize("tolerances", [(1e308, 1e-5), (1e200, np.inf), (1e-5, 1e308)])
def test_tolerances_whose_square_is_too_large_for_a_number(tolerances):
    """The reach plus 1e308 m, squared, was an OverflowError: INTERNAL_ERROR for the client."""
    chain = load_robot("planar_3r")
    solver = IKSolver(chain, "auto", "cpu", *tolerances)
    target = chain.forward((chain.lower + chain.upper) / 2.0)
    assert solver.solve(target, 3).counts[0] > 0


def test_a_description_of_weights_that_is_nested_without_end(tmp_path):
    """JSON that is nested 100,000 deep was a RecursionError."""
    safetensors = pytest.importorskip("safetensors.numpy")
    from generative_ik_ros.learned.checkpoint import CheckpointError, load_checkpoint

    path = tmp_path / "deep.safetensors"
    for text in ("[" * 100_000, '{"config": ' * 50_000):
        path.write_bytes(safetensors.save({"w": np.zeros(1)}, {"generative_ik_ros": text}))
        with pytest.raises(CheckpointError, match="deep.safetensors"):
            load_checkpoint(path, sampler="ikflow")


def test_a_flow_with_one_hidden_layer():
    """A valid configuration for which the CPU kernels raised ValueError."""
    pytest.importorskip("torch")
    from generative_ik_ros.learned.ikflow.flow import ConditionalFlow
    from generative_ik_ros.learned.ikflow.native_flow import NativeFlow
    from generative_ik_ros.learned.ikflow.weights import config_for

    chain = load_robot("planar_3r")
    config = config_for(chain, hidden_layers=1, hidden=8, condition_hidden=8)
    request = SeedRequest(chain.forward(np.zeros(3))[None], 5, chain.lower, chain.upper, 0)
    drawn = NativeFlow.of(ConditionalFlow(config), chain).draw(chain, request, temperature=1.0)
    assert drawn.shape == (1, 5, 3)
    assert ((drawn >= chain.lower) & (drawn <= chain.upper)).all()


@pytest.mark.parametrize(
    "change",
    [{"hidden": True}, {"members": True}, {"position_scale": 1e-320}, {"position_scale": 2**70}],
    ids=json.dumps,
)
def test_invalid_sizes_of_a_distal_net(change):
    """True was accepted as 1 until torch refused it; 1e-320 led to seeds of NaN."""
    pytest.importorskip("torch")
    from generative_ik_ros.learned.distal.config import DistalConfig

    content = DistalConfig(joints=3).as_json() | change
    with pytest.raises(InvalidArgumentError, match=next(iter(change))):
        DistalConfig.from_json(content)


@pytest.mark.parametrize("config", [[[1, 2]], ["ab", [3, 4]], 5, "", None])
def test_a_configuration_that_is_a_list_of_pairs(tmp_path, config):
    """It became a dictionary with numbers as keys, which do not sort with names: TypeError."""
    safetensors = pytest.importorskip("safetensors.numpy")
    from generative_ik_ros.learned import checkpoint

    path, weights = tmp_path / "pairs.safetensors", {"w": np.zeros(1, np.float32)}
    content = {
        "format_version": checkpoint.FORMAT_VERSION,
        "sampler": "ikflow",
        "fingerprint": "0" * 16,
        "config": config,
        "training": {},
    }
    content["digest"] = checkpoint._digest(content, weights)
    path.write_bytes(safetensors.save(weights, {"generative_ik_ros": json.dumps(content)}))
    with pytest.raises(checkpoint.CheckpointError, match="pairs.safetensors"):
        checkpoint.load_checkpoint(path, sampler="ikflow")


@pytest.mark.parametrize("number", [float("inf"), 1e308, float("nan")])
def test_a_flow_with_an_invalid_permutation(number):
    """Python's JSON accepts Infinity, for which int() raises OverflowError."""
    pytest.importorskip("torch")
    from generative_ik_ros.learned.ikflow.config import FlowConfig
    from generative_ik_ros.learned.ikflow.weights import config_for

    content = config_for(load_robot("planar_3r")).as_json()
    content["permutations"] = [[number, *order[1:]] for order in content["permutations"]]
    with pytest.raises(InvalidArgumentError):
        FlowConfig.from_json(content)


def test_a_graph_model_of_thousands_of_layers():
    """Building four thousand layers took minutes."""
    pytest.importorskip("torch")
    from generative_ik_ros.learned.ggik.config import LatentConfig

    for name in ("encoder_layers", "decoder_layers"):
        with pytest.raises(InvalidArgumentError, match=f"{name} must be"):
            LatentConfig(**{name: 4096})


@pytest.mark.parametrize("scale", [1e-320, 2**70, 1e300])
def test_invalid_position_scale_of_a_flow(scale):
    """1e-320 led to seeds of NaN; 2**70 raised OverflowError in compiled code."""
    pytest.importorskip("torch")
    from generative_ik_ros.learned.ikflow.config import FlowConfig
    from generative_ik_ros.learned.ikflow.weights import config_for

    content = config_for(load_robot("planar_3r")).as_json() | {"position_scale": scale}
    with pytest.raises(InvalidArgumentError, match="position_scale"):
        FlowConfig.from_json(content)


def test_line_breaks_from_a_client_do_not_break_messages():
    """Line breaks in names of frames and samplers added lines to messages and the log."""
    pytest.importorskip("rclpy", reason="rclpy is not installed (make setup)")
    from generative_ik_ros.ros.log_lines import one_line

    assert one_line("frame 'a\n[ERROR] b\x1b[31m' is\tnot \u2028 there\0") == (
        "frame 'a [ERROR] b [31m' is not there"
    )
    assert len(one_line("x" * 10**6)) < 5000


@pytest.mark.parametrize("factor", [1.5, -0.7, 2.0])
def test_a_joint_mimicked_by_a_fractional_multiplier(factor):
    """It was treated as periodic, and many reachable poses were "out of reach"."""
    wide, usual = (-2.0 * np.pi, 2.0 * np.pi), (-2.5, 2.5)
    follows = f"<mimic joint='j1' multiplier='{factor}' offset='0.2'/>"
    chain = KinematicChain.from_urdf(
        urdf(
            [
                ("revolute", (0, 0, 0.3), NONE, Z, usual, ""),
                ("revolute", (0.1, 0, 0.1), (1.5, 0, 0), Z, wide, ""),
                ("revolute", (0.4, 0, 0), (0.2, 0, 0), Z, wide, follows),
                ("revolute", (0.3, 0.1, 0), (-1.5, 0.3, 0), Z, usual, ""),
                ("revolute", (0.1, 0, 0.2), (1.5, 0, 0), Z, usual, ""),
                ("revolute", (0, 0, 0.2), (-1.5, 0, 0), Z, usual, ""),
                ("revolute", (0, 0.1, 0), (1.5, 0, 0), Z, usual, ""),
            ]
        )
    )
    q = np.random.default_rng(1).uniform(chain.lower, chain.upper, (100, 6))
    found = IKSolver(chain).solve(chain.forward(q), 3)
    assert (found.counts > 0).all()
    near = IKSolver(chain).solve(chain.forward(q[0]), 1, seed_state=q[0])
    assert np.allclose(near.of(0)[0], q[0], atol=1e-4)
    assert chain.circular.tolist() == [False, factor == 2.0, False, False, False, False]


def test_integers_beyond_the_range_of_float():
    """numpy raises OverflowError for these, not ValueError."""
    chain, huge = load_robot("planar_3r"), 10**400
    solver, target = IKSolver(chain), chain.forward(np.zeros(3))
    for call in (
        lambda: chain.forward([huge, 0, 0]),
        lambda: solver.solve(np.where(target == 1.0, huge, target.astype(object)), 1),
        lambda: solver.solve(target, 1, seed_state=[huge, 0, 0]),
        lambda: solver.solve(target, 1, np.zeros(3), [huge, 1, 1]),
        lambda: IKSolver(chain, "auto", "auto", huge),
    ):
        with pytest.raises(GenerativeIKError):
            call()
    assert solver.solve(target, 1, timeout=huge).counts[0]


def test_a_single_solution_among_obstacles_is_free():
    """One in 800 collided: a seed that ended in the same step had been kept after the free one."""
    urdf = robot_urdf_path("panda")
    model = CollisionModel.from_urdf(urdf, srdf=urdf.with_suffix(".srdf"))
    chain, rng = load_robot("panda"), np.random.default_rng(3)
    solver = IKSolver(chain, collision=model)
    places = rng.uniform([-0.7, -0.7, 0.0], [0.7, 0.7, 1.1], (40, 3))
    far = np.hypot(places[:, 0], places[:, 1]) > 0.25
    boxes = {f"box {k}": ((0.12, 0.12, 0.12), tuple(places[k])) for k in np.flatnonzero(far)}
    scene = Scene(boxes=boxes)
    positions = np.random.default_rng(0).uniform(chain.lower, chain.upper, (20000, 7))
    positions = positions[~solver.collides(positions, scene=scene)]
    found = [solver.solve(target, 1, scene=scene) for target in chain.forward(positions)]
    assert all(one.counts[0] for one in found)
    assert not solver.collides(np.concatenate([one.of(0) for one in found]), scene=scene).any()
