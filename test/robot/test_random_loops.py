"""Loops of random mechanisms in space: closed as they were made, and solved."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_robots import words
from scipy.spatial.transform import Rotation

from generative_ik_ros import IKSolver, KinematicTree
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.tree import link_transforms

REACH = {"ball": 3, "revolute": 5, "prismatic": 5, "fixed": 6}
"""How many coordinates each type of joint holds."""


def place(rng):
    """Return a random xyz and rpy."""
    return rng.uniform(-0.3, 0.3, 3), rng.uniform(-np.pi, np.pi, 3) * [1.0, 0.49, 1.0]


def mechanism(rng, left, right, slides):
    """Return a URDF of two arms on a base, and its joints' names."""
    joints, links, names = "", '<link name="base"/>', []
    for side, count in (("left", left), ("right", right)):
        parent = "base"
        for k in range(count):
            name = f"{side}_{k}"
            xyz, rpy = place(rng)
            kind = "prismatic" if slides and k == 1 else "revolute"
            limit = 0.4 if kind == "prismatic" else 2.5
            joints += (
                f'<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
                f'<child link="{name}_link"/><origin xyz="{words(xyz)}" rpy="{words(rpy)}"/>'
                f'<axis xyz="{words(rng.normal(size=3))}"/><limit lower="{-limit}" '
                f'upper="{limit}" velocity="1" effort="1"/></joint>'
            )
            links += f'<link name="{name}_link"/>'
            names.append(name)
            parent = f"{name}_link"
    return f'<robot name="random">{links}{joints}</robot>', names


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    left=st.integers(2, 4),
    right=st.integers(2, 4),
    kind=st.sampled_from(sorted(REACH)),
    slides=st.booleans(),
)
def test_random_loops(seed, left, right, kind, slides):
    rng = np.random.default_rng(seed)
    text, names = mechanism(rng, left, right, slides)
    ends = f"left_{left - 1}_link", f"right_{right - 1}_link"
    # Closed where the joints are somewhere, by a joint at a random place on the first end.
    open_tree = KinematicTree.from_urdf(text, "base", ends)
    made = rng.uniform(0.7 * open_tree.lower, 0.7 * open_tree.upper)
    values = dict(zip(open_tree.names, made, strict=True))
    frames = link_transforms(
        open_tree.description, {name: [value] for name, value in values.items()}, "base"
    )
    xyz, rpy = place(rng)
    joint = np.eye(4)
    joint[:3, :3], joint[:3, 3] = Rotation.from_euler("xyz", rpy).as_matrix(), xyz
    other = inverse(frames[ends[1]][0]) @ frames[ends[0]][0] @ joint
    loop = {
        "type": kind,
        "parent": {"link": ends[0], "xyz": xyz, "rpy": rpy},
        "child": {
            "link": ends[1],
            "xyz": other[:3, 3],
            "rpy": Rotation.from_matrix(other[:3, :3]).as_euler("xyz"),
        },
    }
    if kind in ("revolute", "prismatic"):
        loop["axis"] = rng.normal(size=3)
    tip = ends[int(rng.integers(2))]
    tree = KinematicTree.from_urdf(text, "base", [tip], loops={"loops": {"last": loop}})
    assert sorted(tree.names) == sorted(names)
    assert tree.mobility >= len(names) - REACH[kind]
    q = np.array([values[name] for name in tree.names])
    distances, angles = tree.closure_errors(q)
    assert max(distances.max(), angles.max()) < 1e-9
    # Every configuration that is returned is closed, by the links' frames as they are drawn.
    pose = tree.forward(q)[0]
    found = IKSolver(tree).solve(pose, 5)
    assert found.counts[0] >= 1
    for one in found.of(0):
        frames = link_transforms(
            tree.description, {n: [v] for n, v in zip(tree.names, one, strict=True)}, "base"
        )
        np.testing.assert_allclose(frames[tip][0], pose, atol=5e-5)
        gap = inverse(frames[ends[0]][0] @ joint) @ frames[ends[1]][0] @ other
        # `other` is the joint's frame in the second end.
        axis = np.array(loop.get("axis", (0.0, 0.0, 1.0))) / np.linalg.norm(loop.get("axis", 1.0))
        across = np.eye(3) - np.outer(axis, axis)
        free = across if kind == "prismatic" else np.eye(3)
        assert np.linalg.norm(free @ gap[:3, 3]) < 2e-5
        if kind == "revolute":
            assert np.linalg.norm(gap[:3, :3] @ axis - axis) < 2e-5
        elif kind != "ball":
            assert np.abs(gap[:3, :3] - np.eye(3)).max() < 2e-5
