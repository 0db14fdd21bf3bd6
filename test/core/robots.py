"""Small robots whose answers are known by hand, and random ones."""

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_ros import KinematicChain
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt, RefineTask
from generative_ik_ros.robot.closed_form import find_family
from generative_ik_ros.robot.rigid import wrapped


def urdf(joints):
    """URDF of a serial arm; joints are (type, xyz, rpy, axis, (lower, upper), extra XML)."""
    parts = ["<robot name='arm'><link name='l0'/>"]
    for i, (kind, xyz, rpy, axis, limits, extra) in enumerate(joints):
        limit = ""
        if limits:
            lower, upper = map(float, limits)
            limit = f"<limit lower='{lower!r}' upper='{upper!r}' effort='1' velocity='1'/>"

        def row(values):
            return " ".join(repr(float(v)) for v in values)

        parts.append(
            f"<link name='l{i + 1}'/><joint name='j{i}' type='{kind}'><parent link='l{i}'/>"
            f"<child link='l{i + 1}'/><origin xyz='{row(xyz)}' rpy='{row(rpy)}'/>"
            f"<axis xyz='{row(axis)}'/>{limit}{extra}</joint>"
        )
    return "".join([*parts, "</robot>"])


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NONE = (0.0, 0.0, 0.0)


def arm(*joints, tool=None):
    """A serial arm without turns between its joints, (type, xyz, axis, (lower, upper) or None)."""
    rows = [(kind, xyz, NONE, axis, limits, "") for kind, xyz, axis, limits in joints]
    end = [] if tool is None else [("fixed", tool, NONE, Z, None, "")]
    return KinematicChain.from_urdf(urdf([*rows, *end]))


def planar_two_joints(first=1.0, second=0.5, limits=(-3.0, 3.0)):
    """Two parallel joints and a fixed tool: elbow up and elbow down, known in closed form."""
    joints = (("revolute", at, Z, limits) for at in (NONE, (first, 0, 0)))
    return arm(*joints, tool=(second, 0, 0))


SO101 = urdf(
    [
        ("revolute", (0.0388353, 0, 0.0624), (np.pi, 0, -np.pi), Z, (-1.91986, 1.91986), ""),
        ("revolute", (-0.0303992, -0.0182778, -0.0542), (-np.pi / 2, -np.pi / 2, 0), Z,
         (-1.74533, 1.74533), ""),
        ("revolute", (-0.11257, -0.028, 0), (0, 0, np.pi / 2), Z, (-1.69, 1.69), ""),
        ("revolute", (-0.1349, 0.0052, 0), (0, 0, -np.pi / 2), Z, (-1.65806, 1.65806), ""),
        ("revolute", (0, -0.0611, 0.0181), (np.pi / 2, 0.0486795, np.pi), Z,
         (-2.74385, 2.84121), ""),
        ("fixed", (-0.0079, -0.000218121, -0.0981274), (0, np.pi, 0), Z, None, ""),
    ]
)  # fmt: skip
"""The kinematics of the five-joint SO-101 (github.com/TheRobotStudio/SO-ARM100)."""


def random_chain(rng, num_joints, kinds=("revolute", "continuous", "prismatic")):
    """A chain with joints of random kinds, axes and places; URDF text and chain."""
    joints = []
    for _ in range(num_joints):
        kind = str(rng.choice(kinds))
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        if kind == "continuous":
            limits = None
        elif kind == "prismatic":
            limits = tuple(np.sort(rng.uniform(-0.4, 0.4, 2)))
        else:
            limits = tuple(np.sort(rng.uniform(-3.1, 3.1, 2)))
        rpy = Rotation.random(random_state=int(rng.integers(2**31))).as_euler("xyz")
        joints.append((kind, rng.uniform(-0.4, 0.4, 3), rpy, axis, limits, ""))
    joints.append(("fixed", rng.uniform(-0.2, 0.2, 3), (0.3, -0.2, 0.1), Z, None, ""))
    text = urdf(joints)
    return text, KinematicChain.from_urdf(text, "l0", f"l{num_joints + 1}")


def bounds_of(chain):
    """Finite bounds (n,) each [rad or m], a turn where there are none."""
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    return lower, np.where(np.isfinite(chain.upper), chain.upper, np.pi)


def random_positions(chain, rng, count=None):
    """Uniform configurations inside the limits."""
    size = (chain.num_joints,) if count is None else (count, chain.num_joints)
    return rng.uniform(*bounds_of(chain), size)


def configurations(chain, count, seed=0):
    """Return such configurations (count, n) from a seed."""
    return random_positions(chain, np.random.default_rng(seed), count)


def poses(chain, rng, count):
    """Return poses (count, 4, 4) of uniform configurations inside the limits."""
    return chain.forward(random_positions(chain, rng, count))


def pose_gap(a, b):
    """Distance [m] and angle [rad] between poses (..., 4, 4), by scipy."""
    a, b = np.broadcast_arrays(a, b)
    turn = np.swapaxes(a[..., :3, :3], -1, -2) @ b[..., :3, :3]
    angle = Rotation.from_matrix(turn.reshape(-1, 3, 3)).magnitude().reshape(turn.shape[:-2])
    return np.linalg.norm(a[..., :3, 3] - b[..., :3, 3], axis=-1), angle


def worst_tip(errors):
    """Return the largest of the errors (N, K) of several tips, (N,); those (N,) of one."""
    return errors.max(axis=tuple(range(1, errors.ndim)))


def assert_true_solutions(chain, result, targets, tolerance=1e-5, distance=0.05):
    """Everything that a result for a chain or a tree claims, recomputed."""
    targets = np.reshape(
        targets, (len(result.counts), *chain.forward(np.zeros(chain.num_joints)).shape)
    )
    for t, target in enumerate(targets):
        q = result.of(t)
        assert np.isfinite(q).all() and np.isnan(result.positions[t, len(q) :]).all()
        position, angle = map(worst_tip, pose_gap(chain.forward(q), target))
        assert (position <= tolerance).all() and (angle <= tolerance + 1e-7).all()
        np.testing.assert_allclose(result.position_error[t, : len(q)], position, atol=1e-12)
        np.testing.assert_allclose(result.orientation_error[t, : len(q)], angle, atol=1e-7)
        assert (q >= chain.lower).all() and (q <= chain.upper).all()
        gaps = q[:, None] - q[None]
        gaps = np.abs(np.where(chain.continuous, wrapped(gaps), gaps)).max(axis=2)
        assert (gaps + np.eye(len(q)) * 9.0 >= distance).all()


def assert_follows(chain, targets, path, max_step=0.2):
    """A path is as far as it leads within limits and steps, and at its poses."""
    reached = path.positions[: path.num_reached]
    assert np.isnan(path.positions[path.num_reached :]).all()
    assert (np.abs(np.diff(reached, axis=0)) <= max_step + 1e-9).all()
    assert ((reached >= chain.lower) & (reached <= chain.upper)).all()
    tips, targets = chain.forward(reached), targets[: path.num_reached]
    np.testing.assert_allclose(tips, targets, atol=3e-5)
    distance = worst_tip(np.linalg.norm((tips - targets)[..., :3, 3], axis=-1))
    np.testing.assert_allclose(path.position_error[: len(reached)], distance, atol=1e-9)


def circle(chain, start, count=30, radius=0.1):
    """Poses (count, 4, 4) around a circle that begins at those of a configuration."""
    angle = np.linspace(0.0, 2.0 * np.pi, count)
    targets = np.repeat(chain.forward(start)[None], count, axis=0)
    targets[:, 1, 3] += radius * np.sin(angle)
    targets[:, 2, 3] -= radius * (1.0 - np.cos(angle))
    targets[-1] = targets[0]
    return targets


def joint_gap(chain, found, q):
    """How far the nearest of (N, n) is from a configuration, the largest joint difference."""
    apart = np.where(chain.prismatic, found - q, wrapped(found - q))
    return np.abs(apart).max(axis=1).min(initial=np.inf)


def nearest_lengths(some, others):
    """Return the distance of each of (M, n) from the nearest of (N, n), on circles [rad]."""
    apart = np.linalg.norm(wrapped(some[:, None] - others[None]), axis=2)
    return apart.min(axis=1, initial=np.inf)


def branches(chain, pose):
    """All branches (k, 6), and whether they are said to be all."""
    family = find_family(chain)
    (rows,), (count,) = family.kernel.find(family.parameters, np.ascontiguousarray(pose)[None])
    found = rows[: count if count >= 0 else -1 - count]
    assert np.isnan(rows[len(found) :]).all()
    assert not np.isnan(found).any()
    return found, count >= 0


def drawn(chain, rng, count):
    """Configurations (count, n): any angle, prismatic joints within their limits."""
    angles = rng.uniform(-np.pi, np.pi, (count, chain.num_joints))
    return np.where(chain.prismatic, random_positions(chain, rng, count), angles)


def searched(chain, pose, rng, seeds=1000):
    """What refined random configurations end at (k, 6), limits aside."""
    start, wide = drawn(chain, rng, seeds), np.full(6, np.inf)
    rows, most = np.zeros(seeds, np.int64), np.full(1, np.iinfo(np.int64).max)
    task = RefineTask(pose[None], start, rows, -wide, wide, most)
    ended = LevenbergMarquardt(chain, 1e-8, 1e-8).refine(task)
    return ended.positions[ended.converged]


def errors(chain, found, pose):
    return np.abs(chain.forward(found) - pose).max(axis=(1, 2), initial=0.0)


def assert_distinct_within_limits(chain, q):
    assert (q >= chain.lower).all() and (q <= chain.upper).all()
    apart = np.abs(q[:, None] - q[None]).max(axis=2)
    assert apart[~np.eye(len(q), dtype=bool)].min(initial=1.0) > 0.01
