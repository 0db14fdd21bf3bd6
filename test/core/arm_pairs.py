"""Two arms or three on one stand, each with joints of its own."""

import xml.etree.ElementTree as ET
from pathlib import Path

from generative_ik_ros import KinematicTree, load_robot

ROBOTS = Path(__file__).resolve().parents[2] / "config" / "robots"
SIDES = "left", "right", "third"


def known_pair(*names, apart=0.8, **options):
    """Return the tree of some robots that ship, so many metres apart."""
    arms = [load_robot(name) for name in names]
    texts = [(ROBOTS / f"{name}.urdf").read_text() for name in names]
    ends = [(arm.base_link, arm.tip_link) for arm in arms]
    return pair_of(texts, ends, apart, **options)


def pair_of(texts, ends, apart=0.8, **options):
    """Return the tree of some URDFs whose names get prefixes, from base links to tip links."""
    stand = ET.Element("robot", name="pair")
    ET.SubElement(stand, "link", name="stand")
    tips = []
    sides = SIDES[: len(texts)]
    for side, place, text, (base, tip) in zip(sides, (-0.5, 0.5, 1.5), texts, ends, strict=False):
        _take(stand, side, ET.fromstring(text))
        joint = ET.SubElement(stand, "joint", name=f"{side}_place", type="fixed")
        ET.SubElement(joint, "parent", link="stand")
        ET.SubElement(joint, "child", link=f"{side}_{base}")
        ET.SubElement(joint, "origin", xyz=f"0 {place * apart} 0", rpy="0.1 0.2 0.3")
        tips.append(f"{side}_{tip}")
    return KinematicTree.from_urdf(ET.tostring(stand, "unicode"), "stand", tips, **options)


def _take(stand, side, robot):
    """Take links and joints of a robot with a prefix to their names."""
    for part in robot:
        if part.tag not in ("link", "joint"):
            continue
        for element in part.iter():
            for name in ("name", "link", "joint"):
                if name in element.attrib and element.tag in (
                    "link", "joint", "parent", "child", "mimic",
                ):  # fmt: skip
                    element.set(name, f"{side}_{element.get(name)}")
        stand.append(part)
