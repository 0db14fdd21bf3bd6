"""The flow's mathematics against finite differences, integrals and its own inverse."""

import math

import numpy as np
import pytest
import torch
from flows import base_points, canonical_poses, mixed_chain, planar_two_joints, scrambled
from scipy.spatial.transform import Rotation

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.ikflow.config import FlowConfig
from generative_ik_ros.learned.ikflow.flow import num_coefficients, spline
from generative_ik_ros.learned.ikflow.pose_features import pose_features
from generative_ik_ros.learned.ikflow.weights import config_for

KINDS = [
    ("spline", None, None),
    ("spline", 8, None),
    ("spline", 8, ()),
    ("coupling", None, None),
    ("coupling", 9, ()),
]


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture(params=KINDS, ids=str)
def case(request, rng):
    kind, width, closed = request.param
    chain = mixed_chain()
    flow = scrambled(chain, spread=0.1, kind=kind, width=width, closed=closed)
    return flow, flow.condition(canonical_poses(chain, rng, 3))[:, None]


def test_there_and_back(case, rng):
    flow, biases = case
    base = base_points(flow, rng, 3, 40)
    boxed, there = flow.generate(base, biases)
    again, back = flow.normalise(boxed, biases)
    gap = (again - base).abs()
    torch.testing.assert_close(
        torch.minimum(gap, (1 - gap).abs()), torch.zeros_like(gap), atol=1e-5, rtol=0
    )
    torch.testing.assert_close(there + back, torch.zeros_like(there), atol=1e-4, rtol=0)


def test_the_likelihood_is_the_jacobians(case, rng):
    flow, biases = case
    base = base_points(flow, rng, 3, 1)
    for p in range(3):

        def generate(z, p=p):
            return flow.generate(z[None], biases[p])[0][0]

        jacobian = torch.autograd.functional.jacobian(generate, base[p, 0])
        step = 1e-7
        numeric = torch.stack(
            [
                (generate(base[p, 0] + step * unit) - generate(base[p, 0] - step * unit))
                / (2 * step)
                for unit in torch.eye(flow.config.width, dtype=base.dtype)
            ],
            dim=1,
        )
        torch.testing.assert_close(jacobian, numeric, atol=1e-3, rtol=1e-3)
        boxed, log_det = flow.generate(base[p], biases[p])
        expected = torch.linalg.slogdet(jacobian).logabsdet
        torch.testing.assert_close(log_det[0], expected, atol=1e-8, rtol=0)
        density = flow.base_log_prob(base[p]) - log_det
        torch.testing.assert_close(flow.log_prob(boxed, biases[p]), density, atol=1e-3, rtol=1e-4)


@pytest.mark.parametrize("kind", ["spline", "coupling"])
def test_the_density_of_two_joints_integrates_to_one(kind, rng):
    chain = planar_two_joints()
    # Affine layers multiply: a wilder flow of them would reach beyond the grid.
    spread, reach, cells = (0.3, 1.0, 300) if kind == "spline" else (0.1, 14.0, 500)
    flow = scrambled(chain, spread, kind=kind, layers=4, seed=5)
    biases = flow.condition(canonical_poses(chain, rng, 1))
    line = (torch.arange(cells, dtype=torch.float64) + 0.5) / cells * 2 * reach - reach
    grid = torch.cartesian_prod(line, line)
    total = flow.log_prob(grid, biases).exp().sum() * (2 * reach / cells) ** 2
    assert float(total) == pytest.approx(1.0, abs=5e-3)


def test_an_untrained_flow_is_the_identity(rng):
    chain = mixed_chain()
    flow = scrambled(chain, spread=0.0)
    base = base_points(flow, rng, 1, 20)
    boxed, log_det = flow.generate(base, flow.condition(canonical_poses(chain, rng, 1))[:, None])
    torch.testing.assert_close(boxed, 2 * base - 1, atol=1e-6, rtol=0)
    torch.testing.assert_close(log_det, torch.full_like(log_det, flow.config.width * math.log(2)))


@pytest.mark.parametrize("inverse", [False, True])
def test_splines_keep_the_unit_interval(inverse, rng):
    coefficients = torch.tensor(rng.normal(0, 5, (500, 2, num_coefficients(8))))
    circular = torch.tensor([False, True])
    x = torch.tensor(rng.random((500, 2)))
    x[:2] = torch.tensor([[0.0, 0.0], [1.0, 1.0]])
    y, log_slope = spline(x, coefficients, circular, inverse=inverse)
    assert ((y >= 0) & (y <= 1)).all() and log_slope.isfinite().all()
    np.testing.assert_allclose(y[:2, 0], [0.0, 1.0], atol=1e-9)


def test_a_circular_spline_has_no_seam(rng):
    coefficients = torch.tensor(rng.normal(0, 1, (100, 1, num_coefficients(6))))
    circular = torch.tensor([True])
    ends = [
        spline(torch.full((100, 1), x, dtype=torch.float64), coefficients, circular)
        for x in (1e-9, 1 - 1e-9)
    ]
    gap = (ends[0][0] - ends[1][0]).abs()
    assert torch.minimum(gap, 1 - gap).max() < 1e-6
    torch.testing.assert_close(ends[0][1], ends[1][1], atol=1e-5, rtol=0)


def test_noise_level_conditions_the_flow(rng):
    chain = mixed_chain()
    flow = scrambled(chain)
    poses = canonical_poses(chain, rng, 2)
    quiet, loud = flow.condition(poses), flow.condition(poses, torch.ones(2, dtype=torch.float64))
    assert not torch.allclose(quiet, loud)
    torch.testing.assert_close(quiet, flow.condition(poses, torch.zeros(2, dtype=torch.float64)))


def test_reduced_features_are_what_outer_joints_do_not_change(rng):
    poses = torch.eye(4, dtype=torch.float64).repeat(50, 1, 1)
    poses[:, :3, :3] = torch.tensor(Rotation.random(50, random_state=1).as_matrix())
    poses[:, :3, 3] = torch.tensor(rng.normal(size=(50, 3)))
    turns = torch.eye(4, dtype=torch.float64).repeat(2, 50, 1, 1)
    angles = rng.uniform(-np.pi, np.pi, (2, 50))
    matrices = [Rotation.from_euler("z", one[:, None]).as_matrix() for one in angles]
    turns[:, :, :3, :3] = torch.tensor(np.stack(matrices))
    config = config_for(planar_two_joints(), pose_input="reduced")
    moved = pose_features(config, turns[0] @ poses @ turns[1])
    torch.testing.assert_close(pose_features(config, poses), moved)
    assert torch.linalg.matrix_rank(moved - moved.mean(0)) > 4  # of four coordinates, not linearly


@pytest.mark.parametrize("pose_input", ["quaternion", "6d", "cylindrical", "turned"])
def test_pose_features_tell_poses_apart_and_are_finite(pose_input, rng):
    chain = planar_two_joints()
    config = config_for(chain, pose_input=pose_input)
    poses = torch.eye(4, dtype=torch.float64).repeat(200, 1, 1)
    poses[1:, :3, :3] = torch.tensor(Rotation.random(199, random_state=1).as_matrix())
    poses[1:, :3, 3] = torch.tensor(rng.normal(size=(199, 3)))
    features = pose_features(config, poses)
    assert features.isfinite().all()
    assert torch.pdist(features).min() > 1e-3
    if pose_input == "quaternion":
        expected = Rotation.from_matrix(poses[:, :3, :3].numpy()).as_quat(canonical=True)
        np.testing.assert_allclose(features[:, 3:], expected, atol=1e-9)


ORDERS = config_for(planar_two_joints()).permutations
NO_INDICES = (float("inf"), 1e308, float("nan"))


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "magic"},
        {"pose_input": "euler"},
        {"hidden": 0},
        {"bins": 1},
        {"untouched": 2},
        {"permutations": ((0, 0),)},
        # Python's JSON accepts Infinity, for which int() raises OverflowError.
        *({"permutations": [[number, *order[1:]] for order in ORDERS]} for number in NO_INDICES),
        # 1e-320 led to seeds of NaN; 2**70 raised OverflowError in compiled code.
        *({"position_scale": scale} for scale in (1e-320, 2**70, 1e300)),
        {"half_turn": (1.0,)},
        {"clamp": 0.0},
        {"noise_scale": 2.0},
        {"joints": 3},
        {"closed": (1, 0)},
        {"closed": (2,)},
        {"closed": 0},
    ],
)
def test_bad_configurations_are_refused(change):
    good = config_for(planar_two_joints()).as_json()
    assert FlowConfig.from_json(good).as_json() == good
    with pytest.raises(GenerativeIKError):
        FlowConfig.from_json(good | change)
