"""Collision checks of a chain's configurations: by spheres, then by the shapes themselves."""

import weakref
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from generative_ik_ros._core import CollisionWorld, ShapeDistances
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.collision.exact import EXACT_CHECKER, TOLERANCE, ExactChecker
from generative_ik_ros.collision.frames import MovingFrames
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.obstacles import AttachedObject
from generative_ik_ros.collision.placement import Part, Parts
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.errors import (
    InvalidArgumentError,
    RobotDescriptionError,
    UnknownNameError,
    listed,
    warn_caller,
)
from generative_ik_ros.robot.kinematic_tree import Kinematics
from generative_ik_ros.robot.limits import with_limits
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.tree import link_transforms

EMPTY_SCENE = Scene()


class CollisionChecker:
    """Checks configurations of one chain of a robot, or of a tree, limb against limb.

    Args:
        model: The robot's geometry.
        chain: What moves; its fixed joints stand where it says, all others where the model says.

    Attributes:
        frames: What the chain moves, and which links move together.

    Raises:
        InvalidArgumentError: The model is of another robot.
    """

    def __init__(self, model: CollisionModel, chain: Kinematics):
        """Find out which links the chain moves."""
        if not isinstance(model, CollisionModel):
            raise InvalidArgumentError(f"collision must be a CollisionModel, not {type(model)}")
        model = _sampled_widely(model, chain)
        self.model, self.chain = model, chain
        standing = {k: v for k, v in model.joint_positions.items() if k not in chain.names}
        standing.update(chain.fixed)
        _check_robot(model, chain, standing)
        self.frames = MovingFrames.of(model.description, chain.names, standing)
        self.exact = EXACT_CHECKER if ExactChecker.available() else None
        if self.exact is not None:
            for link in model.links:
                self.exact.prepare(link.shapes)
        else:
            warn_caller(
                "coal is not installed: configurations so close to a collision that spheres "
                "cannot tell are taken for colliding; pip install 'generative_ik_ros[collision]'"
            )
        self._scenes: weakref.WeakKeyDictionary[Scene, SceneCheck] = weakref.WeakKeyDictionary()

    def __reduce__(self) -> tuple[type, tuple[CollisionModel, Kinematics]]:
        """Pickle and copy what it was made from; checks are worlds of the core."""
        return CollisionChecker, (self.model, self.chain)

    def at(self, scene: Scene | None) -> "SceneCheck":
        """Return the check among the obstacles of a scene; None: the robot alone.

        It is kept as long as the scene.

        Raises:
            InvalidArgumentError: This is no scene, or an obstacle moves with the chain.
            UnknownNameError: The scene names a link that the robot does not have.
            RobotDescriptionError: There are obstacles, but nothing that the chain moves has
                shapes.
        """
        scene = EMPTY_SCENE if scene is None else scene
        if not isinstance(scene, Scene):
            raise InvalidArgumentError(f"scene must be a Scene, not {type(scene)}")
        found = self._scenes.get(scene)
        if found is None:
            parts = placed_parts(self.model, self.frames, scene)
            if not parts.num_moving and (scene.obstacles or scene.clouds):
                raise RobotDescriptionError(
                    f"the robot '{self.model.description.name}' cannot be checked among "
                    f"obstacles: no link that the chain to {listed(self.chain.tip_links)} moves "
                    "has collision shapes; visuals=True takes the visual ones"
                )
            found = self._scenes[scene] = SceneCheck(parts, self.exact)
        return found

    def surely_free(self, positions: Floats) -> Bools:
        """Say which configurations (N, n) spheres show to be free of self-collisions."""
        return self.at(None).verdicts(positions) == Verdict.FREE


def placed_parts(model: CollisionModel, frames: MovingFrames, scene: Scene) -> Parts:
    """Return the parts of a robot, with what a scene attaches to it, and of the scene.

    Raises:
        UnknownNameError: The scene names a link that the robot does not have.
        InvalidArgumentError: An obstacle's frame moves, or an attached object against its link.
    """
    for carried in scene.attached:
        model = _with_attached(model, frames, carried)
    return Parts.of(
        model.links,
        frames,
        scene,
        unchecked=model.unchecked,
        unchecked_links=model.unchecked_links,
    )


def _with_attached(
    model: CollisionModel, frames: MovingFrames, carried: AttachedObject
) -> CollisionModel:
    """Return a model that carries an object as well."""
    links, frame = frames.link_frame, carried.frame or model.description.root
    for link in (frame, carried.link):
        if link not in links:
            raise UnknownNameError("link", link, links)
    if links[frame] != links[carried.link]:
        raise InvalidArgumentError(
            f"{carried.name} is attached to '{carried.link}' and placed in the frame of "
            f"'{frame}', which moves against it; place it in the frame of its link"
        )
    in_link = inverse(frames.link_in_frame[carried.link]) @ frames.link_in_frame[frame]
    shapes = [replace(shape, pose=in_link @ shape.pose) for shape in carried.shapes]
    return model.attach(carried.link, shapes, name=carried.name, touch_links=carried.touch_links)


class SceneCheck:
    """Checks configurations of a chain among the obstacles of a scene.

    Args:
        parts: Links and obstacles.
        exact: Decides what spheres cannot; None where coal is not installed.
    """

    def __init__(self, parts: Parts, exact: ExactChecker | None):
        """Pack what the core reads."""
        self._parts, self._exact = parts, exact
        self.world: CollisionWorld = parts.world()

    @cached_property
    def shapes(self) -> ShapeDistances:
        """The shapes themselves, for distances between them."""
        return ShapeDistances(self.world, *self._parts.surfaces())

    def verdicts(self, positions: Floats) -> Ints:
        """Check (N, n) configurations by spheres: (N,) values of `Verdict`."""
        return self.world.verdicts(np.ascontiguousarray(positions))

    def clearance(self, positions: Floats) -> Floats:
        """Return a lower bound (N,) of the distance from the nearest thing, by spheres [m].

        It is 0 where spheres overlap. `positions` are (N, n) configurations.
        """
        bounds = np.empty(len(positions))
        self.measure(np.ascontiguousarray(positions), bounds)
        return bounds

    def distances(self, positions: Floats) -> Floats:
        """Return the distance (N,) from the nearest thing, between the shapes themselves [m].

        Inside of a mesh it is the distance from its surface: `positions`, (N, n) configurations,
        must be free of collisions.
        """
        found = np.empty(len(positions))
        self.shapes.measure(np.ascontiguousarray(positions), found)
        return found

    def measure(self, positions: Floats, bounds: Floats) -> None:
        """Write lower bounds of the clearance (...) of configurations (..., n), NaN for NaN."""
        rows = positions.reshape(-1, positions.shape[-1])
        self.world.clearance(rows, bounds.reshape(-1))

    def colliding(self, positions: Floats) -> Bools:
        """Say which of the configurations (N, n) collide, by the shapes themselves."""
        verdicts = self.verdicts(positions)
        hit = verdicts >= Verdict.INSIDE
        for k in np.flatnonzero(verdicts == Verdict.UNDECIDED).tolist():
            hit[k] = self.collides(positions[k])
        return hit

    def collides(self, q: Floats) -> bool:
        """Say whether a configuration (n,) collides, by the shapes themselves."""
        return self.colliding_pair(q) is not None

    def colliding_pair(self, q: Floats) -> tuple[str, str] | None:
        """Return the names of the first two parts that collide in a configuration (n,), or None.

        Without coal, what spheres cannot tell collides.
        """
        found, frames = self.world.contacts(np.ascontiguousarray(q))
        found = found[np.argsort(-found[:, 2], kind="stable")]
        for i, j, verdict in found.tolist():
            one, other = self._parts.named(i, j)
            certain = verdict != Verdict.UNDECIDED or self._exact is None
            if certain or self._touch(one, other, i, j, frames):
                return one.name, other.name
        return None

    def _touch(self, one: Part, other: Part, i: int, j: int, frames: Floats) -> bool:
        exact = self._exact
        assert exact is not None  # noqa: S101
        margin = self._parts.margin(i, j)
        pose, other_pose = one.placed(frames), other.placed(frames)
        if other.points is not None:
            assert one.body is not None and other.body is not None  # noqa: S101
            pose = inverse(other_pose) @ pose
            around = one.body.cover.root
            center = pose[:3, :3] @ around[:3] + pose[:3, 3]
            near = other.body.cover.near(center, around[3] + margin + TOLERANCE)
            return exact.collide_points(one.shapes, pose, near[:, :3], other.radius, margin)
        return exact.collide(one.shapes, pose, other.shapes, other_pose, margin)


def _sampled_widely(model: CollisionModel, chain: Kinematics) -> CollisionModel:
    """Return a model whose pairs are sampled in a chain's limits, which may be wider."""
    wider = {}
    for name, lower, upper in zip(chain.names, chain.lower, chain.upper, strict=True):
        joint = model.description.joint_named.get(name)
        if joint is not None and not (joint.lower <= lower and upper <= joint.upper):
            wider[name] = min(lower, joint.lower), max(upper, joint.upper)
    if model.allowed is not None or not wider:
        return model
    return replace(model, description=with_limits(model.description, wider))


def _check_robot(model: CollisionModel, chain: Kinematics, standing: Mapping[str, float]) -> None:
    """Check that chain and model place the tips alike."""
    for link in (chain.base_link, *chain.tip_links, *chain.reference_links):
        if link not in model.description.links:
            raise InvalidArgumentError(
                f"collision: the model's robot '{model.description.name}' has no link '{link}' of "
                "the chain; both must come from the same description"
            )
    middle = np.clip(0.0, chain.lower, chain.upper)
    for q in (middle, np.clip(middle + 0.3, chain.lower, chain.upper)):
        values = {**standing, **dict(zip(chain.names, q, strict=True))}
        try:
            frames = link_transforms(model.description, values, chain.base_link)
        except LookupError as error:
            raise InvalidArgumentError(f"collision: {error}") from None
        ends = zip(chain.tip_links, chain.reference_links, strict=True)
        tips = [inverse(frames[reference][0]) @ frames[tip][0] for tip, reference in ends]
        away = np.abs(np.array(tips) - chain.forward(q).reshape(-1, 4, 4)).max(axis=(1, 2))
        if away.max() > 1e-6:
            raise InvalidArgumentError(
                f"collision: chain and model place '{chain.tip_links[np.argmax(away)]}' "
                "differently; both must come from the same description"
            )
