"""The native core: arrays in, arrays out."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Result = TypeVar("Result")

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Records = NDArray[np.void]
GoalNumbers = tuple[Ints, Floats]
"""What is bounded of G goals (G,), and R regions: one for all targets, or one for each; see
`PackedRegions`."""
PackedProblem = tuple[Floats, Ints]
"""A chain or a tree with its tolerances, as `JointTree.problem` and `goal_problem` return it."""
JointNumbers = tuple[Floats, Floats, Bools, Floats]
"""Of each joint (n,): lower and upper limit, infinite where it is continuous [rad or m]; whether a
full turn changes nothing; the change that counts as 1 rad [rad or m]. See `Stages.joints`."""
Grid = tuple[Floats, Ints]
"""See `SearchSpace.grid`."""
SearchTask = tuple[PackedProblem, Floats, Floats, Floats]
"""Chain or tree, and tolerances; (7 or more, n) rows of a `Box`; (2, n) shift and ratios of the
additive recurrence of seeds; (T, 4, 4) targets, tip in base [m], or (T, G, 4, 4) for the goals of
a GoalProblem, or the alternatives of the only target."""
Answers = tuple[Ints, Floats, Floats]
"""Of T targets, written: notes (T, 5), which say what is undone before; solutions (T, N, n), NaN
where there is none [rad or m]; and their errors (T, N, 2) [m and rad]. Noted are the number of
solutions, the state (see `outcome.UNDONE`), whether these are all, how many branches the closed
form had, and how many of them are distinct solutions."""
EndNumbers = tuple[int, int, float, int, int, float]
"""See `Ends`."""
CapabilityNumbers = tuple[EndNumbers, Floats, Floats, Ints, Bools, Ints, Floats, Floats, Ints]
"""See `CapabilityGrid`."""
FlowNumbers = tuple[
    tuple[NDArray, ...], float, tuple[NDArray, ...], int, tuple[NDArray, ...], tuple[NDArray, ...]
]
"""See `NativeFlow`."""
ArmNumbers = tuple[tuple[NDArray, ...], tuple[NDArray, ...], tuple[NDArray, ...]]
"""See `NativeGenerator`: the network, the links, and the conditions, how many of them there are
and whether they are signed, of `KnownDistances`."""
MemberNumbers = tuple[Ints, float, tuple[NDArray[np.float32], ...], Bools, Floats]
"""See `NativeMembers`."""
DeviceProblem = tuple[
    PackedProblem, Floats, Grid, "ClosedForm | None", Floats, "CollisionWorld | None"
]
"""A chain and its tolerances; box and grid of a `SearchSpace`; the chain's closed form, if it has
one of six joints, which answers in the place of a search if there is a kernel for it, and what it
takes of the chain, any without one; and of what solutions are proved to be clear, if there is
something, where a closed form is not asked."""

SIDE_BY_SIDE: int
"""Targets, of one solution each, that a thread searches for together."""
ORDER_WORK: int
"""Most coordinates that are compared to put one target's solutions in order (about 1 ms). With
very many solutions only some are ranked; the others follow as found."""

class JointTree:
    """The m joints of a chain, or of a tree with G goals, tips that are given in references.

    Args:
        origins: (m, 4, 4) each joint's frame in the moved frame of the joint before it [m].
        axes: (m, 3) unit vectors in the joints' frames.
        prismatic: (m,) whether the joint is prismatic.
        variable: (m,) index of the variable that drives the joint.
        multiplier: (m,) joint position per variable.
        offset: (m,) joint position where the variable is 0 [rad or m].
        parents: (m,) the joint before each, which has a lower index; -1: the base.
        step_units: (n,) steps of the variables that cost as much as 1 rad [rad or m].
        tip_joints: (G,) the joint that carries each tip; -1: the base.
        tips: (G, 4, 4) the tips in the moved frames of these [m].
        reference_joints: (G,) the joint that carries each reference; -1: the base.
        references: (G, 4, 4) likewise.

    Raises:
        ValueError: An index is out of range.

    Attributes:
        num_goals: G.
        moved_goals: (G, n) whether a variable moves a tip against its reference.
    """

    def __init__(
        self,
        origins: Floats,
        axes: Floats,
        prismatic: Bools,
        variable: Ints,
        multiplier: Floats,
        offset: Floats,
        parents: Ints,
        step_units: Floats,
        tip_joints: Ints,
        tips: Floats,
        reference_joints: Ints,
        references: Floats,
    ) -> None: ...
    @property
    def num_goals(self) -> int: ...
    @property
    def moved_goals(self) -> Bools: ...
    def joint_frames(self, positions: Floats, frames: Floats) -> None:
        """Place the joints.

        Args:
            positions: (S, n) configurations [rad or m].
            frames: (S, m + 1, 4, 4) out: each joint's moved frame, and the base's own [m].
        """
    def goal_jacobians(
        self, positions: Floats, in_reference: bool, poses: Floats, jacobians: Floats
    ) -> None:
        """Compute where tips are in their references, and how they move against these.

        Args:
            positions: (S, n) configurations [rad or m].
            in_reference: Whether Jacobians are in the axes of the references, not of the base.
            poses: (S, G, 4, 4) out [m].
            jacobians: (S, G, 6, n) out: linear rows [m/rad or m/m], then angular [rad/rad or
                rad/m].
        """
    def is_deficient(self, box: Floats, units: Floats, options: Floats) -> bool:
        """Say whether a chain's joints move its tip in too few directions, at general positions.

        Args:
            box: (7, n) see `search_space`.
            units: (n,) the change of each variable that counts as 1 rad [rad or m].
            options: (9,) see `solver_options`: what has a weight is constrained.
        """
    def problem(
        self,
        options: Floats,
        position_tolerance: float,
        orientation_tolerance: float,
        reach: float,
        redundant: bool,
    ) -> tuple[Floats, Ints]:
        """Return the numbers of a chain's problem, for the search.

        Args:
            options: (9,) see `solver_options`.
            position_tolerance: Largest accepted distance [m].
            orientation_tolerance: Largest accepted angle [rad].
            reach: No tip is further than this from the first joint [m]; inf if positions are free.
            redundant: Whether there are more joints than the tolerances constrain.
        """
    def goal_problem(
        self,
        options: Floats,
        position_tolerance: float,
        orientation_tolerance: float,
        regions: Floats,
        checks: Floats,
        bounded: Ints,
        redundant: bool,
    ) -> tuple[Floats, Ints]:
        """Return the numbers of a problem of several tips, or of regions, for the search.

        Args:
            options: (9,) see `solver_options`.
            position_tolerance: Largest accepted distance [m].
            orientation_tolerance: Largest accepted angle [rad].
            regions: (R, G, 18) see `PackedRegions`, as the others.
            checks: (R, G, 14).
            bounded: (G,).
            redundant: Whether solutions form continuous sets.
        """

def solver_options(
    position_weight: float,
    orientation_weight: float,
    position_tolerance: float,
    orientation_tolerance: float,
    num_goals: int = ...,
) -> Floats:
    """Return the parameters of the local solver (9,), in the order of the core's `LaneOptions`.

    Args:
        position_weight: Of a position error [1/m]; 0 leaves the position free.
        orientation_weight: Of an orientation error [1/rad]; 0 leaves it free.
        position_tolerance: Largest accepted distance [m].
        orientation_tolerance: Largest accepted angle [rad].
        num_goals: Tips whose errors add up.
    """

def search_space(
    lower: Floats,
    upper: Floats,
    reference: Floats,
    unit: Floats,
    weight: Floats,
    circular: Bools,
    unlimited: Bools,
    distinct_distance: float,
) -> tuple[Floats, Floats, Ints]:
    """Lay out the space of a search.

    Args:
        lower: (n,) finite bounds of solutions [rad or m].
        upper: (n,) likewise.
        reference: (n,) seed state, or the middle of the bounds [rad or m].
        unit: (n,) the change of each variable that counts as 1 rad [rad or m].
        weight: (n,) what a rad or m counts in the distance from a seed state; 0 without one.
        circular: (n,) joints that are searched on the whole circle.
        unlimited: (n,) joints without limits: circular ones may cross the edge of the box.
        distinct_distance: Solutions with no joint further apart are duplicates [rad or m].

    Returns:
        (7, n) `SearchSpace.box`, and the two arrays of `SearchSpace.grid`.
    """

class ClosedForm:
    """A family of arms that have a closed form.

    Attributes:
        name: Of the family.
        max_branches: Rows that a pose's branches may take.
        max_rows: Rows that branches of a pose and solutions beside them take, see `BranchProblem`.
    """

    @property
    def name(self) -> str: ...
    @property
    def max_branches(self) -> int: ...
    @property
    def max_rows(self) -> int: ...
    def find(self, parameters: Floats, tip_poses: Floats) -> tuple[Floats, Ints]:
        """Return the branches of poses.

        Args:
            parameters: What the family takes of a chain, see `robot/closed_form.py`.
            tip_poses: (N, 4, 4) tip in base [m].

        Returns:
            (N, max_branches, 6) values of the chain's variables before limits and turns are
            looked at [rad or m], NaN behind a pose's last branch; and (N,) how many, or
            -1 - count where the pose lies at, or within some 1e-5 [m or rad] of, a singular or
            continuous case, or of the border of where a branch exists: the branches are good,
            but there may be more. The same pose always gives the same branches.
        """

def frame_numbers(origins: Floats, axes: Floats, couplings: Floats) -> Floats:
    """Return what a `CollisionWorld` takes of the frames that joints move.

    Args:
        origins: (F, 4, 4) each joint's frame in the moving frame before it [m].
        axes: (F, 3) its axis.
        couplings: (F, 2) multiplier and offset of the variable that it follows.

    Returns:
        (F, 35): three matrices, shift, axis, multiplier and offset.
    """

class CollisionWorld:
    """A robot among obstacles, which does not change.

    Args:
        num_variables: Joints that a configuration lists.
        frames: (F, 35) moving frames, parents first: three matrices, shift, axis, multiplier and
            offset; see `MovingFrames`.
        frame_ints: (F, 3) parent frame, 0 of which stands; whether prismatic; variable.
        bodies: (B, 8) frame; first row of trees and groups of the spheres around, the same of
            those inside; whether exact; first extreme, and how many. Those that move come first.
        num_moving: How many do.
        trees: (R, 8) rows of packed sphere trees, see `SphereTree.packed`.
        extremes: (E, 3) points of bodies far from each other [m].
        pairs: (P, 2) bodies that are checked against each other.
        margins: (P,) distances that they keep [m].
        primitives: (G, 17, 8) see `PackedPrimitives`, as the next two.
        kinds: (G,)
        corners: (8 G, 8, 3) [m].
        allowed: (A, 2) bodies and lanes of primitives that may touch.
        margin: Distance to keep from primitives [m].
    """

    def __init__(
        self,
        num_variables: int,
        frames: Floats,
        frame_ints: Ints,
        bodies: Ints,
        num_moving: int,
        trees: Floats,
        extremes: Floats,
        pairs: Ints,
        margins: Floats,
        primitives: Floats,
        kinds: Ints,
        corners: Floats,
        allowed: Ints,
        margin: float,
    ) -> None: ...
    def verdicts(self, positions: Floats) -> Ints:
        """Return the `Verdict` (N,) on each of (N, n) configurations, by all threads."""

    def clearance(self, positions: Floats, bounds: Floats) -> None:
        """Write lower bounds (N,) of the clearance of (N, n) configurations, by all threads.

        They are 0 where spheres overlap, infinite where there is nothing, NaN for NaN [m].
        """

    def contacts(self, q: Floats) -> tuple[Ints, Floats]:
        """Return what is not clear in a configuration (n,), and where the robot's frames are.

        Returns:
            (K, 3) a body, another one or -1 - a lane of primitives, and the `Verdict`; and
            (F + 1, 12) rotations row by row and positions [m].
        """

class ShapeDistances:
    """The shapes of a world in convex pieces.

    Args:
        world: The world.
        pieces: See `packed_surfaces`, as the next.
        places: See there.
    """

    def __init__(self, world: CollisionWorld, pieces: Floats, places: Ints) -> None: ...
    def measure(self, positions: Floats, distances: Floats) -> None:
        """Write distances (N,) between the shapes in (N, n) configurations; see `clearance`."""

_ShapeTuple = tuple[
    int,
    Floats,
    Floats,
    Floats | None,
    Ints | None,
]
"""Kind (0 box, 1 sphere, 2 cylinder, 3 capsule, 4 mesh), sizes (3,), pose (4, 4) [m], and the
vertices (V, 3) [m] and faces (F, 3) of a mesh."""

BODY_REVISION: int
"""Another number than before where bodies come out differently."""

def build_bodies(things: list[list[_ShapeTuple]]) -> list[tuple[Floats, Floats, bool, Floats]]:
    """Build the bodies that shapes make, those of each rigid thing together.

    Returns:
        For each thing a tree (G, 4, 8) of spheres around it, one of spheres inside it, whether it
        is the leaves of both, which are one array then, and points (E, 3) of it that are far from
        each other [m].

    Raises:
        ValueError: A thing has no shapes, or one is unsound.
    """

def tree_above(leaves: Floats) -> Floats:
    """Return the tree (G, 4, 8) above leaves (L, 4), neighbours in which lie near each other."""

def repair_faces(vertices: Floats, faces: Ints) -> tuple[Ints, bool]:
    """Leave out degenerate faces, and give the others a consistent winding.

    Faces are flipped in parts of a mesh that are closed if all have the same side outwards: the
    side that most have, by area. Degenerate faces stay only where a part is not closed without
    them, or where no others are. Vertices at the same place are one.

    Args:
        vertices: (V, 3) [m].
        faces: (F, 3) indices of vertices.

    Returns:
        The faces (G, 3); whether a part has no consistent winding, although each of its edges has
        two faces, or four, and so on. The inside of such a part is not known.
    """

def degenerate_faces(vertices: Floats, faces: Ints) -> Bools:
    """Return which faces (F,) have no area but for rounding: corners on a line."""

def mesh_parts(vertices: Floats, faces: Ints) -> tuple[Floats, Floats]:
    """Find the connected parts of a mesh.

    Vertices at the same place are one. A part is closed if along every edge as many of its faces
    run one way as the other.

    Returns:
        (C, 3) a vertex of each part [m]; (T, 3, 3) corners of the triangles of all parts that are
        closed [m].
    """

def winds_around(triangles: Floats, points: Floats) -> Bools:
    """Return which points (P, 3) a closed surface of triangles (T, 3, 3) winds around."""

def pack_bodies(
    bodies: list[tuple[Floats, Floats | None, bool, Floats]], frames: Ints, poses: Floats
) -> tuple[Ints, Floats, Floats]:
    """Pack bodies (B) in frames (B,), at poses (B, 4, 4): see `CollisionWorld`.

    Args:
        bodies: Trees (G, 4, 8) of spheres around and inside each, None where nothing is known to
            be inside; whether it is these spheres; points (E, 3) far from each other [m].
        frames: Those that they are fixed to.
        poses: Their own frames in these [m].

    Returns:
        `bodies`, `trees` and `extremes` of a world.
    """

def pack_primitives(
    kinds: Ints, sizes: Floats, poses: Floats
) -> tuple[Ints, Ints, Floats, Floats]:
    """Pack primitives of kinds (K,), sizes (K, 3) and poses (K, 4, 4) [m].

    Returns:
        Which of them is in each lane (8 G,), or -1; `kinds`, `primitives` and `corners` of a
        world.
    """

class BodySurface:
    """A body in convex pieces."""

    @staticmethod
    def build(things: list[list[_ShapeTuple] | Floats]) -> list[BodySurface]:
        """Cut things into convex pieces: their shapes, or the cover (G, 4, 8) that a body is."""

def pack_surfaces(
    surfaces: list[BodySurface],
    poses: Floats,
    kinds: Ints,
    sizes: Floats,
    primitive_poses: Floats,
    order: Ints,
) -> tuple[Floats, Ints]:
    """Pack the pieces of bodies (B), at poses (B, 4, 4), and of primitives.

    Args:
        surfaces: The bodies'.
        poses: Their own frames in those that carry them [m].
        kinds: (K,) as of `pack_primitives`, like `sizes` (K, 3).
        sizes: [m].
        primitive_poses: (K, 4, 4) [m].
        order: (8 G,) the primitive in each lane, or -1.

    Returns:
        `pieces` and `places` of `ShapeDistances`.
    """

class Device:
    """A GPU, or the CPU in its place, that runs the kernels of core/cuda.

    Threads may use it at once; their calls follow each other.

    Attributes:
        name: What the device is called.
    """

    name: str

    @staticmethod
    def cuda(fat_binary: bytes, index: int = 0, library: str = "libcuda.so.1") -> Device:
        """Open a GPU.

        Args:
            fat_binary: What `nvcc -fatbin` has made of the kernels.
            index: Of the device, as CUDA counts them.
            library: The driver.

        Raises:
            OSError: There is no driver, no such device, or no kernel for it.
        """

    @staticmethod
    def emulated(memory: int = ...) -> Device:
        """Return the CPU, which runs the kernels thread by thread; `memory` in bytes."""

    @staticmethod
    def takes(problem: PackedProblem) -> bool:
        """Return whether there are kernels for a chain of so many joints."""

    @staticmethod
    def takes_form(form: ClosedForm) -> bool:
        """Return whether there is a kernel for a closed form."""

    @staticmethod
    def takes_world(world: CollisionWorld) -> bool:
        """Return whether kernels check among so many bodies."""

    def solve(
        self,
        problem: DeviceProblem,
        targets: Floats,
        wanted: int,
        random_seed: int,
        seconds: float,
        positions: Floats,
        errors: Floats,
        counts: Ints,
    ) -> tuple[int, int]:
        """Find solutions that are exact, within the limits and distinct.

        Args:
            problem: The chain, and where its solutions may be.
            targets: (T, 4, 4) tip in base [m].
            wanted: Number W of solutions of each.
            random_seed: Another one gives other solutions, as good.
            seconds: Time for it [s]; what is not found then has no solutions.
            positions: (T, W, n) out: solutions; undefined behind the last [rad or m].
            errors: (T, W, 2) out: their distances [m] and angles [rad], undefined as above.
            counts: (T,) out: how many there are.

        Returns:
            Rounds, and seeds that were tried.

        Raises:
            MemoryError: The device has not enough.
            RuntimeError: It has failed.
        """

    def solve_into(
        self,
        problem: DeviceProblem,
        targets: object,
        random_seed: int,
        seconds: float,
        positions: object,
        counts: object,
    ) -> tuple[int, int]:
        """Do the same with arrays in the memory of the device, which stay there.

        They have `__cuda_array_interface__`; the emulated device takes numpy's arrays, too.

        Args:
            problem: See `solve`.
            targets: (T, 4, 4) tip in base [m], float64.
            random_seed: See there.
            seconds: See there.
            positions: (T, W, n) out, float64, undefined behind a target's last solution.
            counts: (T,) out, int32.

        Returns:
            Rounds, and seeds that were tried.

        Raises:
            MemoryError: The device has not enough.
            RuntimeError: It has failed.
        """

    def place(self, chain: JointTree, positions: Floats, poses: Floats) -> None:
        """Place the tip by independent forward kinematics, see `forward`.

        Raises:
            MemoryError: The device has not enough.
            RuntimeError: It has failed.
        """

class NullSpaceOptimizer:
    """Moves configurations along their self-motions to where a score is best.

    Args:
        problem: Chain or tree, and tolerances.
        box: (7, n) rows of a `SearchSpace`.
        poses: (T, 4, 4) targets, tip in base [m]; (T, G, 4, 4) of goals.
        held: (R, G, 18) regions without bounds that leave room; of poses it is not read.
        dimension: Of the null space.
        score: A `Score`, see `search/optimization.py`.
        joints: (3, n) limits [rad or m], and what counts in the distance from the seed state.
        world: Where nothing may collide; None: nothing does.

    Attributes:
        values: (S,) scores of the configurations that were added, where they are now.
        free_values: (S,) those of the best place known to be free that they came through; or -inf.
        free: (S,) whether spheres show where they are to be free.
        targets: (S,) poses that they reach.
        positions: (S, n) where they are [rad or m].
        free_positions: (S, n) the best place known to be free [rad or m].
    """

    def __init__(
        self,
        problem: PackedProblem,
        box: Floats,
        poses: Floats,
        held: Floats,
        dimension: int,
        score: int,
        joints: Floats,
        world: CollisionWorld | None,
    ) -> None: ...
    @property
    def values(self) -> Floats: ...
    @property
    def free_values(self) -> Floats: ...
    @property
    def free(self) -> Bools: ...
    @property
    def targets(self) -> Ints: ...
    @property
    def positions(self) -> Floats: ...
    @property
    def free_positions(self) -> Floats: ...
    def score(self, positions: Floats) -> Floats:
        """Return the scores (N,) of configurations (N, n), however they are reached."""

    def add(
        self, positions: Floats, targets: Ints, values: Floats, free: Bools, radius: float
    ) -> None:
        """Add configurations (A, n) with scores (A,); the radius is that of the first step."""

    def end(self, rows: Ints) -> None:
        """Move some no more."""

    def restart(self, row: int, value: float, radius: float) -> None:
        """Begin anew where one is, with another score."""

    def set_free_value(self, row: int, value: float) -> None:
        """Change the score of where one was free, when another measure is used from now on."""

    def measure_shapes(self, shapes: ShapeDistances) -> None:
        """Take distances between shapes for clearances from now on."""

    def optimize(self, least: float, seconds: float) -> None:
        """Optimize until all steps are shorter than the least, or time is up [s]."""

    def propose(self, least: float) -> bool:
        """Make one trial of each for the caller to score; say whether there are any."""

    def trials(self) -> Floats:
        """Return the trials (K, n) that are to be scored."""

    def judge(self, values: Floats) -> None:
        """Take the scores (K,) of the trials."""

class _NearestSolving(Protocol):
    """What has a method for the solution nearest to a seed state."""

    def solve_nearest(
        self,
        pose: object,
        seed_state: object,
        weights: object,
        limits: object,
        wanted: int,
        kind: type[Result],
        read: Callable[..., Any],
        stages: object,
        start: float,
        /,
    ) -> Result | None:
        """Return the result of a call for the solution nearest to a seed state.

        Args:
            pose: (4, 4) or (1, 4, 4) tip in base [m]; of G limbs (G, 4, 4) or (1, G, 4, 4).
            seed_state: (n,) [rad or m].
            weights: (n,) what the joints count in the distance from it, not negative, and not all
                0; None: 1.
            limits: (n,) how far each joint may be from it [rad or m]; None: any.
            wanted: Number of solutions, the nearest first; more than one only where branches are
                all there are.
            kind: The class of results, `IKSolutions`.
            read: Computes attributes besides positions and counts, see `IKSolutions.made`.
            stages: What it is given first, in a tuple with what `unpack_result` takes.
            start: Reading of `time.perf_counter` when the call began [s].

        Returns:
            None if one of the first four is no contiguous array of float64 of that shape, the pose
            is none, the seed state is outside the limits, the solution is further than it may be,
            more are wanted than can be, or there may be a nearer one than is known of here.
        """

class _OneSolving(Protocol):
    """What has methods for one target."""

    def solve_one(
        self,
        pose: object,
        wanted: int,
        world: CollisionWorld | None,
        random_seed: int,
        collides: Callable[[Floats], bool] | None,
        kind: type[Result],
        read: Callable[..., Any],
        stages: object,
        start: float,
        /,
    ) -> Result | Literal[False] | None:
        """Return the result of a call for one pose that says nothing else.

        Args:
            pose: (4, 4) or (1, 4, 4) tip in base [m]; for one solution each, without a world, also
                (T, 4, 4), of few targets, see `FEW_POSES`; of G limbs (G, 4, 4) or (1, G, 4, 4).
            wanted: Number of solutions.
            world: What solutions are to be free of, if anything; in regions nothing.
            random_seed: See `answer_one`.
            collides: Says whether a configuration (n,) collides that spheres cannot tell of, where
                too few others are free; None: the pose is left then.
            kind: See `_NearestSolving`, as the next three.
            read: See there.
            stages: See there.
            start: See there.

        Returns:
            None if the pose is no contiguous array of float64 of that shape, or none, or has no
            solution in a world; False if it is left to a search. Of several targets some may be
            left.
        """

    def answer_one(self, pose: Floats, wanted: int, random_seed: int = 0) -> Answers | None:
        """Return notes, positions and errors of one pose, as `answer_all` writes them.

        Args:
            pose: (4, 4) or (1, 4, 4) tip in base [m].
            wanted: Number of solutions.
            random_seed: Of what is sampled; branches and curves are not.

        Returns:
            None if the pose is none.
        """

class _NearestAnswering(_NearestSolving, Protocol):
    """What has another one for the solutions nearest to the seed states of many targets."""

    def answer_all_nearest(
        self, poses: Floats, seed_states: Floats, weights: Floats, seconds: float, answers: Answers
    ) -> None:
        """Answer for all targets that are undone with the solution nearest to a seed state.

        Args:
            poses: (T, 4, 4) tip in base [m].
            seed_states: (T, n) of each target, inside the limits [rad or m].
            weights: (n,) what a rad or m counts in the distance from it.
            seconds: After this time no more is begun [s].
            answers: One solution each.
        """

class BranchProblem(_NearestSolving, _OneSolving):
    """A chain of six joints that has a closed form, and where its solutions may be.

    Args:
        form: The form.
        parameters: What it takes of the chain.
        problem: The chain and its tolerances.
        box: (5 or more, 6) rows of a `SearchSpace`, see there.
        circular: (6,) joints with room for a full turn.
        joints: Their limits, turns and units.
        distance: Solutions with no joint further apart are the same [rad or m].
    """

    def __init__(
        self,
        form: ClosedForm,
        parameters: Floats,
        problem: PackedProblem,
        box: Floats,
        circular: Bools,
        joints: JointNumbers,
        distance: float,
    ) -> None: ...
    def answer_all(
        self,
        poses: Floats,
        weights: Floats,
        nearest: bool,
        seconds: float,
        answers: Answers,
        world: CollisionWorld | None = None,
        seed_states: Floats | None = None,
    ) -> None:
        """Answer for all targets that are undone, by the core's own threads.

        Args:
            poses: (T, 4, 4) tip in base [m].
            weights: (6,) what a rad or m counts in the distance from the reference.
            nearest: Whether solutions nearest to the reference come first, or the most diverse.
            seconds: After this time no more is begun [s].
            answers: Solutions in order.
            world: What solutions are to be free of, if anything.
            seed_states: (T, 6) of each target, in the place of the reference; inside the limits.
        """

    def begin_search(
        self,
        poses: Floats,
        box: Floats,
        memory: SearchMemory,
        run: Run,
        enough: int,
        world: CollisionWorld | None,
        seconds: float,
    ) -> None:
        """Put the branches of a run's poses into a search's pool.

        Targets that have no other solutions are closed, and those that have enough.

        Args:
            poses: (T, 4, 4) tip in base [m].
            box: Of the search, see `search`, as those up to the run.
            memory: See there.
            run: See there; it says which targets.
            enough: Solutions of a target that are free of collisions.
            world: What they are to be free of, if anything.
            seconds: Time after which threads begin no more [s].
        """

class NearProblem(_NearestAnswering):
    """A chain of any number of joints, and where solutions near a seed state may be.

    Args:
        problem: The chain and its tolerances.
        box: (7, n) of a `SearchSpace`, see there.
        unit: (n,) change of a joint that counts as 1 rad [rad or m].

    Raises:
        ValueError: The numbers are not those of a chain of so many joints.
    """

    def __init__(self, problem: PackedProblem, box: Floats, unit: Floats) -> None: ...

class NearRegion(_NearestAnswering):
    """A chain and a region about targets, and where solutions near a seed state may be.

    Args:
        problem: The chain and its tolerances, for poses.
        box: (7, n) of a `SearchSpace`, see there.
        unit: (n,) change of a joint that counts as 1 rad [rad or m].
        region: Where tips may be.

    Raises:
        ValueError: The numbers are not those of a chain of so many joints.
    """

    def __init__(
        self, problem: PackedProblem, box: Floats, unit: Floats, region: TaskSpaceRegion
    ) -> None: ...
    def come_nearer(
        self,
        poses: Floats,
        seed_state: Floats,
        weights: Floats,
        distance: float,
        seconds: float,
        answers: Answers,
        keep: Callable[[Floats, Bools], None] | None,
    ) -> None:
        """Put what is nearer to a seed state before the solutions of targets.

        Args:
            poses: (T, 4, 4) targets [m].
            seed_state: (n,) inside the limits [rad or m].
            weights: (n,) what a rad or m counts in the distance from it.
            distance: Solutions with no joint further apart are duplicates [rad or m].
            seconds: Time for it [s].
            answers: Solutions, the nearest first; changed.
            keep: Takes nearer ones (T, n) and which of them count (T,), of which it unsets those
                that do not for other reasons. Both are lent for the call. None: all of them do.

        Raises:
            ValueError: Arrays do not match.
        """

class CurveProblem(_NearestAnswering, _OneSolving):
    """A chain with a locked joint, and where its solutions may be: points of curves.

    The locked joint is the first or the last of seven; or behind six, where it is the only free
    coordinate of a region.

    Args:
        form: The closed form of the six others.
        parameters: Of the locked joint, then what the form takes, see `LockedJoint`.
        problem: The chain and its tolerances.
        box: (5 or more, 7) rows of a `SearchSpace`, see there.
        circular: (7,) joints with room for a full turn.
        joints: Their limits, turns and units.
        distance: Solutions with no joint further apart are the same [rad or m].

    Attributes:
        MANY: Where more solutions are wanted than this, and than there are, as many are found as
            there are, however many are wanted.
        EACH_COUNTS: Where fewer solutions are found than this, and than are wanted, a search may
            find another.
    """

    MANY: int
    EACH_COUNTS: int

    def __init__(
        self,
        form: ClosedForm,
        parameters: Floats,
        problem: PackedProblem,
        box: Floats,
        circular: Bools,
        joints: JointNumbers,
        distance: float,
    ) -> None: ...
    def answer_all(
        self,
        poses: Floats,
        seconds: float,
        answers: Answers,
        world: CollisionWorld | None = None,
    ) -> None:
        """Answer for all targets that are undone, by the core's own threads.

        Args:
            poses: (T, 4, 4) tip in base [m].
            seconds: After this time no more is begun [s].
            answers: The most diverse solutions in order.
            world: What they are to be free of, if anything: targets are left where spheres do not
                show enough of them to be, and all in a region.
        """

    def begin_search(
        self,
        poses: Floats,
        box: Floats,
        memory: SearchMemory,
        run: Run,
        solutions: int,
        enough: int,
        keep_all: bool,
        world: CollisionWorld | None,
        seconds: float,
    ) -> None:
        """Put solutions from all over the curves of a run's poses into a search's pool.

        Targets that have enough are closed.

        Args:
            poses: (T, 4, 4) tip in base [m].
            box: Of the search, see `search`, as those up to the run.
            memory: See there.
            run: See there; it says which targets.
            solutions: To look for at first; more if too many of them collide.
            enough: Solutions of a target that are free of collisions.
            keep_all: Whether all are kept; otherwise the most diverse.
            world: What they are to be free of, if anything.
            seconds: Time after which threads begin no more [s].
        """

class TaskSpaceRegion:
    """Bounds of a tip about its target, see `robot/region.py`.

    Args:
        lower: (6,) of x, y, z [m], roll, pitch, yaw [rad].
        upper: (6,) likewise.
        cone_axis: 0, 1 or 2; None: angles are bounded instead of a cone.
        half_angle: Of the cone [rad].
    """

    def __init__(
        self, lower: Floats, upper: Floats, cone_axis: int | None, half_angle: float
    ) -> None: ...
    @staticmethod
    def free() -> TaskSpaceRegion:
        """Return the region of all poses."""

    @staticmethod
    def free_axis(axis: int) -> TaskSpaceRegion:
        """Return the region in which the tip may turn about an axis."""

    @staticmethod
    def position_only() -> TaskSpaceRegion:
        """Return the region in which the tip may turn as it likes."""

    @staticmethod
    def orientation_only() -> TaskSpaceRegion:
        """Return the region in which the tip may be anywhere."""

    @staticmethod
    def plane(normal: int) -> TaskSpaceRegion:
        """Return the region in which the tip may slide over a plane."""

    def is_around(self, position: float, orientation: float) -> bool:
        """Say whether it has room for errors [m] and [rad] all about the target."""

    def freed(self, position: bool, orientation: bool) -> TaskSpaceRegion:
        """Return the region with any position, or any orientation, or both."""

    @property
    def lower(self) -> Floats: ...
    @property
    def upper(self) -> Floats: ...
    @property
    def cone_axis(self) -> int | None: ...
    @property
    def half_angle(self) -> float: ...
    @property
    def held_coordinates(self) -> tuple[int, int]: ...
    @property
    def is_exact(self) -> bool: ...
    @property
    def is_free(self) -> bool: ...
    @property
    def angle_bounds(self) -> tuple[Floats, Floats]:
        """Bounds (3,) of roll, pitch and yaw; those of a free angle are beyond all angles."""

def pack_regions(
    tips: Sequence[TaskSpaceRegion],
    num_tips: int,
    closures: Sequence[TaskSpaceRegion],
    position_tolerance: float,
    orientation_tolerance: float,
) -> tuple[Floats, Floats, Ints, int, bool]:
    """Return regions as numbers, see `PackedRegions`.

    Args:
        tips: (R * K,) regions of K tips, row by row.
        num_tips: K
        closures: (L,) regions of closures, which are the same in all rows.
        position_tolerance: [m]; infinite: positions are free.
        orientation_tolerance: [rad]; likewise.
    """

class FreeCoordinate:
    """The one coordinate of a region that has room."""

    @staticmethod
    def of(
        region: TaskSpaceRegion, position_tolerance: float, orientation_tolerance: float
    ) -> FreeCoordinate | None:
        """Return it, None if something else has room, too, or is not the target's.

        Args:
            region: A region.
            position_tolerance: Bounds are drawn in by it: what is off by no more is inside [m].
            orientation_tolerance: Likewise [rad].
        """

def curves_about(problem: BranchProblem, coordinate: FreeCoordinate) -> CurveProblem:
    """Return an arm of six joints with the one coordinate of a region as a joint at its tip."""

class PoseSequence:
    """Poses all over a region.

    What has only one value takes no dimension of the sequence, so that few poses lie evenly along
    what is free.
    """

    @staticmethod
    def of(
        region: TaskSpaceRegion,
        position_tolerance: float,
        orientation_tolerance: float,
        reach: float,
        own: bool,
    ) -> PoseSequence | None:
        """Return those of a region; None if its angles are too tangled to draw them in.

        Args:
            region: A region with room somewhere.
            position_tolerance: See `FreeCoordinate`, as the next.
            orientation_tolerance: See there.
            reach: No tip is further from the base along any axis [m].
            own: Whether the caller has a coordinate of its own, which comes last.
        """

def most_wanted_of(form: ClosedForm, region: PoseSequence) -> int:
    """Return how many solutions all over a region a form is asked for at the most."""

class SurfaceProblem(_OneSolving):
    """A chain, the region about its targets, and where its solutions may be: points of surfaces.

    Args:
        problem: The chain, for poses.
        region: Poses all over it.
    """

    def __init__(self, problem: BranchProblem | CurveProblem, region: PoseSequence) -> None: ...
    def answer_all(
        self, poses: Floats, seconds: float, answers: Answers, random_seed: int = 0
    ) -> None:
        """Answer for all targets that are undone, by the core's own threads.

        Args:
            poses: (T, 4, 4) tip in base [m].
            seconds: After this time no more is begun [s].
            answers: The most diverse solutions in order, of no meaning for targets that are left
                to the search; noted instead of branches is at how many poses of the region it has
                looked, and how many solutions it has sampled.
            random_seed: Of what is sampled.
        """

class LimbsProblem(_NearestSolving, _OneSolving):
    """The limbs of a tree, which share no joint, and where their solutions may be.

    Args:
        limbs: The limb of each goal, in order, and which of the tree's variables (m,) are its;
            each of n is one limb's.
        problem: The tree, whose goals are poses, and its tolerances.
        box: (5 or more, n) rows of a `SearchSpace`, see there.
        circular: (n,) see `BranchProblem`, as the next.
        joints: See there.
    """

    def __init__(
        self,
        limbs: Sequence[tuple[BranchProblem | CurveProblem, Ints]],
        problem: PackedProblem,
        box: Floats,
        circular: Bools,
        joints: JointNumbers,
    ) -> None: ...
    def answer_all(
        self,
        poses: Floats,
        weights: Floats,
        nearest: bool,
        seconds: float,
        answers: Answers,
        world: CollisionWorld | None = None,
        seed_states: Floats | None = None,
        begins: bool = False,
        random_seed: int = 0,
    ) -> None:
        """Answer for all targets that are undone, by the core's own threads.

        Args:
            poses: (T, G, 4, 4) tips in their references [m].
            weights: (n,) what a rad or m counts in the distance from the seed state.
            nearest: Whether solutions nearest to the seed state come first, or the most diverse.
            seconds: After this time no more is begun [s].
            answers: Solutions in order, of no meaning for targets that are left to the search, and
                the largest of their errors; branches are those of all limbs, and distinct
                solutions are combinations.
            world: What solutions are to be free of, if anything.
            seed_states: (T, n) of each target, inside the limits; where the nearest come first.
            begins: Whether a search begins with what is known, be it all or not, which lists full
                turns itself.
            random_seed: Of one solution on curves.
        """

FEW_POSES_OF_ZEROS: int
"""The same where branches are zeros of a polynomial."""
FEW_POSES: int
"""As many poses are answered by one thread."""

def complete_result(packed: bytes, target: int, distance: float, angle: float) -> None:
    """Write that a target has its one solution, as long as nobody has read the numbers.

    Args:
        packed: By `BranchProblem.solve_one`, or what is like it: these bytes change.
        target: Which.
        distance: The solution's, from the target [m].
        angle: Likewise [rad].
    """

def unpack_result(packed: bytes, /) -> tuple[Ints, Floats, float, float, float, int, int, int]:
    """Return what a result has besides its positions.

    Args:
        packed: By `BranchProblem.solve_one`, or what is like it.

    Returns:
        Notes (T, 5) and errors (T, N, 2), see `BranchProblem.answer_all`; when the call began,
        when the core was asked, and when it had answered, as readings of `time.perf_counter` [s];
        null-space steps, exact seeds and iterations of a search, 0 where a closed form answered.
    """

def find_closed_form(
    joints: JointTree, names: Sequence[str], lower: Floats, upper: Floats
) -> tuple[str, ClosedForm, Floats, float, int | None] | None:
    """Return the closed form of a chain; None if it has none.

    Args:
        joints: A chain.
        names: Of its n variables.
        lower: (n,) limits [rad or m].
        upper: (n,) limits [rad or m].

    Returns:
        Its name, the family, what the kernel takes, by how much lines were moved, and the locked
        joint, if there is one.
    """

def why_no_closed_form(
    joints: JointTree, names: Sequence[str], lower: Floats, upper: Floats
) -> str:
    """Say why a chain has no closed form, see `find_closed_form`."""

def version() -> str:
    """Return the core's version, as "0.1.0"."""

def usable_cores() -> int:
    """Return how many cores this process may run on."""

def instruction_set() -> str:
    """Return the set of instructions that the lanes use on this processor.

    The widest that it has: "avx512", "avx2", "neon", or "baseline" for what every x86-64 has.
    """

def forward(chain: JointTree, positions: Floats, poses: Floats) -> None:
    """Place the tip, or those of a tree's goals, by independent forward kinematics.

    Args:
        chain: The joints.
        positions: (S, n) configurations [rad or m].
        poses: (S, 4, 4) out: tip of a chain in its base [m]; or (S, G, 4, 4): each tip in its
            reference link.
    """

def pose_errors(
    chain: JointTree,
    positions: Floats,
    targets: Floats,
    target_of_row: Ints,
    gaps: Floats,
    goals: GoalNumbers | None = None,
) -> None:
    """Measure how far tips are from their targets, by independent forward kinematics.

    Args:
        chain: The joints; a chain, without `goals`.
        positions: (S, n) configurations [rad or m].
        targets: (T, 4, 4) tip in base [m]; with `goals` (T, G, 4, 4) tip in reference.
        target_of_row: (S,) which target each configuration is meant for.
        gaps: (S, 2) out: distances [m] and angles [rad], of several tips the largest.
        goals: Of a tree, or of regions (R, G, 14).
    """

class Tracker:
    """Follows moving targets of a chain or a tree with n variables and G goals.

    Args:
        tree: The joints.
        bounded: (G,) what the regions bound, see `PackedRegions`.
        regions: (1, G, 18) regions about the targets.
        options: `solver_options`, of which the weights and tolerances are read.
        joints: (5, n) lower and upper limits [rad or m], largest velocities and accelerations,
            motions that cost as much as 1 rad [rad or m].
        period: Time between two steps [s].
        seed: (n,) where it begins, at rest [rad or m].
        largest_jump: (2,) distance [m] and angle [rad] by which a target may change in a step.
        follow_jumps: Whether targets that change more are followed.
        position_first: Whether positions are met exactly where they can be.
        objective: Of what the targets leave open: 0 none, 1 distance from the joint limits, 2
            manipulability.
        num_closures: How many of the last goals keep loops closed, whatever the tips do.

    Raises:
        ValueError: A number is not what it must be.
    """

    def __init__(
        self,
        tree: JointTree,
        bounded: Ints,
        regions: Floats,
        options: Floats,
        joints: Floats,
        period: float,
        seed: Floats,
        largest_jump: Floats,
        follow_jumps: bool,
        position_first: bool,
        objective: int,
        num_closures: int = 0,
    ) -> None: ...
    def step(self, targets: Floats) -> tuple[Floats, Floats, int, int, float, float]:
        """Move one period on, towards targets (G, 4, 4): tip in reference [m].

        Returns:
            Positions and velocities (n,); status, reason (`tracking/step.py`); errors of position
            [m] and orientation [rad].
        """
    def brake(self) -> tuple[Floats, Floats, int, int, float, float]:
        """Move one period on, braking to rest."""
    def last(self) -> tuple[Floats, Floats, int, int, float, float]:
        """Return what the last step did."""
    def reset(self, seed: Floats) -> None:
        """Begin anew at (n,), at rest."""
    def move_to(self, configuration: Floats) -> None:
        """Move to a configuration (n,) in the next steps, then follow the target again."""
    def avoid(self, world: CollisionWorld | None, clearance: float) -> None:
        """Keep a clearance [m] from the things of a world from the next step on."""
    def set_posture(self, posture: Floats) -> None:
        """Set the configuration (n,) to stay near where the targets leave that open."""

class Clutch:
    """Moves a target with a device for as long as the clutch is engaged.

    Args:
        scale: Distance of the tip for each metre of the device, above 0.
        orientation_scale: Angle of the tip for each radian of the device, 0 or more.
        frame_in_base: (3, 3) orientation of the frame that the device's poses are given in.

    Raises:
        ValueError: A scale is not what it must be.
    """

    def __init__(self, scale: float, orientation_scale: float, frame_in_base: Floats) -> None: ...
    def engaged(self) -> bool:
        """Return whether it is engaged."""
    def release(self) -> None:
        """Release it."""
    def step(self, device: Floats, tip: Floats) -> Floats:
        """Return the target in base (4, 4) [m], with the clutch engaged.

        Args:
            device: (4, 4) pose of the device in its own frame [m].
            tip: (4, 4) where the tip is, in base [m].
        """

class Jog:
    """Moves a target by velocities.

    Args:
        period: Time between two steps [s].
        distance: By which the target may be ahead of the tip [m].
        angle: Likewise [rad].

    Raises:
        ValueError: One of them is not above 0.
    """

    def __init__(self, period: float, distance: float, angle: float) -> None: ...
    def reset(self) -> None:
        """Begin at wherever the tip is at the next step."""
    def step(self, twist: Floats, frame_in_base: Floats, tip: Floats) -> Floats:
        """Return the target in base (4, 4) [m].

        Args:
            twist: (6,) linear and angular velocity of the tip [m/s, rad/s].
            frame_in_base: (3, 3) orientation of the frame that the twist is given in.
            tip: (4, 4) where the tip is, in base [m].
        """

class PoseFilter:
    """Smooths target poses by a critically damped filter of second order.

    Args:
        period: Time between two steps [s].
        cutoff: What is faster is attenuated [Hz].

    Raises:
        ValueError: One of them is not above 0.
    """

    def __init__(self, period: float, cutoff: float) -> None: ...
    def reset(self, pose: Floats | None) -> None:
        """Begin anew at a pose (4, 4) [m], or at the next target, at rest."""
    def step(self, target: Floats) -> Floats:
        """Return the filtered target (4, 4) [m], one period on."""

class TargetFilter:
    """Targets of a stream of poses or twists, smoothed alike.

    Args:
        period: Time between two steps [s].
        cutoff: Of the filters [Hz]; 0: none.

    Raises:
        ValueError: The period is not above 0, or the cutoff is below 0.
    """

    def __init__(self, period: float, cutoff: float) -> None: ...
    def reset(self) -> None:
        """Begin anew, at rest, where the tip is at the next step."""
    def follow(self, target: Floats, tip: Floats) -> Floats:
        """Return the target in base (4, 4) [m] for a pose (4, 4), of a tip that is at (4, 4)."""
    def jog(self, twist: Floats, frame_in_base: Floats, tip: Floats) -> Floats:
        """Return the target in base (4, 4) [m] for a twist (6,); see `Jog.step`."""

def are_poses(poses: Floats) -> bool:
    """Say whether all of (B, 4, 4) matrices are poses with rotations as exact as can be."""

def rotation_defect(pose: Floats) -> tuple[float, bool]:
    """Return how far a (4, 4) pose's rotation is from orthonormal; whether it is a reflection."""

def diverse_ranks(
    positions: Floats, ends: Ints, joints: JointNumbers, count: int, work: int
) -> Ints:
    """Rank solutions of several targets so that for every k the first k of each are spread widely.

    The first is the one furthest from its limits, each next the one furthest from all before it
    (T. F. Gonzalez, Clustering to minimize the maximum intercluster distance, 1985: no k others
    cover the set twice as well). Distances are modulo full turns: revolute joints count as points
    on a circle. All threads work on it.

    Args:
        positions: (M, n) solutions of the first target, then those of the next [rad or m].
        ends: (A,) how many solutions the targets up to each have.
        joints: Their limits, turns and units.
        count: Most solutions K to rank of a target, at most M.
        work: Most coordinates to compare for a target.

    Returns:
        (A, K) indices among a target's own solutions, -1 behind its last.
    """

def apart(
    positions: Floats, order: Ints, around: Bools, distance: float, most: int, from_all: bool
) -> Ints:
    """Return the first of an order of solutions (M, n) that are apart from others before them.

    Args:
        positions: The solutions [rad or m].
        order: Their indices, the best first.
        around: (n,) joints on which a full turn makes no difference.
        distance: Two are apart if a joint differs by so much [rad or m].
        most: How many to return at most.
        from_all: Whether from all before them; else from those that are returned.
    """

def other_turns(
    positions: Floats, reference: Floats, lower: Floats, upper: Floats, turned: Ints, count: int
) -> Floats:
    """Return the configurations that are full turns away from given ones, nearest first.

    Args:
        positions: (M, n) configurations, each at its turn nearest to the reference [rad or m].
        reference: (n,) configuration.
        lower: (n,) limits.
        upper: (n,) likewise.
        turned: Joints that have room for turns; if there are more than 200,000 combinations, the
            last ones are left out.
        count: Most configurations to return.
    """

def count_turns(positions: Floats, lower: Floats, upper: Floats, turned: Ints) -> float:
    """Count the combinations of full turns of configurations (M, n), themselves included."""

def nearest_turn(
    positions: Floats, reference: Floats, lower: Floats, upper: Floats, circular: Bools
) -> Floats:
    """Turn circular joints by full turns to come as near to a reference as the limits allow.

    Returns (S, n) configurations, inside the limits where they were and on every circular joint.
    """

def manipulability(chain: JointTree, positions: Floats, scores: Floats) -> None:
    """Write how far configurations are from a singularity, see `preferences.manipulability`.

    Args:
        chain: A chain.
        positions: (S, n) configurations [rad or m].
        scores: (S,) out.
    """

def limit_margin(positions: Floats, lower: Floats, upper: Floats, scores: Floats) -> None:
    """Write how far configurations are from their limits, see `preferences.limit_margin`.

    Args:
        positions: (S, n) configurations [rad or m].
        lower: (n,) limits; infinite for continuous joints.
        upper: (n,) likewise.
        scores: (S,) out.
    """

def reduce_poses(
    ends: EndNumbers, poses: Floats, azimuths: Floats, turned: Floats, coordinates: Floats
) -> None:
    """Reduce poses to what the joints between the ends have to reach.

    Rotations are given as z-y-z Euler angles, of which the first joint changes the first alone and
    the last joint the last alone: azimuth of the last axis, cosine of its inclination, spin.

    Args:
        ends: `Ends` of the chain.
        poses: (N, 4, 4) last joint frame in the first joint frame [m].
        azimuths: (N,) out: what the first joint can remove [rad].
        turned: (N, 3, 4) out: the poses without it.
        coordinates: (N, D) out: position, cosine, azimuth and spin, those that are left.
    """

def look_up(
    grid: CapabilityNumbers,
    targets: Floats,
    shift: Floats,
    first: int,
    lower: Floats,
    upper: Floats,
    seeds: Floats,
    found: Ints,
) -> None:
    """Write stored configurations of the cells around each target, outer joints fitted.

    Args:
        grid: The cells.
        targets: (T, 4, 4) last joint frame in the first joint frame [m].
        shift: (D,) shares of a cell by which targets are moved before they are looked up.
        first: How many fitting configurations to skip.
        lower: (n,) bounds [rad or m].
        upper: (n,) likewise.
        seeds: (T, K, n) out.
        found: (T,) out: how many of the K were found.
    """

def gather_points(points: Floats, mean: Floats, turns: Floats, centres: Floats) -> None:
    """Move sets of points to where they are nearest to a mean, as `Places.of` does.

    Args:
        points: (N, P, 3) in and out [m].
        mean: (P, 3) about the origin [m].
        turns: (N, 3, 3) out: how they were turned about their centres.
        centres: (N, 3) out: what was moved to the origin [m].
    """

def nearest_places(
    columns: NDArray[np.float32],
    squares: NDArray[np.float32],
    begin: int,
    end: int,
    features: NDArray[np.float32],
    first: int,
    rows: Ints,
) -> None:
    """Find the stored sets of points that are nearest to others.

    Args:
        columns: (F, N) features of the stored sets, three for each point.
        squares: (N,) the squares of their lengths.
        begin: Sets from here on are looked at,
        end: before there.
        features: (T, F) of the others.
        first: Rank of the first that is wanted.
        rows: (T, K) out: which sets have the ranks from `first` on.
    """

class StoredPostures:
    """Stored postures of a tree on a floating base, see `samplers/postures.py`.

    Args:
        positions: (N, n) the postures, the base at the origin [rad or m].
        base: (6,) its variables x y z yaw pitch roll.
        lower: (n,) limits [rad or m].
        upper: (n,) likewise.
        turns: (N, 3, 3) how the points on their tips' frames were turned, as of `Places`.
        centres: (N, 3) centres of these points [m].
        length: How far points on a pose's axes are away, by which poses are compared [m].
        limbs: For each the tip that it moves, its variables (v,), the frames that it hangs from
            in the tip's reference (N, 3, 4), and the tips in these frames (N, 3, 4).
    """

    def __init__(
        self,
        positions: Floats,
        base: Ints,
        lower: Floats,
        upper: Floats,
        turns: Floats,
        centres: Floats,
        length: float,
        limbs: Sequence[tuple[int, Ints, Floats, Floats]],
    ) -> None: ...
    def fit(
        self,
        targets: Floats,
        turns: Floats,
        centres: Floats,
        rows: Ints,
        block: int,
        first: int,
        seeds: Floats,
    ) -> None:
        """Write postures whose base and limbs nearly bring the tips to their goals.

        Args:
            targets: (T, K, 4, 4) tip in reference [m].
            turns: (T, 3, 3) how the points on these frames were turned, as of `Places`.
            centres: (T, 3) centres of these points [m].
            rows: (T, R) which postures.
            block: So many after each other are sorted, those first whose tips come nearest; R is
                a multiple.
            first: How many are left out,
            seeds: (T, C, n) out: of those that follow [rad or m].
        """

def member_answers(members: MemberNumbers, poses: Floats, boxed: Floats) -> None:
    """Write answers of the networks of distal teaching for poses.

    Args:
        members: The networks.
        poses: (T, 4, 4) of the last joint frame in the first joint frame [m].
        boxed: (T, M, n) points of the joint box, written.
    """

class DeviceFlow:
    """A spline flow in a device's memory."""

    def __init__(self, device: Device, flow: FlowNumbers) -> None:
        """Put the flow there; see `flow_samples`.

        Raises:
            MemoryError: The device has not enough.
            RuntimeError: It has failed.
        """

    def samples(
        self,
        poses: Floats,
        recurrence: Floats,
        temperature: float,
        first: int,
        lower: Floats,
        upper: Floats,
        positions: Floats,
    ) -> None:
        """Write what `flow_samples` does, up to rounding; it raises what making it does."""

class DeviceArm:
    """An autoregressive model for an arm in a device's memory."""

    def __init__(self, device: Device, arm: ArmNumbers) -> None:
        """Put the model there; see `completion_samples`.

        Raises:
            MemoryError: The device has not enough.
            RuntimeError: It has failed.
        """

    def samples(
        self,
        goals: NDArray[np.float32],
        recurrence: Floats,
        first: int,
        shifts: NDArray[np.float32],
        periodic: Bools,
        lower: Floats,
        upper: Floats,
        positions: Floats,
    ) -> None:
        """Write what `completion_samples` does, up to rounding; it raises what making it does."""

class DeviceMembers:
    """Networks of distal teaching in a device's memory."""

    def __init__(self, device: Device, members: MemberNumbers) -> None:
        """Put the networks there; see `member_answers`.

        Raises:
            MemoryError: The device has not enough.
            RuntimeError: It has failed.
        """

    def answers(self, poses: Floats, boxed: Floats) -> None:
        """Write what `member_answers` does, up to rounding; it raises what making it does."""

def flow_samples(
    flow: FlowNumbers,
    poses: Floats,
    recurrence: Floats,
    temperature: float,
    first: int,
    lower: Floats,
    upper: Floats,
    positions: Floats,
) -> None:
    """Write samples of a conditional spline flow for poses.

    Args:
        flow: The flow and its chain.
        poses: (T, 4, 4) last joint frame in the first joint frame [m].
        recurrence: (2, D) of quasi-random points.
        temperature: Factor of the base samples' spread about their centre.
        first: Index of the first sample in the sequence.
        lower: (n,) bounds [rad or m].
        upper: (n,) likewise.
        positions: (T, K, n) out: configurations inside the bounds.
    """

def completion_samples(
    arm: ArmNumbers,
    goals: NDArray[np.float32],
    recurrence: Floats,
    first: int,
    shifts: NDArray[np.float32],
    periodic: Bools,
    lower: Floats,
    upper: Floats,
    positions: Floats,
) -> None:
    """Write samples of an autoregressive model of arms for goals.

    Args:
        arm: The model and the arm.
        goals: (T, 9) origin, z and x of frame m; lengths are shares of the arm's.
        recurrence: (2, F) of quasi-random points.
        first: Index of the first sample in the sequence.
        shifts: (tries, F) what each try adds to a seed's numbers.
        periodic: (n,) which variables may be whole turns from the bounds.
        lower: (n,) bounds [rad or m].
        upper: (n,) likewise.
        positions: (T, K, n) out: configurations inside the bounds.
    """

def lanes() -> int:
    """Return how many seeds are iterated side by side."""

class SearchMemory:
    """The solutions of some targets, what is known of these, and steps to take.

    Memory of those that nobody has any more is used again, if it is much.

    Args:
        num_targets: T.
        capacity: Solutions C of each that there is room for.
        looked_for: How many of these are looked for.
        steps: Null-space steps of each that there is room for.
        restarts: Seeds that each gets first.
        grid: By which distinct solutions are told from duplicates, see `search_space`.
        closest: (n,) configuration that each begins with as the closest [rad or m].
    """

    def __init__(
        self,
        num_targets: int,
        capacity: int,
        looked_for: int,
        steps: int,
        restarts: int,
        grid: Grid,
        closest: Floats,
    ) -> None: ...
    def arrays(self) -> tuple[Floats, Floats, Ints, Ints, Records, Floats]:
        """Return its arrays, which are part of it; see `SolutionPool` for what they are.

        Solutions (T, C, n), what is noted of them (T, C, 4), how often each was found (T, C), how
        many there are (T,), records of the targets (T,), and closest configurations (T, n).
        """

    def add(self, rows: Floats, target_of_row: Ints) -> None:
        """Keep what is new of configurations, while there is room.

        Args:
            rows: (S, n) configurations [rad or m].
            target_of_row: (S,) what they are solutions of.
        """

    def take_first_free(self, positions: Floats, errors: Floats, counts: Ints) -> None:
        """Copy the first solution of each target that is free of collisions, by all threads.

        Args:
            positions: (T, 1, n) out: the solutions taken, NaN where there is none.
            errors: (T, 1, 2) out: their errors, likewise.
            counts: (T,) out: 1, or 0 where there is none.
        """

    def work(self) -> tuple[int, int, int, int, int, int]:
        """Return how much work a search was.

        Restarts, null-space steps, how many of each converged, the iterations of all, and
        solutions.
        """

class SingleSearch:
    """The search for solutions of one target.

    Args:
        problem: As of `search`.
        goals: Whether the problem is one of several goals, or of regions.
        box: (7, n) as of `search`.
        grid: Of the pool.
        joints: Their limits, turns and units.
        budget: What it is told to do.
        near: Weighted squared error below which the closest configuration may be near a solution.
        endless: Whether it goes on with quasi-random seeds that it makes itself.
    """

    def __init__(
        self,
        problem: PackedProblem,
        goals: bool,
        box: Floats,
        grid: Grid,
        joints: JointNumbers,
        budget: Budget,
        near: float,
        endless: bool,
    ) -> None: ...
    def find(
        self,
        target: Floats,
        recurrence: Floats,
        max_steps: int,
        world: CollisionWorld | None = None,
        propose: Callable[[int, int], Floats] | None = None,
        seed_state: Floats | None = None,
        weights: Floats | None = None,
        collides: Callable[[Floats], bool] | None = None,
        limbs: LimbsProblem | None = None,
    ) -> tuple[int, int, Floats, Floats, int, int, int, int, int] | None:
        """Search, in memory of its own: any number of threads may at a time.

        Args:
            target: (1, 4, 4) or (4, 4) pose of the tip in the base [m]; (1, G, 4, 4) of several.
            recurrence: (2, n) shift and ratios of the seeds' recurrence.
            max_steps: Steps of all lanes, with some seeds, after which the search is left.
            world: What solutions must not collide with.
            propose: Gives as many seeds (K, n) as its second argument says, which follow as many
                as its first one says, after none of which the search is left; None: it makes its
                own [rad or m].
            seed_state: (n,) if the solutions nearest to it are wanted [rad or m].
            weights: (n,) what a rad or m of each joint counts then.
            collides: Says whether a configuration (n,) that spheres cannot tell of collides; None:
                a search that is over with such ones is left.
            limbs: Those of the tree, where the search begins with the nearest of all; None: with
                the seed state.

        Returns:
            State (0: solved, free of collisions; 1: there seems to be no solution; 2: left);
            number of solutions; (1, N, n) solutions, the most diverse first or the nearest, or the
            closest configuration, NaN behind them [rad or m]; (1, N, 2) the solutions' errors
            [m and rad]; seeds, null-space steps among them, seeds that became exact, distinct
            solutions, and iterations. None if the target is no pose.
        """
    def solve_one(
        self,
        targets: Floats,
        recurrence: Floats,
        max_steps: int,
        world: CollisionWorld | None,
        seed_state: Floats | None,
        collides: Callable[[Floats], bool] | None,
        limbs: LimbsProblem | None,
        kind: type[Result],
        read: Callable[..., Any],
        stages: object,
        start: float,
        /,
    ) -> Result | tuple[int, int, Floats, Floats, int, int, int, int, int] | None:
        """Return the result of a call that is solved; else what `find` returns.

        Args:
            targets: See `find`, as the next four; all joints count the same in distances from the
                seed state. Or (T, 4, 4), (T, G, 4, 4), where one solution of each is asked for
                that need not be near; `unpack_result` says for which there is none, or none
                yet: their closest configurations are in its place.
            recurrence: See there.
            max_steps: See there.
            world: See there.
            seed_state: See there.
            collides: See there; of one target.
            limbs: See there.
            kind: See `_NearestSolving`, as the next three.
            read: See there.
            stages: See there.
            start: See there.
        """

class Decisions:
    """Decides on solutions that spheres cannot tell to be free, as far as they are wanted.

    In the order in which they are returned: the best, those of the least error or the nearest
    first, or else those that are known to be free.

    Args:
        wanted: Solutions of a target that are returned.
        looked_for: Solutions after which the search for a target ends.
        nearest: Whether the nearest to the seed state come first.
        all: Whether it is not known before the end which are returned: all are decided on.
        exact: Of approximations, the tolerances [m and rad] of exact solutions, which come first.
        least_error: Whether of these the one with the least error comes first, and which: 0 the
            distance, 1 the angle.
        collides: Says whether a configuration (n,) collides, by the shapes themselves. Any thread
            calls it, also several at a time.
        score: Returns scores (M,) of configurations (M, n), likewise, if the best come first.
    """

    def __init__(
        self,
        wanted: int,
        looked_for: int,
        nearest: bool,
        all: bool,
        exact: tuple[float, float] | None,
        least_error: int | None,
        collides: Callable[[Floats], bool],
        score: Callable[[Floats], Floats] | None = None,
    ) -> None: ...

def decide(memory: SearchMemory, box: Floats, decisions: Decisions, seconds: float) -> None:
    """Decide on solutions of all targets, until so many seconds are over.

    Targets of which too many solutions collide are open again.

    Args:
        memory: What was found.
        box: Of the search.
        decisions: What decides.
        seconds: May be infinite.
    """

def search(
    task: SearchTask,
    memory: SearchMemory,
    given: Floats,
    run: Run,
    size: int,
    seconds: float,
    world: CollisionWorld | None = None,
    decisions: Decisions | None = None,
) -> bool:
    """Search for solutions of the open ones of a run's targets, by all threads.

    It ends when they are closed or need more seeds, as their records then say (`needs_seeds`); for
    other open ones there was no time. A signal's handler that raises an exception ends it, too, as
    Ctrl-C does.

    Args:
        task: What is searched for.
        memory: What is found.
        given: (A, K, n) seeds of some targets, see `seed_row` of TARGET [rad or m].
        run: What each thread begins with.
        size: Targets that a thread takes at a time, on which it depends what is found.
        seconds: After these it ends; may be infinite.
        world: What solutions are to be free of, if anything.
        decisions: What decides on solutions that spheres cannot tell to be free, once the search
            for their targets is over; some are open again then. What it raises ends the search,
            and of several exceptions that of the first targets is raised.

    Returns:
        Whether there are open targets that need more seeds.
    """

def approach_unsolved(
    task: SearchTask,
    memory: SearchMemory,
    run: Run,
    periodic: Bools,
    deficient: bool,
    near: float,
    seconds: float,
    world: CollisionWorld | None = None,
    decisions: Decisions | None = None,
) -> Ints:
    """Follow more seeds of targets without a solution to their local minima, by all threads.

    Targets whose search is not over are left out, and those that are out of reach.

    Args:
        task: Of the search, see there.
        memory: See there.
        run: See there; it says which targets.
        periodic: (n,) joints that a full turn, limits aside, leaves where they are.
        deficient: Whether limits trap seeds of targets that can be reached, too.
        near: Squared error below which minima may be solutions that restarts stopped short of.
        seconds: After these no more are followed; may be infinite.
        world: See there.
        decisions: See there.

    Returns:
        (A,) those that still have none, and a closest configuration that restarts came across.
    """

def find_closest(
    task: SearchTask,
    options: Floats,
    alternatives: int,
    targets: Ints,
    positions: Floats,
    errors: Floats,
    seconds: float,
) -> None:
    """Move configurations to local minima that are closer to targets, by all threads.

    Args:
        task: Of the search, see there.
        options: (9,) see `solver_options`: by whose weights errors are compared.
        alternatives: Poses of the only target; 0: each is a target.
        targets: (A,) indices of some.
        positions: (A, n) in and out: a configuration close to each [rad or m].
        errors: (A, 2) in and out: its distance [m] and angle [rad].
        seconds: After these no more is begun; may be infinite.
    """

def find_path(
    problem: PackedProblem | None,
    regions: PackedProblem | None,
    around: bool,
    freedom: int,
    targets: Floats,
    bounds: Floats,
    before: Floats | None,
    outside: Floats | None,
    last: Floats | None,
    closed: bool,
    objective: int | None,
    world: CollisionWorld | None,
    solutions: Callable[[int, int, int, bool], Floats],
    collides: Callable[[Floats], bool] | None,
    offer: Callable[[Floats, float], bool],
    seconds: float,
) -> tuple[Floats, int, Floats, Floats, bool]:
    """Find the best path through poses (core/src/paths).

    Args:
        problem: A chain that `pack` has made; None for a tree.
        regions: The same, or the tree, as `with_regions` makes it; None: the poses themselves.
        around: Whether all poses are within the regions about them.
        freedom: Of a tree, in how many ways its goals leave it free at most.
        targets: (B, 4, 4) tip in base [m]; of a tree (B, G, 4, 4) tips in their references.
        bounds: (5, n) joint limits, lower and upper; largest step from a pose to the next; what
            counts as 1 rad [rad or m]; what a radian or metre of each joint's motion counts.
        before: (n,) where the arm is, within a step of the first pose; None: anywhere.
        outside: (n,) the same, if an encoder reads it a little beyond a limit: so are the first
            poses then, as many as need be.
        last: (n,) solution of the last pose to end at; None: any.
        closed: Whether the path ends as it begins.
        objective: An index of `OBJECTIVES`; None: soon after the first path is found, the best so
            far is returned.
        world: What may collide; None: nothing is checked.
        solutions: Returns solutions (K, n) of a pose: its index, how many are wanted, a random
            seed, and whether the pose itself is meant, not the region about it.
        collides: Says whether a configuration (n,) that spheres cannot tell of collides.
        offer: Takes a better complete path and its objective's value; False ends the search.
        seconds: Time limit [s].

    Returns:
        The path (L, n), how the next pose was missed, (1, n) or (0, n) where the last motion
        towards it began and where it led, and whether time was up.
    """

def is_solution(
    problem: PackedProblem | None,
    regions: PackedProblem | None,
    targets: Floats,
    bounds: Floats,
    q: Floats,
    pose: int,
) -> bool:
    """Say whether a configuration (n,) is on a pose, or exactly inside the region about it."""

def refine(
    tree: JointTree,
    options: Floats,
    thorough: bool,
    lower: Floats,
    upper: Floats,
    poses: Floats,
    target_of_seed: Ints,
    wanted: Ints,
    seeds: Floats,
    positions: Floats,
    position_error: Floats,
    orientation_error: Floats,
    converged: Bools,
    iterations: Ints,
    size: int = ...,
    goals: GoalNumbers | None = None,
) -> None:
    """Move each seed towards its target, inside the bounds.

    Args:
        tree: The joints; a chain, without `goals`.
        options: (9,) see `solver_options`.
        thorough: Whether to follow a seed all the way to its local minimum.
        lower: (n,) bounds of the variables; may be infinite [rad or m].
        upper: (n,) likewise.
        poses: (T, 4, 4) tip in base [m]; with `goals` (T, G, 4, 4) tip in reference.
        target_of_seed: (S,) index of each seed's target.
        wanted: (T,) once so many seeds of a target have converged, its other seeds are left out.
        seeds: (S, n) start configurations inside the bounds; may be `positions`.
        positions: (S, n) out: where each seed ended.
        position_error: (S,) out [m].
        orientation_error: (S,) out [rad], the chord 2 sin(angle / 2).
        converged: (S,) out: both errors within their tolerances.
        iterations: (S,) out; 0 marks a seed that was left out.
        size: Seeds that a thread takes at a time, on which it depends which are left out.
        goals: Of a tree, or of regions (R, G, 18).
    """

class Budget:
    """What a search is told to do for each target.

    Args:
        wanted: Solutions of each target.
        num_targets: Those that memory is for.
        num_joints: Of a configuration.
        num_tips: Of the robot.
        dimensions: Those of the solution set of a region; 0 of poses.
        breadth: How many times as many parts solution sets have as those of one tip on one pose.
        redundant: Whether null-space steps fill solution sets.
        around: Whether there is a seed state.
        unmeasured: Whether limits are narrower than the robot's, or targets are goals.
        deficient: Whether the chain has too few joints for a pose, or too many alike.
        approximate: Whether minima of the error that is not preferred are wanted.
        scored: Whether a score says which solutions are the best.
        optimized: Whether these are where an optimization begins.
        checked: Whether solutions have to be free of collisions.
        alone: Whether it is a `SingleSearch`.
        seeds_per_solution: That it takes to find one more, if the sampler knows.
        first_seeds: With which a search for one solution begins; 0: any number.

    Attributes:
        looked_for: Solutions after which it ends: those wanted, and some to choose from.
        first_batch: Restarts before null-space steps are considered.
        steps_each: Null-space steps that there is room for, for each solution looked for.
        capacity: Solutions that there is room for.
    """

    looked_for: int
    first_batch: int
    steps_each: int
    capacity: int

    def __init__(
        self,
        wanted: int,
        num_targets: int,
        num_joints: int,
        num_tips: int,
        dimensions: int,
        breadth: int,
        redundant: bool,
        around: bool,
        unmeasured: bool,
        deficient: bool,
        approximate: bool,
        scored: bool,
        optimized: bool,
        checked: bool,
        alone: bool,
        seeds_per_solution: float | None,
        first_seeds: int,
    ) -> None: ...

class Run:
    """A search for some targets up to before the last.

    Args:
        budget: What it has to do for each.
        first: Of the targets.
        last: One beyond the last.
        before: Seeds that each had before those that are given.
        endless: Whether it goes on with quasi-random seeds that it makes itself.
        alternatives: Number of poses if they are one target, any of which will do; else 0.
        checks: Whether seeds are not moved, but kept where they are solutions.
    """

    def __init__(
        self,
        budget: Budget,
        first: int,
        last: int,
        before: int,
        endless: bool,
        alternatives: int,
        checks: bool,
    ) -> None: ...

def near_error(
    position_weight: float,
    orientation_weight: float,
    position_tolerance: float,
    orientation_tolerance: float,
) -> float:
    """Return the squared error below which local minima may be solutions.

    Restarts stopped short of these; what is within the tolerances always is one.

    Args:
        position_weight: [1/m]; 0: positions are free.
        orientation_weight: [1/rad]; 0: orientations are free.
        position_tolerance: [m].
        orientation_tolerance: [rad].
    """

def next_batch(ended: int, converged: int) -> int:
    """Return how many restarts it takes to estimate the share of new solutions again."""

def recurrence(random_seed: int, dimensions: int) -> Floats:
    """Return (2, n): the shift that a random seed chooses, and the ratios of the recurrence.

    The shift is `numpy.random.default_rng(random_seed).random(dimensions)`.
    """
