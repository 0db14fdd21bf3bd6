"""Synthetic arms that differ in nothing but their number of joints, to see what a joint costs."""

from generative_ik_benchmarks.chains import SyntheticCase, serial_case
from generative_ik_benchmarks.prismatic_chains import Joint
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError

SHAPES = ("spatial", "planar")
LEAST_JOINTS, MOST_JOINTS = 2, 64
_LENGTH = 1.0
"""Length of all links together [m]."""
_RANGE = 2.8
"""Half the range of every joint [rad]."""
_AXES = {"spatial": ("0 0 1", "0 1 0"), "planar": ("0 0 1",)}
_ALONG = {"spatial": "0 0 {}", "planar": "{} 0 0"}


def synthetic_case(shape: str, joints: int) -> SyntheticCase:
    """Return an arm of so many revolute joints, 1 m long, each with a range of 2.8 rad either way.

    The links are equally long, the last one is the tip. "spatial": the axes are
    along the links and across them in turns, as in most arms. "planar": all axes are parallel and
    across the links; poses then have three coordinates.

    Raises:
        UnknownNameError: There is no such shape.
        InvalidArgumentError: The number is out of its range.
    """
    if shape not in SHAPES:
        raise UnknownNameError("shape of arm", shape, SHAPES)
    if not LEAST_JOINTS <= joints <= MOST_JOINTS:
        raise InvalidArgumentError(
            f"an arm is made of {LEAST_JOINTS} to {MOST_JOINTS} joints, not {joints}"
        )
    axes, link = _AXES[shape], _ALONG[shape].format(_LENGTH / joints)
    limits = f"lower='{-_RANGE}' upper='{_RANGE}'"
    moving = [
        Joint("revolute", link if i else "0 0 0", axes[i % len(axes)], limits)
        for i in range(joints)
    ]
    return serial_case(f"{shape}-{joints}", [*moving, Joint("fixed", link)])
