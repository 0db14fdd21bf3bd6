"""Small robots whose answers are known by hand, and random ones."""

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_ros import KinematicChain
from generative_ik_ros.robot.closed_form import find_family


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


Z = (0.0, 0.0, 1.0)
NONE = (0.0, 0.0, 0.0)


def planar_two_joints(first=1.0, second=0.5):
    """Two parallel joints and a fixed tool: elbow up and elbow down, known in closed form."""
    wide = (-3.0, 3.0)
    return KinematicChain.from_urdf(
        urdf(
            [
                ("revolute", NONE, NONE, Z, wide, ""),
                ("revolute", (first, 0, 0), NONE, Z, wide, ""),
                ("fixed", (second, 0, 0), NONE, Z, None, ""),
            ]
        )
    )


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


def random_positions(chain, rng, count=None):
    """Uniform configurations inside the limits."""
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    size = (chain.num_joints,) if count is None else (count, chain.num_joints)
    return rng.uniform(lower, upper, size)


def poses(chain, rng, count):
    """Return poses (count, 4, 4) of uniform configurations inside the limits."""
    return chain.forward(random_positions(chain, rng, count))


def pose_gap(a, b):
    """Distance [m] and angle [rad] between poses (..., 4, 4), by scipy."""
    a, b = np.broadcast_arrays(a, b)
    turn = np.swapaxes(a[..., :3, :3], -1, -2) @ b[..., :3, :3]
    angle = Rotation.from_matrix(turn.reshape(-1, 3, 3)).magnitude().reshape(turn.shape[:-2])
    return np.linalg.norm(a[..., :3, 3] - b[..., :3, 3], axis=-1), angle


def assert_true_solutions(chain, result, targets, tolerance=1e-5, distance=0.05):
    """Everything that a result claims, recomputed."""
    targets = np.reshape(targets, (-1, 4, 4))
    for t, target in enumerate(targets):
        q = result.of(t)
        assert np.isfinite(q).all() and np.isnan(result.positions[t, len(q) :]).all()
        position, angle = pose_gap(chain.forward(q), target)
        assert (position <= tolerance).all() and (angle <= tolerance + 1e-7).all()
        np.testing.assert_allclose(result.position_error[t, : len(q)], position, atol=1e-12)
        np.testing.assert_allclose(result.orientation_error[t, : len(q)], angle, atol=1e-7)
        assert (q >= chain.lower).all() and (q <= chain.upper).all()
        gaps = np.abs(q[:, None] - q[None])
        gaps = np.where(
            chain.continuous, np.abs(gaps - 2 * np.pi * np.rint(gaps / 2 / np.pi)), gaps
        )
        gaps = gaps.max(axis=2) + np.eye(len(q)) * 9.0
        assert gaps.size == 0 or gaps.min() >= distance


def branches(chain, pose):
    """All branches (k, 6), and whether they are said to be all."""
    family = find_family(chain)
    (rows,), (count,) = family.kernel.find(family.parameters, np.ascontiguousarray(pose)[None])
    found = rows[: count if count >= 0 else -1 - count]
    assert np.isnan(rows[len(found) :]).all()
    assert not np.isnan(found).any()
    return found, count >= 0


def errors(chain, found, pose):
    return np.abs(chain.forward(found) - pose).max(axis=(1, 2), initial=0.0)
