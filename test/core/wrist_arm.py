"""An industrial arm of six joints with a spherical wrist, and shapes for its links."""

from robots import NONE, X, Y, Z, urdf

from generative_ik_ros import KinematicChain

WRIST_ARM = [
    ("revolute", (0.0, 0.0, 0.4), NONE, Z, (-2.9, 2.9), ""),
    ("revolute", (0.15, 0.0, 0.2), NONE, Y, (-1.9, 2.4), ""),
    ("revolute", (0.0, 0.0, 0.6), NONE, Y, (-3.6, 1.2), ""),
    ("revolute", (0.0, 0.0, 0.12), NONE, X, (-6.0, 6.0), ""),
    ("revolute", (0.6, 0.0, 0.0), NONE, Y, (-2.1, 2.1), ""),
    ("revolute", NONE, NONE, X, None, ""),
    ("fixed", (0.1, 0.0, 0.0), NONE, Z, None, ""),
]
"""Like many an industrial arm: a spherical wrist, a shoulder with an offset, and wide joints."""


_SHAPES = {
    "l0": "<origin xyz='0 0 0.15'/><geometry><box size='0.3 0.3 0.3'/></geometry>",
    "l2": "<origin xyz='0 0 0.3'/><geometry><cylinder radius='0.06' length='0.5'/></geometry>",
    "l4": "<origin xyz='0.3 0 0'/><geometry><box size='0.5 0.1 0.1'/></geometry>",
    "l6": "<origin xyz='0.05 0 0'/><geometry><sphere radius='0.05'/></geometry>",
}


def wrist_urdf(rounded=0.0):
    """Describe the arm, with a joint turned by an angle that a description may leave out."""
    joints = [list(joint) for joint in WRIST_ARM]
    joints[5][0] = "continuous"
    joints[2][2] = (rounded, 0.0, 0.0)
    text = urdf([tuple(joint) for joint in joints])
    for link, shape in _SHAPES.items():
        with_shape = f"<link name='{link}'><collision>{shape}</collision></link>"
        text = text.replace(f"<link name='{link}'/>", with_shape)
    return text


def wrist_arm(rounded=0.0):
    """Return the chain of the same."""
    return KinematicChain.from_urdf(wrist_urdf(rounded))
