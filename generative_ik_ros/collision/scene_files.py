"""Files of scenes: MoveIt's planning scenes and cuRobo's worlds, told apart by their keys."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from generative_ik_ros.collision.curobo_scene import KINDS, UNREAD, curobo_scene
from generative_ik_ros.collision.file_entries import FileScene
from generative_ik_ros.collision.mesh_files import MeshFolders
from generative_ik_ros.collision.moveit_scene import moveit_scene
from generative_ik_ros.collision.obstacles import first_twice
from generative_ik_ros.errors import InvalidArgumentError, listed, short
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
            return _with_names_once(moveit_scene(content, folders, frame))
        if keys.intersection((*KINDS, *UNREAD)):
            return _with_names_once(curobo_scene(content, folders, frame))
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{path}: {error}") from None
    found = f"its keys are {listed(sorted(keys))}" if keys else "it is no mapping with keys"
    raise InvalidArgumentError(
        f"{path} is neither a MoveIt planning scene (world.collision_objects) nor a world of "
        f"cuRobo ({', '.join(KINDS)}): {found}"
    )


def _with_names_once(scene: FileScene) -> FileScene:
    if (twice := first_twice(one.name for one in scene.obstacles)) is not None:
        raise InvalidArgumentError(f"two obstacles have the name '{short(twice)}'")
    return scene
