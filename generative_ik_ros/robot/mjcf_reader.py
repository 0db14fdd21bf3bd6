"""Links, joints and shapes of an MJCF model, as MuJoCo compiles it."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.description_source import LIMITS
from generative_ik_ros.robot.elements import (
    CollisionShape,
    Coupling,
    Joint,
    Loop,
    Parts,
    Visual,
    fixed_joint,
)
from generative_ik_ros.robot.joint_frames import UnusedNames, about_child
from generative_ik_ros.robot.mjcf_couplings import couplings_of, driven_joints
from generative_ik_ros.robot.mjcf_model import (
    CompiledModel,
    compile_model,
    frame_of,
    mujoco_module,
)
from generative_ik_ros.robot.xml_shapes import color_of, drawn, malformed
from generative_ik_ros.robot.xml_values import frozen

_DRAWN_GROUPS = 0, 1, 2
"""Groups of geoms that MuJoCo draws unless told otherwise."""


def read_mjcf(root: Element, file: Path | None) -> Parts:
    """Read a robot's name, links, joints and shapes from its MJCF.

    Bodies become links, "world" their root, and sites links that are fixed to them. MuJoCo parses
    and compiles the model, so that defaults, includes, frames and units are its own.

    Args:
        root: The <mujoco>, read safely.
        file: The file that it is from, which may include others; None for text.

    Raises:
        RobotDescriptionError: MuJoCo refuses the model, or text holds what opens files.
        MissingDependencyError: MuJoCo is not installed.
    """
    compiled = compile_model(root, file)
    reader = _Reader(compiled)
    joints = tuple(reader.joints())
    links = tuple(dict.fromkeys((*reader.bodies, *(joint.child for joint in joints))))
    visuals, collisions = reader.shapes()
    name, (loops, sums) = compiled.name[: LIMITS.max_name], reader.loops_and_sums
    return Parts(name, links, joints, visuals, collisions, loops, sums)


class _Reader:
    """Goes through a compiled model.

    Args:
        compiled: The model.

    Attributes:
        bodies: Their names, by index.
    """

    def __init__(self, compiled: CompiledModel):
        """Name what has no name."""
        self._compiled, model = compiled, compiled.model
        given = [model.body(i).name for i in range(model.nbody)]
        self._links = UnusedNames(set(given))
        self.bodies = [name or self._links.like(f"body_{i}") for i, name in enumerate(given)]
        given = [model.joint(i).name for i in range(model.njnt)]
        self._joints = UnusedNames(set(given))
        self._names = [name or self._joints.like(f"joint_{i}") for i, name in enumerate(given)]
        self._couplings = couplings_of(model, self._names, self.bodies)
        self._driven = compiled.actuated and set(driven_joints(model, *compiled.actuated))

    @property
    def loops_and_sums(self) -> tuple[tuple[Loop, ...], tuple[Coupling, ...]]:
        """The loops that are closed, and the sums of joint positions that are held or limited."""
        return tuple(self._couplings.loops), tuple(self._couplings.sums)

    def joints(self) -> Iterator[Joint]:
        """Yield the joints of all bodies, parents first, then those that fix sites to bodies."""
        model = self._compiled.model
        for body in range(1, model.nbody):
            parent, name = self.bodies[model.body_parentid[body]], self.bodies[body]
            place = frame_of(model.body_pos[body], model.body_quat[body])
            begin, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
            if not count:
                yield fixed_joint(self._joints.like(f"{name}_fixed"), parent, name, place)
            for joint in range(begin, begin + count):
                last = joint == begin + count - 1
                child = name if last else self._links.like(f"{name}_{self._names[joint]}")
                yield from self._joint(joint, parent, child, place)
                parent, place = child, np.eye(4)
        for site in range(model.nsite):
            if name := model.site(site).name:
                pose = frame_of(model.site_pos[site], model.site_quat[site])
                body = self.bodies[model.site_bodyid[site]]
                joint = self._joints.like(f"{name}_fixed")
                yield fixed_joint(joint, body, self._links.like(name), pose)

    def _joint(self, joint: int, parent: str, child: str, place: Floats) -> Iterator[Joint]:
        """Yield a joint; it turns about a point of the child, whose frame (4, 4) is `place`."""
        model, name = self._compiled.model, self._names[joint]
        kinds = mujoco_module().mjtJoint
        kind = kinds(model.jnt_type[joint])
        if kind in (kinds.mjJNT_FREE, kinds.mjJNT_BALL):
            word = "floating" if kind == kinds.mjJNT_FREE else "ball"
            yield replace(fixed_joint(name, parent, child, place), type=word)
            return
        couplings = self._couplings
        limited = bool(model.jnt_limited[joint])
        lower, upper = model.jnt_range[joint].tolist() if limited else (-math.inf, math.inf)
        turning = "revolute" if limited else "continuous"
        anchor, back = np.eye(4), np.eye(4)
        anchor[:3, 3], back[:3, 3] = model.jnt_pos[joint], -model.jnt_pos[joint]
        made = Joint(
            name=name,
            type="prismatic" if kind == kinds.mjJNT_SLIDE else turning,
            parent=parent,
            child=child,
            child_in_parent=place @ anchor,
            axis=frozen(np.array(model.jnt_axis[joint])),
            lower=lower,
            upper=upper,
            mimic=couplings.mimics.get(joint),
            obstacle=couplings.obstacles.get(joint, ""),
            actuated=None if self._driven is None else joint in self._driven,
        )
        # The model is as it stands where the joint is at its reference.
        reference = float(model.qpos0[model.jnt_qposadr[joint]])
        made = replace(
            made, child_in_parent=frozen(made.child_in_parent @ made.motion(-reference))
        )
        if joint in couplings.standing:
            frame = made.child_in_parent @ made.motion(couplings.standing[joint]) @ back
            made, back = fixed_joint(name, parent, child, frozen(frame)), np.eye(4)
        yield from about_child(made, back, self._links, self._joints)

    def shapes(
        self,
    ) -> tuple[dict[str, tuple[Visual, ...]], dict[str, tuple[CollisionShape, ...]]]:
        """Return what is drawn of the links, and the shapes of theirs that collide."""
        model, visuals, collisions = self._compiled.model, {}, {}
        for geom in range(model.ngeom):
            link, shape = self.bodies[model.geom_bodyid[geom]], self._shape(geom)
            if model.geom_contype[geom] or model.geom_conaffinity[geom]:
                collisions[link] = (*collisions.get(link, ()), shape)
            if model.geom_group[geom] in _DRAWN_GROUPS and shape.shape not in ("", "plane"):
                color = self._compiled.colors.get(geom)
                color = model.geom_rgba[geom] if color is None else color
                geometry = shape.shape, shape.size, shape.mesh_uri
                looks = drawn(geometry, shape.shape_in_link, color_of(tuple(color.tolist())))
                visuals[link] = (*visuals.get(link, ()), *looks)
        return visuals, collisions

    def _shape(self, geom: int) -> CollisionShape:
        model, kinds = self._compiled.model, mujoco_module().mjtGeom
        pose = frame_of(model.geom_pos[geom], model.geom_quat[geom])
        if (mesh := self._compiled.meshes.get(geom)) is not None:
            if mesh.fault:
                return malformed(mesh.fault)
            return CollisionShape("mesh", mesh.scale, mesh.uri, frozen(pose @ mesh.mesh_in_geom))
        first, second, third = model.geom_size[geom].tolist()
        match kind := kinds(model.geom_type[geom]):
            case kinds.mjGEOM_SPHERE:
                return CollisionShape("sphere", (first,), "", pose)
            case kinds.mjGEOM_CAPSULE:
                return CollisionShape("capsule", (first, 2.0 * second), "", pose)
            case kinds.mjGEOM_CYLINDER:
                return CollisionShape("cylinder", (first, 2.0 * second), "", pose)
            case kinds.mjGEOM_BOX:
                return CollisionShape("box", (2.0 * first, 2.0 * second, 2.0 * third), "", pose)
            case kinds.mjGEOM_PLANE:
                return CollisionShape("plane", (), "", pose)
        word = kind.name.removeprefix("mjGEOM_").lower()
        return malformed(f"a geom of the kind {word} is not supported")
