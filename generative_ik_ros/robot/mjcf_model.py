"""MuJoCo's own model of an MJCF document, compiled without the files that meshes are in."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import RobotDescriptionError, importing, short
from generative_ik_ros.robot.description_source import quoted
from generative_ik_ros.robot.quaternions import rotation_matrices
from generative_ik_ros.robot.xml_values import frozen

MjModel = Any
"""Types of the module `mujoco`, which type checkers cannot see into."""
MjSpec = Any
MjsGeom = Any
MjsMesh = Any

_SECTIONS = "compiler", "default", "worldbody", "equality", "tendon"
"""What is read of text besides meshes: parts of other sections name files, or do not matter."""
_IN_BODIES = (
    "body", "frame", "joint", "freejoint", "geom", "site", "inertial", "camera", "light",
)  # fmt: skip
_UNNEEDED = (
    "keys", "sensors", "actuators", "tuples", "pairs", "excludes", "skins", "flexes",
    "meshes", "hfields", "materials", "textures", "texts", "numerics", "plugins",
)  # fmt: skip
"""What has no part in the kinematics."""
_STAND_IN = 1e-3
"""Radius of the sphere that is compiled instead of a mesh [m]."""


@dataclass(frozen=True)
class MeshUse:
    """A mesh as a geom uses it.

    Attributes:
        uri: The address of its file.
        scale: Along the file's own axes.
        mesh_in_geom: (4, 4) the file's frame, after scaling, in the geom's [m].
        fault: Why it cannot be used; "" where it can.
    """

    uri: str
    scale: tuple[float, ...]
    mesh_in_geom: Floats
    fault: str = ""


@dataclass(frozen=True)
class CompiledModel:
    """MuJoCo's model, and what was taken out of it.

    Attributes:
        model: The `mujoco.MjModel`; geoms with meshes are small spheres in it.
        meshes: What they were, by index.
        colors: Of geoms that have a material, by index (4,).
        name: The model's name.
        actuated: Names of joints and of tendons that actuators drive; None where the model has no
            actuators, or is text, of which they are not read.
    """

    model: MjModel
    meshes: dict[int, MeshUse]
    colors: dict[int, Floats]
    name: str
    actuated: tuple[frozenset[str], frozenset[str]] | None


def mujoco_module() -> ModuleType:
    """Return the module `mujoco`.

    Raises:
        MissingDependencyError: It is not installed.
    """
    with importing("an MJCF description needs mujoco", "'generative_ik_ros[formats]'"):
        import mujoco
    return mujoco


def compile_model(root: Element, file: Path | None) -> CompiledModel:
    """Have MuJoCo parse and compile a model.

    Meshes, textures and height fields are taken out before, so that no file is opened but the
    model's own and, where it may name any, those that it includes.

    Args:
        root: The <mujoco>, read safely.
        file: The file that it is from; None for text, which must not name any.

    Raises:
        RobotDescriptionError: MuJoCo refuses it, or text holds what opens files.
        MissingDependencyError: MuJoCo is not installed.
    """
    mujoco = mujoco_module()
    _check_numbers(root)
    text = "" if file is not None else ElementTree.tostring(_without_files(root), "unicode")
    try:
        with _without_log(mujoco):
            if file is not None:
                spec = mujoco.MjSpec.from_file(str(file))
            else:
                spec = mujoco.MjSpec.from_string(text)
            geoms, actuated = list(spec.geoms), _actuated(spec)
            meshes, colors = _take_out(spec, geoms, file)
            model = spec.compile()
    except (ValueError, TypeError, RuntimeError, mujoco.FatalError) as error:
        why = " ".join(str(error).split())
        raise RobotDescriptionError(f"MuJoCo refuses the description: {short(why, 300)}") from None
    index = [geom.id for geom in geoms]
    return CompiledModel(
        model,
        {index[i]: mesh for i, mesh in meshes.items()},
        {index[i]: color for i, color in colors.items()},
        spec.modelname,
        actuated,
    )


def _actuated(spec: MjSpec) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the joints and the tendons that actuators drive; None where there are none."""
    kinds, drives = mujoco_module().mjtTrn, [(one.trntype, one.target) for one in spec.actuators]
    if not drives:
        return None
    of_joints = kinds.mjTRN_JOINT, kinds.mjTRN_JOINTINPARENT
    return (
        frozenset(name for kind, name in drives if kind in of_joints),
        frozenset(name for kind, name in drives if kind == kinds.mjTRN_TENDON),
    )


@contextmanager
def _without_log(mujoco: ModuleType) -> Iterator[None]:
    """Keep MuJoCo from writing warnings into a file in the working directory."""
    listening = mujoco.get_mju_user_warning() is not None
    if not listening:
        mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        if not listening:
            mujoco.set_mju_user_warning(None)


def _check_numbers(root: Element) -> None:
    """Refuse NaN, of which MuJoCo would only write a note into a file.

    Raises:
        RobotDescriptionError: There is one.
    """
    for element in root.iter():
        for key, value in element.attrib.items():
            if "nan" in (lowered := value.lower()) and key != "name":
                if any(word.lstrip("+-").startswith("nan") for word in lowered.split()):
                    raise RobotDescriptionError(
                        f"<{short(element.tag)}> has the attribute {short(key)} {quoted(value)}, "
                        "which is not finite"
                    )


def _without_files(root: Element) -> Element:
    """Return a model without what would have MuJoCo open a file, or make many parts of one.

    Raises:
        RobotDescriptionError: Such a thing is a part of its kinematics.
    """
    kept = Element("mujoco", {"model": root.get("model", "")})
    for section in root:
        if section.tag in ("include", "extension"):
            raise RobotDescriptionError(
                f"the MJCF text has <{section.tag}>, which only a file may have"
            )
        if section.tag == "asset":
            meshes = Element("asset")
            meshes.extend(
                Element("mesh", {key: mesh.attrib[key] for key in _OF_MESH if key in mesh.attrib})
                for mesh in section.iter("mesh")
            )
            kept.append(meshes)
        elif section.tag in _SECTIONS:
            for element in section.iter():
                inside = section.tag == "worldbody" and element is not section
                if element.tag == "include" or (inside and element.tag not in _IN_BODIES):
                    raise RobotDescriptionError(
                        f"the MJCF text has <{short(element.tag)}>, which only a file may have"
                    )
            kept.append(section)
    return kept


_OF_MESH = "name", "class", "file", "scale", "refpos", "refquat"


def _take_out(
    spec: MjSpec, geoms: list[MjsGeom], file: Path | None
) -> tuple[dict[int, MeshUse], dict[int, Floats]]:
    """Take out of a parsed model what names files or is of no use here.

    Returns:
        Meshes and colours of geoms, by their place in `geoms`.
    """
    kinds = mujoco_module().mjtGeom
    by_name = {mesh.name or Path(mesh.file).stem: mesh for mesh in spec.meshes}
    rgba = {material.name: np.array(material.rgba) for material in spec.materials}
    meshes, colors = {}, {}
    for i, geom in enumerate(geoms):
        if geom.material in rgba:
            colors[i] = rgba[geom.material].astype(np.float64)
        if geom.meshname or geom.type in (
            kinds.mjGEOM_MESH,
            kinds.mjGEOM_HFIELD,
            kinds.mjGEOM_SDF,
        ):
            meshes[i] = _mesh_use(spec, geom, by_name.get(geom.meshname), file)
            geom.type, geom.size = kinds.mjGEOM_SPHERE, [_STAND_IN, 0.0, 0.0]
        geom.material = geom.meshname = geom.hfieldname = ""
    for element in (*spec.sites, *spec.tendons):
        element.material = ""
    for kind in _UNNEEDED:
        # What is deleted may take others with it out of the list, as an actuator its plugin.
        for element in list(getattr(spec, kind)):
            spec.delete(element)
    # Masses do not matter: what has none, or an impossible one, compiles all the same.
    spec.compiler.balanceinertia, spec.compiler.fusestatic = True, False
    spec.compiler.discardvisual = spec.compiler.alignfree = False
    spec.compiler.boundmass = spec.compiler.boundinertia = 1e-6
    return meshes, colors


def _mesh_use(spec: MjSpec, geom: MjsGeom, mesh: MjsMesh, file: Path | None) -> MeshUse:
    """Return how a geom uses a mesh, or why it cannot be used."""
    kinds, frame, fault = mujoco_module().mjtGeom, np.eye(4), ""
    if mesh is None or not mesh.file:
        kind = kinds(geom.type).name.removeprefix("mjGEOM_").lower()
        return MeshUse("", (), frame, f"a geom of the kind {kind} without a file is not supported")
    if geom.type != kinds.mjGEOM_MESH:
        fault = "a primitive shape that is fitted to a mesh is not supported"
    scale = np.array(mesh.scale, np.float64)
    turned = rotation_matrices(np.roll(np.array(mesh.refquat, np.float64), -1))
    if np.ptp(scale) > 0.0 and not np.array_equal(turned, np.eye(3)):
        fault = "a mesh that is turned and scaled unequally along its axes is not supported"
    frame[:3, :3] = turned.T
    frame[:3, 3] = -turned.T @ (scale * np.array(mesh.refpos, np.float64))
    name = Path(mesh.file).name if spec.strippath else mesh.file
    uri = os.path.normpath(os.path.join(spec.meshdir, name))
    if file is not None and uri.startswith(os.pardir):
        # Beside the model's folder, so that it is looked up from where it is.
        uri = os.path.normpath(file.resolve().parent / uri)
    return MeshUse(uri, tuple(scale.tolist()), frame, fault)


def frame_of(place: Floats, quaternion: Floats) -> Floats:
    """Return a frame (4, 4) from MuJoCo's place (3,) [m] and quaternion w, x, y, z."""
    frame = np.eye(4)
    frame[:3, :3] = rotation_matrices(np.roll(quaternion, -1))
    frame[:3, 3] = place
    return frozen(frame)
