"""Files of scenes: MoveIt's planning scenes and cuRobo's worlds, told apart by their keys."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from generative_ik_ros.collision.curobo_scene import KINDS, UNREAD, curobo_scene
from generative_ik_ros.collision.file_entries import FileScene
from generative_ik_ros.collision.mesh_files import MeshFolders
from generative_ik_ros.collision.moveit_scene import moveit_scene
from generative_ik_ros.collision.obstacles import check_names_once
from generative_ik_ros.errors import InvalidArgumentError, listed
from generative_ik_ros.robot.yaml_files import read_yaml

_MOVEIT = ("world", "robot_state", "allowed_collision_matrix", "robot_model_name")
"""Keys of a planning scene, each of which is enough to know it by."""


def read_scene(
    path: Path, package_dirs: Iterable[str | PathLike[str]], frame: str | None
) -> FileScene:
    """Read a scene.

    Args:
        path: A YAML file.
        package_dirs: Folders in which packages are looked up that addresses of meshes name.
        frame: The link in whose frame obstacles are for which the file names none.

    Raises:
        InvalidArgumentError: The file is neither, or has an obstacle that cannot be one; the
            message names the file and the entry.
    """
    content = read_yaml(path)
    keys = set(content) if isinstance(content, dict) else set()
    folders = MeshFolders(package_dirs, path)
    try:
        if keys.intersection(_MOVEIT):
            scene = moveit_scene(content, folders, frame)
        elif keys.intersection((*KINDS, *UNREAD)):
            scene = curobo_scene(content, folders, frame)
        else:
            found = listed(sorted(keys))
            raise InvalidArgumentError(
                "it is neither a MoveIt planning scene (world.collision_objects) nor a world of "
                f"cuRobo ({', '.join(KINDS)}): "
                + (f"its keys are {found}" if keys else "it is no mapping with keys")
            )
        check_names_once(scene.obstacles)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{path}: {error}") from None
    return scene
