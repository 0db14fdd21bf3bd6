"""A right call of every function of generative_ik_ros._core, for tests that make them wrong.

The methods of a class are given as those of an object: `chain.forward`.
"""

from pathlib import Path

import network_calls
import numpy as np
from cell import cell_arrays
from wrong_calls import Made

from generative_ik_ros import (
    IKSolutions,
    IKSolver,
    KinematicTree,
    TaskSpaceRegion,
    _core,
    load_robot,
)
from generative_ik_ros.refine.goal_refiner import GoalLevenbergMarquardt
from generative_ik_ros.request import SolveRequest
from generative_ik_ros.robot.closed_form import closed_form_arrays, find_family, find_locked
from generative_ik_ros.robot.region import check_regions
from generative_ik_ros.samplers.capability_map import GRIDS
from generative_ik_ros.samplers.ends import Ends
from generative_ik_ros.samplers.quasi_random import recurrence
from generative_ik_ros.search.budget import budget_of
from generative_ik_ros.search.limbs import Limbs
from generative_ik_ros.search.record import read_packed
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.verify import GoalVerifier

_UR10 = load_robot("ur10")
_SOLVER = IKSolver(_UR10)
_FAMILY = find_family(_UR10)
assert _FAMILY is not None
_STAGES, _SPACE, _POSES = _SOLVER._stages, _SOLVER._whole, np.tile(np.eye(4), (2, 1, 1))
_POSES[:, 0, 3] = 0.5
_PROBLEM_GIVEN = (
    _FAMILY.kernel, _FAMILY.parameters, _STAGES.problem, _SPACE.box, _SPACE.circular,
    _STAGES.joints, 0.05,
)  # fmt: skip
_PROBLEM = _core.BranchProblem(*_PROBLEM_GIVEN)
_NEAR_GIVEN = _STAGES.problem, _SPACE.box, _STAGES.joints[3]
_NEAR = _core.NearProblem(*_NEAR_GIVEN)
_NEAR_REGION_GIVEN = *_NEAR_GIVEN, _core.TaskSpaceRegion.free_axis(2)
_NEAR_REGION = _core.NearRegion(*_NEAR_REGION_GIVEN)
_PAIR = KinematicTree.from_urdf(
    Path(__file__).resolve().parents[2] / "examples" / "two_arms.urdf",
    tip_links=("left_hand", "right_hand"),
    fixed={"waist": 0.0},
)
_PAIR_SOLVER = IKSolver(_PAIR)
_PAIR_STAGES = _PAIR_SOLVER._stages
_LIMBS_FORM = _PAIR_STAGES.branches
assert isinstance(_LIMBS_FORM, Limbs)
_OF_LIMBS_GIVEN = (
    [limb.problem(_PAIR_SOLVER._whole) for limb in _LIMBS_FORM.limbs], _PAIR_STAGES.problem,
    _PAIR_SOLVER._whole.box, _PAIR_SOLVER._whole.circular, _PAIR_STAGES.joints,
)  # fmt: skip
_OF_LIMBS, _PAIR_POSES = _core.LimbsProblem(*_OF_LIMBS_GIVEN), _PAIR.forward(np.zeros((2, 12)))
_ROWS, _BOUNDS = np.zeros((3, 6)), (np.full(6, -7.0), np.full(6, 7.0))
_TURNED, _YES = np.arange(2), np.ones(6, np.bool_)
_RESULT_PARTS = IKSolutions, read_packed, _STAGES, 1.5


def _results(joints: int) -> tuple:
    """Return notes, positions and errors of two targets."""
    return np.zeros((2, 5), np.int64), np.zeros((2, 3, joints)), np.zeros((2, 3, 2))


def _budget(stages: Stages, wanted: int) -> _core.Budget:
    """Return the budget of a search for solutions of one pose."""
    pose = np.eye(4).reshape(1, *([1] * stages.goals), 4, 4)
    return budget_of(stages, SolveRequest(pose, wanted, None, stages.whole, 5.0, 0), alone=True)


def _arrays(solver: IKSolver, stages: Stages, wanted: int, *goals: int) -> tuple:
    """Return the arrays of a search for solutions of one pose."""
    n, capacity, space = solver.chain.num_joints, wanted + 2, stages.whole
    run = _core.Run(_budget(stages, wanted), 0, 1, 0, True, 0, False)
    poses = solver.chain.forward(np.full(n, 0.5)).reshape(1, *goals, 4, 4)
    return (
        (stages.problem, space.box, recurrence(0, n), poses),
        Made(lambda: _core.SearchMemory(1, capacity, wanted, 4, 16, space.grid, np.zeros(n))),
        np.zeros((1, 1, n)), run,
    )  # fmt: skip


def _unsolved(solver: IKSolver, stages: Stages, *goals: int, count: int = 0) -> tuple:
    """Return the arguments for one pose that has no solution after a few restarts.

    Another number of solutions is a wrong one.
    """
    task, memory, _, run = _arrays(solver, stages, 2, *goals)

    def searched() -> _core.SearchMemory:
        made = memory.make()
        _, _, _, counts, records, _ = made.arrays()
        counts[:], records["closed"], records["restarts"] = count, True, 60
        return made

    return task, Made(searched), run, stages.joints[2], True, stages.near, 5.0


def _first_solutions(solver: IKSolver) -> tuple:
    """Return the arguments with which a search for ten solutions of one pose begins."""
    arrays = _arrays(solver, solver._stages, 60)
    (_, box, _, poses), memory, _, run = arrays
    return poses, box, memory, run


_CELL_GIVEN, _SHAPES_GIVEN = cell_arrays(6)
_CELL = _core.CollisionWorld(*_CELL_GIVEN)
_DECISIONS_GIVEN = (
    2, 4, True, False, (1e-5, 1e-5), 1, lambda _: False, lambda rows: np.zeros(len(rows)),
)  # fmt: skip
_DECISIONS = _core.Decisions(*_DECISIONS_GIVEN)
_SHAPES = _core.ShapeDistances(_CELL, *_SHAPES_GIVEN)

_MESH = (
    np.vstack([np.zeros(3), 0.1 * np.eye(3)]),
    np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
)
_BOX = [(0, np.array([0.1, 0.2, 0.3]), np.eye(4), None, None)]
_BALL = [(1, np.array([0.1, 0.0, 0.0]), np.eye(4), None, None)]
_TETRAHEDRON = [(4, np.zeros(3), np.eye(4), *_MESH)]
_BODIES = _core.build_bodies([_BOX, _TETRAHEDRON, _BALL])
_PRIMITIVES = np.array([0, 2, 3]), np.full((3, 3), 0.2), np.stack([np.eye(4)] * 3)

_GOALS = _SOLVER._within(((TaskSpaceRegion.cone("z", 0.4),),))
_MEMORY_GIVEN = 2, 4, 4, 2, 16, _SPACE.grid, np.zeros(6)
_MEMORY = _core.SearchMemory(*_MEMORY_GIVEN)
_BUDGET_GIVEN = 5, 1, 6, 1, 0, 1, *[False] * 9, None, 0
_BUDGET_AROUND = _core.Budget(*_BUDGET_GIVEN[:7], True, *_BUDGET_GIVEN[8:])
_SINGLE_GIVEN = (
    _STAGES.problem, False, _SPACE.box, _SPACE.grid, _STAGES.joints, _budget(_STAGES, 5),
    _STAGES.near, False,
)  # fmt: skip
_SINGLE = _core.SingleSearch(*_SINGLE_GIVEN)
_SINGLE_AROUND = _core.SingleSearch(*_SINGLE_GIVEN[:5], _BUDGET_AROUND, *_SINGLE_GIVEN[6:])
_SINGLE_OF_GOALS = _core.SingleSearch(_GOALS.problem, True, *_SINGLE_GIVEN[2:])
_OPTIMIZED = np.full((3, 6), 0.5)
_OPTIMIZER_GIVEN = (
    _GOALS.problem, _SPACE.box, _UR10.forward(_OPTIMIZED[:2])[:, None], _GOALS.refiner.regions,
    1, 3, np.stack([*_BOUNDS, np.ones(6)]), _CELL,
)  # fmt: skip
_OPTIMIZER_ADDS = _OPTIMIZED, np.zeros(3, np.int64), np.zeros(3), np.ones(3, np.bool_), 0.25
_OPTIMIZER, _PROPOSED = (_core.NullSpaceOptimizer(*_OPTIMIZER_GIVEN) for _ in range(2))
_PROPOSED.add(*_OPTIMIZER_ADDS)
assert _PROPOSED.propose(0.1) and len(_PROPOSED.trials())
_SEVEN = IKSolver(load_robot("panda"))
_SEVEN_POSES = _SEVEN.chain.forward(np.array([np.full(7, 0.3), np.full(7, -0.8)]))
_LOCKED = find_locked(_SEVEN.chain)
assert _LOCKED is not None
_CURVES_GIVEN = (
    _LOCKED.kernel, _LOCKED.parameters, _SEVEN._stages.problem, _SEVEN._whole.box,
    _SEVEN._whole.circular, _SEVEN._stages.joints, 0.05,
)  # fmt: skip
_CURVES = _core.CurveProblem(*_CURVES_GIVEN)
_REGION = TaskSpaceRegion.cone("z", 0.4).packed
_CONE = _core.PoseSequence.of(_REGION, 1e-5, 1e-5, 2.0, True)
assert _CONE is not None
_SURFACES = _core.SurfaceProblem(_CURVES, _CONE)
_AXIS = _core.FreeCoordinate.of(_core.TaskSpaceRegion.free_axis(2), 1e-5, 1e-5)
assert _AXIS is not None

_DEVICE = _core.Device.emulated(1 << 24)
_ON_DEVICE = (
    (_STAGES.problem, _SPACE.box, _SPACE.grid, _FAMILY.kernel, _FAMILY.parameters, None), _POSES,
    2, 0, 1.0, np.zeros((2, 2, 6)), np.zeros((2, 2, 2)), np.zeros(2, np.int64),
)  # fmt: skip

_FLOW_GIVEN, _ARM_GIVEN = network_calls.flow_samples(), network_calls.completion_samples()
_MEMBERS_GIVEN = network_calls.member_answers()
_DEVICE_FLOW = _core.DeviceFlow(_DEVICE, _FLOW_GIVEN[0])
_DEVICE_ARM = _core.DeviceArm(_DEVICE, _ARM_GIVEN[0])
_DEVICE_MEMBERS = _core.DeviceMembers(_DEVICE, _MEMBERS_GIVEN[0])

_PATH = _UR10.forward(np.linspace(0.5, 0.6, 3)[:, None] * np.ones(6))
_PATH_BOUNDS = np.array([[-6.0], [6.0], [0.2], [1.0], [1.0]]) * np.ones(6)

_REFINER = GoalLevenbergMarquardt(_UR10, 1e-5, 1e-5)


def _goal_errors() -> tuple:
    """Return the arguments that measure three configurations against two targets."""
    verifier, q = GoalVerifier(_UR10), np.zeros((3, 6))
    return (
        _UR10.core, q, _UR10.forward(q[:2])[:, None], np.array([0, 1, 1]), np.empty((3, 2)),
        (np.ones(1, np.int64), verifier.checks),
    )  # fmt: skip


def _refinement(*poses: int) -> tuple:
    """Return the arguments of a refinement of eight seeds, from the options on."""
    q = np.zeros((2, 6)) + 0.2
    seeds = np.zeros((8, 6))
    return (
        _REFINER.options, False, np.full(6, -3.0), np.full(6, 3.0),
        _UR10.forward(q).reshape(2, *poses, 4, 4), np.arange(8) % 2, np.full(2, 8), seeds, seeds,
        np.empty(8), np.empty(8), np.empty(8, np.bool_), np.empty(8, np.int64),
        4,
    )  # fmt: skip


_ENDS, _GRID = Ends.of(_UR10), GRIDS.of(_UR10)
_POSTURES_GIVEN = (
    np.zeros((3, 7)), np.arange(6), np.full(7, -1.0), np.ones(7), np.zeros((3, 3, 3)),
    np.zeros((3, 3)), 0.5,
    [(0, np.array([6]), np.zeros((3, 3, 4)), np.ones((3, 3, 4)))],
)  # fmt: skip
_POSTURES = _core.StoredPostures(*_POSTURES_GIVEN)
_SETS, _FEATURES = np.ones((4, 5, 3)), np.ones((15, 4), np.float32)
_JOINTS_GIVEN = (
    _UR10.joint_origins, _UR10.joint_axes, _UR10.joint_prismatic, _UR10.joint_variable,
    _UR10.joint_multiplier, _UR10.joint_offset, np.arange(-1, 5), _UR10.step_units, np.array([5]),
    np.eye(4)[None], np.array([-1]), np.eye(4)[None],
)  # fmt: skip

_TRACKER_GIVEN = (
    _REFINER.chain.core, _REFINER.bounded, _REFINER.regions, _REFINER.options,
    np.array([[-7.0], [7.0], [2.0], [4.0], [1.0]]) * np.ones(6), 0.001, np.full(6, 0.4),
    np.full(2, np.inf), False, False, 2, 0,
)  # fmt: skip
_TRACKER = _core.Tracker(*_TRACKER_GIVEN)
_CLUTCH, _JOG = _core.Clutch(1.0, 1.0, np.eye(3)), _core.Jog(0.01, 0.05, 0.2)
_FILTER, _TARGETS = _core.PoseFilter(0.01, 5.0), _core.TargetFilter(0.01, 5.0)

CALLS = {
    _core.lanes: (),
    _core.forward: (_UR10.core, _ROWS, np.empty((3, 4, 4))),
    _core.JointTree: _JOINTS_GIVEN,
    _core.frame_numbers: (np.tile(np.eye(4), (3, 1, 1)), np.ones((3, 3)), np.ones((3, 2))),
    _UR10.core.joint_frames: (_ROWS, np.empty((3, 7, 4, 4))),
    _UR10.core.goal_jacobians: (
        _ROWS, True, np.empty((3, 1, 4, 4)), np.empty((3, 1, 6, 6)),
    ),
    _UR10.core.is_deficient: (_SPACE.box, np.ones(6), _REFINER.options),
    _UR10.core.problem: (_REFINER.options, 1e-5, 1e-5, 2.0, False),
    _UR10.core.goal_problem: (
        _REFINER.options, 1e-5, 1e-5, _REFINER.regions, np.zeros((1, 1, 14)),
        np.zeros(1, np.int64), False,
    ),
    _core.solver_options: (1.0, 1.0, 1e-5, 1e-5, 2),
    _core.manipulability: (_UR10.core, _ROWS, np.empty(3)),
    _core.limit_margin: (_ROWS, *_BOUNDS, np.empty(3)),
    _core.SearchMemory: _MEMORY_GIVEN,
    _MEMORY.arrays: (),
    _MEMORY.add: (_ROWS + np.arange(3.0)[:, None], np.array([0, 1, 1])),
    _MEMORY.take_first_free: (
        np.empty((2, 1, 6)), np.empty((2, 1, 2)), np.zeros(2, np.int64),
    ),
    _MEMORY.work: (),
    _core.reduce_poses: (
        tuple(_ENDS), _POSES, np.empty(2), np.empty((2, 3, 4)),
        np.empty((2, len(_ENDS.circles))),
    ),
    _core.look_up: (
        tuple(_GRID), _POSES, np.zeros(len(_GRID.bins)), 0, *_BOUNDS,
        np.empty((2, 5, 6)), np.empty(2, np.int64),
    ),
    _core.gather_points: (_SETS, _SETS[0], np.empty((4, 3, 3)), np.empty((4, 3))),
    _core.nearest_places: (
        _FEATURES, np.ones(4, np.float32), 1, 4, _FEATURES.T[:2].copy(), 1,
        np.empty((2, 2), np.int64),
    ),
    _core.StoredPostures: _POSTURES_GIVEN,
    _POSTURES.fit: (
        _POSES[:, None].copy(), np.zeros((2, 3, 3)), np.zeros((2, 3)), np.ones((2, 4), np.int64),
        2, 1, np.empty((2, 3, 7)),
    ),
    _core.flow_samples: _FLOW_GIVEN,
    _core.completion_samples: _ARM_GIVEN,
    _core.member_answers: _MEMBERS_GIVEN,
    _core.DeviceFlow: (_DEVICE, _FLOW_GIVEN[0]),
    _DEVICE_FLOW.samples: _FLOW_GIVEN[1:],
    _core.DeviceArm: (_DEVICE, _ARM_GIVEN[0]),
    _DEVICE_ARM.samples: _ARM_GIVEN[1:],
    _core.DeviceMembers: (_DEVICE, _MEMBERS_GIVEN[0]),
    _DEVICE_MEMBERS.answers: _MEMBERS_GIVEN[1:],
    _core.version: (),
    _core.usable_cores: (),
    _core.instruction_set: (),
    _core.find_closed_form: closed_form_arrays(_UR10),
    _core.why_no_closed_form: closed_form_arrays(_UR10),
    _core.SingleSearch: _SINGLE_GIVEN,
    _SINGLE.find: (
        _POSES[:1].copy(), recurrence(0, 6), 320, _CELL, lambda *_: np.zeros((4, 6)),
    ),
    _SINGLE_AROUND.solve_one: (
        _POSES[0].copy(), recurrence(0, 6), 320, _CELL, np.full(6, 0.5), lambda _: False,
        None, *_RESULT_PARTS,
    ),
    _core.Decisions: _DECISIONS_GIVEN,
    _core.decide: (_arrays(_SOLVER, _STAGES, 10)[1], _SPACE.box, _DECISIONS, 5.0),
    _core.search: (
        *_arrays(_SOLVER, _STAGES, 10), 1, 5.0, _CELL, _DECISIONS,
    ),
    _core.approach_unsolved: (*_unsolved(_SOLVER, _STAGES), _CELL, _DECISIONS),
    _core.find_closest: (
        (_STAGES.problem, _SPACE.box, recurrence(0, 6), _POSES), _REFINER.options, 0,
        np.arange(2), np.full((2, 6), 0.5), np.full((2, 2), np.inf), 5.0,
    ),
    _core.find_path: (
        _STAGES.problem, _GOALS.problem, True, 0, _PATH, _PATH_BOUNDS, np.full(6, 0.5),
        np.full(6, 6.01), None, False, 0, _CELL, lambda *_: np.full((1, 6), 0.5),
        lambda _: False, lambda *_: True, 0.05,
    ),
    _core.is_solution: (_STAGES.problem, None, _PATH, _PATH_BOUNDS, np.full(6, 0.5), 0),
    _core.refine: (_UR10.core, *_refinement()),
    _core.Budget: _BUDGET_GIVEN,
    _core.Run: (_BUDGET_AROUND, 0, 1, 0, True, 0, False),
    _core.search_space: (*_BOUNDS, np.zeros(6), np.ones(6), np.zeros(6), _YES, _YES, 0.05),
    _core.near_error: (1.0, 1.0, 1e-5, 1e-5),
    _core.next_batch: (100, 50),
    _core.recurrence: (0, 6),
    _FAMILY.kernel.find: (_FAMILY.parameters, np.eye(4)[None]),
    _core.pose_errors: (
        _UR10.core, _ROWS, _POSES, np.zeros(3, np.int64), np.empty((3, 2)),
    ),
    _core.Tracker: _TRACKER_GIVEN,
    _TRACKER.step: (_POSES[:1],),
    _TRACKER.brake: (),
    _TRACKER.last: (),
    _TRACKER.reset: (np.zeros(6),),
    _TRACKER.move_to: (np.ones(6),),
    _TRACKER.set_posture: (np.ones(6),),
    _TRACKER.avoid: (_CELL, 0.01),
    _core.Clutch: (1.0, 0.5, np.eye(3)),
    _CLUTCH.engaged: (),
    _CLUTCH.release: (),
    _CLUTCH.step: (_POSES[0], _POSES[1]),
    _core.Jog: (0.01, 0.05, 0.2),
    _JOG.reset: (),
    _JOG.step: (np.ones(6), np.eye(3), _POSES[0]),
    _core.PoseFilter: (0.01, 5.0),
    _FILTER.reset: (_POSES[0],),
    _FILTER.step: (_POSES[1],),
    _core.TargetFilter: (0.01, 5.0),
    _TARGETS.reset: (),
    _TARGETS.follow: (_POSES[0], _POSES[1]),
    _TARGETS.jog: (np.ones(6), np.eye(3), _POSES[0]),
    _core.are_poses: (_POSES,),
    _core.rotation_defect: (_POSES[0],),
    _core.diverse_ranks: (_ROWS, np.array([1, 3]), (*_BOUNDS, _YES, np.ones(6)), 3, 1000),
    _core.other_turns: (_ROWS, np.zeros(6), *_BOUNDS, _TURNED, 5),
    _core.count_turns: (_ROWS, *_BOUNDS, _TURNED),
    _core.nearest_turn: (_ROWS, np.ones(6), *_BOUNDS, _YES),
    _core.CollisionWorld: _CELL_GIVEN,
    _CELL.verdicts: (_ROWS,),
    _CELL.clearance: (_ROWS, np.empty(3)),
    _CELL.contacts: (_ROWS[0].copy(),),
    _core.ShapeDistances: (_CELL, *_SHAPES_GIVEN),
    _SHAPES.measure: (_ROWS, np.empty(3)),
    _core.build_bodies: ([_BOX, _TETRAHEDRON, _BALL],),
    _core.tree_above: (np.ones((9, 4)),),
    _core.repair_faces: _MESH,
    _core.degenerate_faces: _MESH,
    _core.mesh_parts: _MESH,
    _core.winds_around: (np.ones((2, 3, 3)), np.eye(3)),
    _core.pack_bodies: (_BODIES, np.zeros(3, np.int64), np.stack([np.eye(4)] * 3)),
    _core.pack_primitives: _PRIMITIVES,
    _core.BodySurface.build: ([_BOX, _TETRAHEDRON, _BODIES[2][0]],),
    _core.pack_surfaces: (
        _core.BodySurface.build([_BOX, _TETRAHEDRON]), np.stack([np.eye(4)] * 2), *_PRIMITIVES,
        _core.pack_primitives(*_PRIMITIVES)[0],
    ),
    _core.NullSpaceOptimizer: _OPTIMIZER_GIVEN,
    _OPTIMIZER.score: (_ROWS,),
    _OPTIMIZER.add: _OPTIMIZER_ADDS,
    _OPTIMIZER.end: (np.arange(1),),
    _OPTIMIZER.restart: (0, 0.5, 0.25),
    _OPTIMIZER.set_free_value: (0, 0.5),
    _OPTIMIZER.measure_shapes: (_SHAPES,),
    _OPTIMIZER.optimize: (0.2, 1.0),
    _OPTIMIZER.propose: (0.2,),
    _OPTIMIZER.trials: (),
    _PROPOSED.judge: (np.zeros(len(_PROPOSED.trials())),),
    _core.apart: (_ROWS, np.arange(3), _YES, 0.1, 2, False),
    _core.BranchProblem: _PROBLEM_GIVEN,
    _PROBLEM.answer_all: (_POSES, np.ones(6), True, 1.0, _results(6), _CELL),
    _PROBLEM.answer_one: (_POSES[0].copy(), 5),
    _PROBLEM.solve_nearest: (
        _POSES[0].copy(), np.zeros(6), np.ones(6), np.full(6, 9.0), 1, *_RESULT_PARTS,
    ),
    _PROBLEM.solve_one: (
        _POSES[0].copy(), 5, _CELL, 0, lambda _: False, *_RESULT_PARTS,
    ),
    _PROBLEM.begin_search: (*_first_solutions(_SOLVER), 10, _CELL, 1.0),
    _core.CurveProblem: _CURVES_GIVEN,
    _CURVES.answer_all: (
        _SEVEN_POSES, 1.0, _results(7),
    ),
    _CURVES.answer_all_nearest: (
        _SEVEN_POSES, np.zeros((2, 7)), np.ones(7), 1.0, _results(7),
    ),
    _CURVES.answer_one: (_SEVEN_POSES[0].copy(), 5),
    _CURVES.solve_nearest: (
        _SEVEN_POSES[0].copy(), (_SEVEN.chain.lower + _SEVEN.chain.upper) / 2.0, np.ones(7),
        np.full(7, 9.0), 1, *_RESULT_PARTS,
    ),
    _CURVES.solve_one: (_SEVEN_POSES[0].copy(), 5, None, 0, None, *_RESULT_PARTS),
    _CURVES.begin_search: (*_first_solutions(_SEVEN), 20, 10, False, None, 1.0),
    _core.Device.emulated: (1 << 20,),
    _core.Device.takes: (_STAGES.problem,),
    _core.Device.takes_form: (_FAMILY.kernel,),
    _core.Device.takes_world: (_CELL,),
    _DEVICE.solve: _ON_DEVICE,
    _DEVICE.solve_into: (
        _ON_DEVICE[0], _POSES, 0, 1.0, np.zeros((2, 2, 6)), np.zeros(2, np.int32),
    ),
    _DEVICE.place: (_UR10.core, np.zeros((3, 6)), np.zeros((3, 4, 4))),
    _core.NearProblem: _NEAR_GIVEN,
    _NEAR.answer_all_nearest: (
        _POSES, np.zeros((2, 6)), np.ones(6), 1.0, _results(6),
    ),
    _NEAR.solve_nearest: (
        _POSES[0].copy(), np.zeros(6), np.ones(6), np.full(6, 9.0), 1, *_RESULT_PARTS,
    ),
    _core.NearRegion: _NEAR_REGION_GIVEN,
    _NEAR_REGION.answer_all_nearest: (
        _POSES, np.zeros((2, 6)), np.ones(6), 1.0, _results(6),
    ),
    _NEAR_REGION.come_nearer: (
        _POSES, np.zeros(6), np.ones(6), 0.05, 1.0, _results(6), None,
    ),
    _NEAR_REGION.solve_nearest: (
        _POSES[0].copy(), np.zeros(6), np.ones(6), np.full(6, 9.0), 1, *_RESULT_PARTS,
    ),
    _core.LimbsProblem: _OF_LIMBS_GIVEN,
    _OF_LIMBS.answer_all: (
        _PAIR_POSES, np.ones(12), True, 1.0, _results(12), None, np.zeros((2, 12)), False,
    ),
    _OF_LIMBS.answer_one: (_PAIR_POSES[0].copy(), 5),
    _OF_LIMBS.solve_nearest: (
        _PAIR_POSES[0].copy(), np.zeros(12), np.ones(12), np.full(12, 9.0), 1, *_RESULT_PARTS,
    ),
    _OF_LIMBS.solve_one: (_PAIR_POSES[0].copy(), 5, None, 0, None, *_RESULT_PARTS),
    _core.TaskSpaceRegion: (np.full(6, -0.1), np.full(6, 0.1), 2, 0.5),
    _core.TaskSpaceRegion.free: (),
    _core.TaskSpaceRegion.free_axis: (2,),
    _core.TaskSpaceRegion.plane: (0,),
    _core.TaskSpaceRegion.position_only: (),
    _core.TaskSpaceRegion.orientation_only: (),
    _REGION.freed: (True, False),
    _REGION.is_around: (1e-5, 1e-5),
    _core.pack_regions: ([_REGION, _REGION], 1, [_REGION], 1e-5, 1e-5),
    _core.FreeCoordinate.of: (_REGION, 1e-5, 1e-5),
    _core.curves_about: (_PROBLEM, _AXIS),
    _core.PoseSequence.of: (_REGION, 1e-5, 1e-5, 2.0, True),
    _core.most_wanted_of: (_FAMILY.kernel, _CONE),
    _core.SurfaceProblem: (_CURVES, _CONE),
    _SURFACES.answer_all: (
        _SEVEN_POSES, 1.0, _results(7),
    ),
    _SURFACES.answer_one: (_SEVEN_POSES[0].copy(), 5),
    _SURFACES.solve_one: (_SEVEN_POSES[0].copy(), 5, None, 0, None, *_RESULT_PARTS),
    _core.complete_result: (np.int64(3).tobytes() + bytes(48 + 3 * (40 + 16)), 1, 0.0, 0.0),
    _core.unpack_result: (np.int64(3).tobytes() + bytes(48 + 3 * (40 + 2 * 16)),),
}  # fmt: skip

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_LOOPED = KinematicTree.from_urdf(
    _EXAMPLES / "palletizer.urdf", "base", ["tool"], loops=_EXAMPLES / "palletizer.yaml"
)
_LOOPS = IKSolver(_LOOPED)._within(check_regions(None, _LOOPED.tip_links))
_LOOPS_REFINER = _LOOPS.refiner
assert isinstance(_LOOPS_REFINER, GoalLevenbergMarquardt)
_CLOSED = _LOOPED.close(np.zeros((3, 10)))
_LOOPED_PATH = _LOOPED.goal_targets(_LOOPED.forward(_CLOSED))
_LOOPED_BOUNDS = np.array([[-3.0], [3.0], [0.2], [1.0], [1.0]]) * np.ones(10)
_LOOPED_GIVEN = (
    _LOOPS_REFINER.chain.core, _LOOPS_REFINER.bounded, _LOOPS_REFINER.regions,
    _LOOPS_REFINER.options,
    np.array([[-3.0], [3.0], [2.0], [4.0], [1.0]]) * np.ones(10), 0.001, _CLOSED[0].copy(),
    np.full(2, np.inf), False, True, 0, len(_LOOPED.closures),
)  # fmt: skip
_LOOPED_TRACKER = _core.Tracker(*_LOOPED_GIVEN)
_NEARLY = IKSolver(_UR10, prefer="position")._stages.approximate
assert _NEARLY is not None

MORE_CALLS = [
    # Of closed loops: trackers, and paths; and a path of approximations.
    (_core.Tracker, _LOOPED_GIVEN),
    *[(_LOOPED_TRACKER.step, (_LOOPED_PATH[0].copy(),))] * 3,
    (
        _core.find_path,
        (
            None,
            _LOOPS.problem,
            False,
            1,
            _LOOPED_PATH,
            _LOOPED_BOUNDS,
            _CLOSED[0].copy(),
            None,
            False,
            None,
            None,
            lambda *_: _CLOSED[:1].copy(),
            None,
            lambda *_: True,
            0.05,
        ),
    ),
    (
        _core.is_solution,
        (
            None,
            _LOOPS.problem,
            _LOOPED_PATH,
            _LOOPED_BOUNDS,
            _CLOSED[0].copy(),
            0,
        ),
    ),
    (
        _core.find_path,
        (
            _NEARLY.problem,
            None,
            False,
            0,
            _PATH,
            _PATH_BOUNDS,
            np.full(6, 0.5),
            None,
            False,
            None,
            None,
            lambda *_: np.full((1, 6), 0.5),
            None,
            lambda *_: True,
            0.05,
        ),
    ),
    # Trackers remember what came before: steps, and what is kept away from, come often.
    *[(_TRACKER.step, (_POSES[:1],))] * 8,
    *[(_TRACKER.avoid, (_CELL, 0.01))] * 3,
    *[(_TRACKER.reset, (np.zeros(6),))] * 2,
    (_core.forward, (_UR10.core, _ROWS, np.empty((3, 1, 4, 4)))),
    # Of goals, of a region, and of a redundant arm, some of whose solutions are found.
    (_core.refine, (_UR10.core, *_refinement(1), (_REFINER.bounded, _REFINER.regions))),
    (_core.pose_errors, _goal_errors()),
    (_SINGLE_OF_GOALS.find, (_POSES[:1, None].copy(), recurrence(0, 6), 320)),
    (
        _SINGLE_AROUND.find,
        (
            _POSES[:1].copy(),
            recurrence(0, 6),
            320,
            None,
            lambda *_: np.zeros((4, 6)),
            np.full(6, 0.5),
            np.ones(6),
        ),
    ),
    (_core.search, (*_arrays(_SOLVER, _GOALS, 10, 1), 1, 5.0)),
    (_core.approach_unsolved, _unsolved(_SOLVER, _GOALS, 1)),
    (_core.approach_unsolved, _unsolved(_SOLVER, _STAGES, count=-(2**62))),
    (_core.search, (*_arrays(_SEVEN, _SEVEN._stages, 40), 1, 5.0)),
    # With runs that are not those of one target.
    *[
        (
            _core.search,
            (*_arrays(_SOLVER, _STAGES, 10)[:-1], _core.Run(_BUDGET_AROUND, *run), 1, 5.0),
        )
        for run in (
            (0, 2**40, 0, True, 0, False),
            (-1, 1, 0, True, 0, False),
            (1, 0, 0, True, 0, False),
            (0, 1, -(2**63), False, 0, False),
            (0, 1, 0, True, 2**63 - 1, False),
            (0, 1, 0, True, -1, True),
        )
    ],
]
