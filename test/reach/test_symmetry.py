"""Maps by symmetry beside the same poses solved one by one, and beside forward kinematics."""

from dataclasses import replace

import numpy as np
import pytest
from arm import write_arm
from made_maps import poses_of
from odd_chains import CHAINS

from generative_ik_ros import (
    CollisionModel,
    IKSolver,
    KinematicChain,
    ReachabilityMap,
    Scene,
    load_robot,
)
from generative_ik_ros.reach.spec import check_spec
from generative_ik_ros.robot.random_poses import random_configurations

SIZES = {"resolution": 0.42, "orientations": (8, 3), "region": [(-2, -2, 0.2), (2, 2, 0.65)]}
"""Two layers of voxels in all four quarters."""


def narrowed(chain, variable, lower, upper):
    """Return a chain with other limits of one joint."""
    limits = chain.lower.copy(), chain.upper.copy()
    limits[0][variable], limits[1][variable] = lower, upper
    return replace(chain, lower=limits[0], upper=limits[1])


def on_a_lift():
    """The UR10 on a vertical prismatic joint: its first revolute joint is the second of all."""
    chain = load_robot("ur10")
    text = chain.description.file.read_text()
    lift = (
        '<link name="floor"/><joint name="lift" type="prismatic"><parent link="floor"/>'
        f'<child link="{chain.description.root}"/><axis xyz="0 0 1"/><origin xyz="0.1 -0.2 0"/>'
        '<limit lower="0" upper="0.4" effort="1" velocity="1"/></joint>'
    )
    return KinematicChain.from_urdf(text.replace("</robot>", lift + "</robot>"), "floor", "tool0")


@pytest.mark.parametrize(
    ("chain", "quarters", "turns"),
    [
        (load_robot("panda"), True, True),
        (load_robot("ur10"), True, True),
        (load_robot("lwa4d"), True, True),
        # Both ends with far less than a turn, and not about zero.
        (narrowed(narrowed(load_robot("panda"), 0, -0.4, 2.1), 6, 0.1, 1.0), True, True),
        (on_a_lift(), True, True),
        (CHAINS["good"], True, False),
        (CHAINS["mimics"], False, False),
    ],
    ids=["panda", "ur10", "lwa4d", "narrow", "lift", "good", "mimics"],
)
def test_symmetry_finds_what_single_calls_find(chain, quarters, turns):
    spec = check_spec(
        chain, 0.42, (8, 3), SIZES["region"], None, None, None, None, (), 16, 1.0, None
    )
    assert (spec.quarters, spec.turns) == (quarters, turns)
    reach = ReachabilityMap.compute(chain, **SIZES)
    found = IKSolver(chain).solve(poses_of(reach).reshape(-1, 4, 4), num_solutions=1)
    assert np.array_equal(reach.reachable.ravel(), found.counts > 0)
    if chain.num_joints >= 6:
        assert 0.0 < reach.reachable.mean() < 1.0


@pytest.mark.slow
def test_symmetry_finds_what_single_calls_find_among_obstacles(tmp_path):
    pytest.importorskip("coal", reason="coal is not installed")
    urdf = write_arm(tmp_path)
    chain = KinematicChain.from_urdf(urdf)
    model = CollisionModel.from_urdf(urdf, srdf=urdf.with_suffix(".srdf"), package_dirs=[tmp_path])
    scene = Scene(boxes=[((0.4, 2.0, 0.3), (0.6, 0.0, 0.4)), ((3.0, 3.0, 0.1), (0.0, 0.0, -0.1))])
    few = SIZES | {"orientations": (4, 3)}
    sizes = few | {"collision": model, "scene": scene}
    reach = ReachabilityMap.compute(chain, **sizes)
    solver = IKSolver(chain, collision=model)
    found = solver.solve(poses_of(reach).reshape(-1, 4, 4), num_solutions=1, scene=scene)
    assert np.array_equal(reach.reachable.ravel(), found.counts > 0)
    free = ReachabilityMap.compute(chain, **few)
    assert (free.reachable >= reach.reachable).all()
    assert free.reachable.sum() > reach.reachable.sum() > 0


def test_measures_are_those_of_single_calls():
    chain = load_robot("ur10")
    sizes = {"resolution": 0.3, "region": [(0.2, 0.2, 0.2), (0.8, 0.8, 0.5)]}
    names = ("num_solutions", "manipulability", "limit_margin")
    reach = ReachabilityMap.compute(chain, orientations=(4, 3), **sizes, measures=names)
    assert np.array_equal(reach.num_solutions > 0, reach.reachable)
    # A six-axis arm has eight branches at most here, which full turns do not multiply.
    assert 2 <= reach.num_solutions.max() <= 8
    solver = IKSolver(chain)
    for pose, best, margin in zip(
        poses_of(reach).reshape(-1, 4, 4),
        reach.manipulability.ravel(),
        reach.limit_margin.ravel(),
        strict=True,
    ):
        q = solver.solve(pose, 40).of()
        if len(q):
            jacobian = np.linalg.svd(chain.jacobian(q), compute_uv=False)
            assert best == pytest.approx(jacobian.prod(axis=1).max(), rel=1e-3)
            gap = np.minimum(q - chain.lower, chain.upper - q) / (chain.upper - chain.lower)
            assert margin == pytest.approx(gap.min(axis=1).max(), abs=1e-4)
        else:
            assert best == margin == 0.0


@pytest.mark.filterwarnings("error")
def test_measures_of_continuous_joints():
    """What has no limits has no middle of them."""
    limited = load_robot("ur10")
    endless = dict.fromkeys(limited.joint_names, (-np.inf, np.inf))
    chain = KinematicChain.from_urdf(
        limited.description, limited.base_link, limited.tip_link, joint_limits=endless
    )
    sizes = {"resolution": 0.6, "orientations": (4, 3), "region": [(0, 0, 0), (0.6, 0.6, 0.6)]}
    reach = ReachabilityMap.compute(chain, **sizes, measures=["limit_margin", "manipulability"])
    assert (reach.limit_margin[reach.reachable] == 0.5).all()
    assert (reach.manipulability[reach.reachable] > 0.0).all()


def covering_angle(reach):
    """Return an angle within which every rotation has one of the map's, by the Hopf product [rad].

    One turn takes a rotation to the nearest direction, another about that to the nearest turn;
    their axes are perpendicular.
    """
    grid = np.random.default_rng(0).normal(size=(20_000, 3))
    grid /= np.linalg.norm(grid, axis=1, keepdims=True)
    widest = np.arccos(np.clip((grid @ reach.directions.T).max(axis=1), -1.0, 1.0)).max()
    half_turn = np.pi / reach.orientations.shape[1]
    return 2.0 * np.arccos(np.cos(0.5 * widest + 0.01) * np.cos(0.5 * half_turn))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["panda", "ur10"])
def test_no_configuration_is_far_from_what_is_reachable(name):
    """A configuration's cell is reachable, or a cell that touches it.

    Its pose is within half a voxel's diagonal and the covering angle of its cell's centre; if the
    centre is out of reach, the border of what is in reach lies between them.
    """
    chain = load_robot(name)
    reach = ReachabilityMap.compute(chain, resolution=0.15, orientations=72)
    poses = chain.forward(random_configurations(chain, 200_000, 1))
    rows, directions, turns = reach.lookup(poses)
    assert (rows >= 0).all()
    gap = np.abs(poses[:, :3, 3] - reach.positions[rows])
    assert gap.max() <= 0.5 * reach.resolution + 1e-9
    centres = reach.orientations[directions, turns]
    trace = np.einsum("nij,nij->n", centres, poses[:, :3, :3])
    assert np.arccos(np.clip((trace - 1) / 2, -1, 1)).max() <= covering_angle(reach)
    cells = np.unique(np.stack([rows, directions, turns]), axis=1)
    out = cells[:, ~reach.reachable[tuple(cells)]]
    near = near_reachable(reach, *out)
    assert near.all(), f"{(~near).sum()} of {len(near)} cells are not at the border"


def near_reachable(reach, rows, directions, turns):
    """Say which cells have a reachable one in a voxel and an orientation that touch theirs."""
    offsets = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3, indexing="ij"), -1).reshape(-1, 3)
    rotations = reach.orientations.reshape(-1, 9)
    cosine = 1.0 + 2.0 * np.cos(2.0 * covering_angle(reach))
    touching = rotations @ rotations.T >= cosine - 1e-9
    table = {tuple(voxel): row for row, voxel in enumerate(reach.voxels.tolist())}
    reachable = reach.reachable.reshape(len(reach.positions), -1)
    numbers = directions * reach.orientations.shape[1] + turns
    found = np.zeros(len(rows), np.bool_)
    for offset in offsets:
        beside = reach.voxels[rows] + offset
        others = np.array([table.get(tuple(voxel), -1) for voxel in beside.tolist()], int)
        there = others >= 0
        hit = (reachable[others[there]] & touching[numbers[there]]).any(axis=1)
        found[np.flatnonzero(there)[hit]] = True
    return found
