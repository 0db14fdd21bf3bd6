"""A waist with two arms of six or seven joints, whose hands can meet."""

from generative_ik_ros import KinematicTree

_ARM = (  # origin of each joint in the one before it, its axis, and its range
    ("0 0 0.1", "0 0 1", 2.9),
    ("0 0 0.1", "0 1 0", 2.0),
    ("0 0 0.35", "0 1 0", 2.6),
    ("0.05 0 0.3", "0 0 1", 2.9),
    ("0 0 0.1", "0 1 0", 2.1),
    ("0.08 0 0", "1 0 0", 2.9),
)


def two_arms_urdf():
    """Return the URDF text; the hands are left_hand and right_hand."""
    parts = [
        "<robot name='two_arms'><link name='base'/><link name='torso'/>",
        _joint("waist", "base", "torso", "0 0 0.8", "0 0 1", 1.5),
    ]
    for side, y in (("left", 0.25), ("right", -0.25)):
        parent = "torso"
        for i, (origin, axis, limit) in enumerate(_ARM):
            child, where = f"{side}_{i}", origin if i else f"0.1 {y} 0.1"
            parts.append(f"<link name='{child}'/>")
            parts.append(_joint(f"{side}_j{i}", parent, child, where, axis, limit))
            parent = child
        parts.append(
            f"<link name='{side}_hand'/><joint name='{side}_mount' type='fixed'>"
            f"<parent link='{parent}'/><child link='{side}_hand'/>"
            "<origin xyz='0.1 0 0.03' rpy='0.2 0 -0.3'/></joint>"
        )
    return "".join([*parts, "</robot>"])


def _joint(name, parent, child, origin, axis, limit):
    return (
        f"<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/>"
        f"<origin xyz='{origin}'/><axis xyz='{axis}'/>"
        f"<limit lower='{-limit}' upper='{limit}' effort='1' velocity='1'/></joint>"
    )


def two_arms(**options):
    """Return the tree of both hands."""
    return KinematicTree.from_urdf(
        two_arms_urdf(), tip_links=("left_hand", "right_hand"), **options
    )
