"""Arms as a factory calibrates them: their axes are a little off those of the data sheet.

Universal Robots delivers each arm with a calibration file, and `ur_description` makes its URDF of
it. Offsets are tenths of a millimetre and milliradians, so that no axes are parallel any more and
none intersect.
"""

from xml.etree import ElementTree

import numpy as np

from generative_ik_ros.robot.known import known_robot

CALIBRATED = {"ur10_calibrated": "ur10"}
"""The robot that each is made of, by name."""
_SHIFT, _TURN = 3e-4, 1e-3
"""Standard deviations of a joint's offsets along and about each axis [m and rad]."""
_SEED = 7


def calibrated_urdf(name: str) -> tuple[str, str, str]:
    """Return the description of an arm of `CALIBRATED`, its base link and its tip link."""
    robot, rng = known_robot(CALIBRATED[name]), np.random.default_rng(_SEED)
    root = ElementTree.fromstring(robot.urdf.read_text(encoding="utf-8"))
    for joint in root.iter("joint"):
        if joint.get("type") == "fixed":
            continue
        origin = joint.find("origin")
        if origin is None:
            origin = ElementTree.SubElement(joint, "origin")
        for key, deviation in (("xyz", _SHIFT), ("rpy", _TURN)):
            nominal = np.array(origin.get(key, "0 0 0").split(), np.float64)
            off = nominal + rng.normal(0.0, deviation, 3)
            origin.set(key, " ".join(map(repr, off.tolist())))
    return ElementTree.tostring(root, encoding="unicode"), robot.base_link, robot.tip_link
