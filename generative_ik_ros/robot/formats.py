"""The formats of robot descriptions, each read into the same parts."""

from pathlib import Path

from generative_ik_ros.robot.description_source import safe_tree
from generative_ik_ros.robot.elements import Parts
from generative_ik_ros.robot.urdf_reader import read_urdf

FORMATS = {"robot": "URDF", "sdf": "SDF", "mujoco": "MJCF"}
"""By the name of the root element."""


def read_parts(text: str | bytes, file: Path | None = None) -> Parts:
    """Read a description by what its root element says that it is.

    Args:
        text: A URDF, SDF or MJCF document.
        file: Where the text comes from, if it is trusted to name other files: an MJCF file may
            include others. None for text, from which nothing is opened.

    Raises:
        RobotDescriptionError: The text is none of these, or something in it cannot be read.
        MissingDependencyError: It is MJCF, and MuJoCo is not installed.
    """
    root = safe_tree(text, FORMATS)
    if root.tag == "robot":
        return read_urdf(root)
    # Imported here: most robots are URDFs.
    if root.tag == "sdf":
        from generative_ik_ros.robot.sdf_reader import read_sdf

        return read_sdf(root)
    from generative_ik_ros.robot.mjcf_reader import read_mjcf

    return read_mjcf(root, file)
