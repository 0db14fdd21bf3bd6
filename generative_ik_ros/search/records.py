"""The records in which a search keeps its state, one for each target, lane and run.

They are numpy structured arrays, which Python and the native core read and write alike
(core/src/search/records.hpp).
"""

import numpy as np
from numpy.typing import NDArray

TARGET = np.dtype(
    [
        # Random restarts.
        ("restarts", np.int64),  # begun
        ("restarts_left", np.int64),  # in this batch, before null-space steps are considered
        ("restarts_ended", np.int64),
        ("restarts_converged", np.int64),
        # How much of the solution set is still unknown: what share of the restarts that converged
        # did so to a new solution.
        ("sample", np.int64),  # restarts that converged since the last estimate
        ("sample_new", np.int64),  # those of them that found a new solution
        ("saturated", np.bool_),  # at the last estimate hardly any solution was new
        # Likewise of the restarts whose solutions are traced, see core/src/search/trace.hpp.
        ("window", np.int64),  # restarts that converged since the last estimate
        ("window_away", np.int64),  # those of them that ended away from what is known
        ("traced_all", np.bool_),  # at the last estimate these were few
        # Null-space steps, in rounds.
        ("null_space_pays", np.bool_),  # another round is worth a try
        ("null_space_seeds", np.int64),  # begun, in all rounds
        ("null_space_converged", np.int64),  # in all rounds
        ("round_size", np.int64),
        ("round_left", np.int64),  # seeds to begin
        ("round_ended", np.int64),  # seeds that have ended
        ("round_new", np.int64),  # new solutions
        ("queue_end", np.int64),  # steps put into the target's queue
        ("queue_begin", np.int64),  # steps taken out of it
        # Refinement towards the seed state, once nothing else is left to do.
        ("near", np.bool_),  # a solution near the seed state was found
        ("towards_seed", np.bool_),
        ("towards_seed_begun", np.int64),
        ("towards_seed_ended", np.int64),
        ("nearest", np.int64),  # index of the solution that is refined
        ("moved", np.bool_),  # a nearer one was found
        ("usable", np.int64),  # solutions that are not known to collide
        ("free", np.int64),  # solutions that are known not to collide
        ("doubled", np.bool_),  # of some that are the same, collisions will tell which is kept
        # All seeds.
        ("iterations", np.int64),  # of all seeds that have ended
        ("seed_row", np.int64),  # which of the given seeds are the target's
        ("needs_seeds", np.bool_),  # the given ones are used up
        ("closed", np.bool_),  # the search for the target is over
        ("complete", np.bool_),  # a closed form has said that no solution is missing
        # Of the configuration kept as closest: its weighted squared error while there is no
        # solution, its squared distance from the seed state during the refinement towards it.
        ("closest_error", np.float64),
    ],
    align=True,
)
"""What is known of a target."""

LANE = np.dtype(
    [
        ("target", np.int64),  # of the seed under way; -1 if the lane is free
        ("pose", np.int64),  # that the seed is for: the target's, or one of its alternatives
        ("kind", np.int64),  # see SeedKind in core/src/search/records.hpp
        ("base", np.int64),  # solution that it starts from, see nextStep
        ("iterations", np.int64),
        ("past_error", np.float64),  # squared error when progress was last checked
        ("loaded", np.int64),  # pose that is in the lane's rows of the buffer, or -1
        ("bound", np.int64),  # target that the lane works for, or -1
        ("pushes", np.int64),  # steps out of collisions that the seed has taken
    ],
    align=True,
)
"""What is under way in a vector lane."""

RUN = np.dtype(
    [
        ("begun", np.bool_),
        ("first", np.int64),  # target of the run
        ("last", np.int64),  # one beyond its last target
        ("next_target", np.int64),  # the first one that no lane has worked for yet
        ("num_solutions", np.int64),  # see StoppingCriteria
        ("wanted", np.int64),
        ("min_restarts", np.int64),
        ("seeds_before", np.int64),  # given to each target before
        ("endless", np.bool_),
        ("alternatives", np.int64),  # poses of which the one target is any; 0: one for each target
        ("step", np.float64),  # mean length of a null-space step in a known direction [rad or m]
        ("most_colliding", np.int64),  # solutions of a target that are kept although they collide
        ("persistence", np.float64),
        ("most_restarts", np.int64),
        ("traced", np.bool_),  # see StoppingCriteria
    ],
    align=True,
)
"""The search for some targets, in one call of the core or several."""


def new_records(count: int, record: np.dtype) -> NDArray[np.void]:
    """Return records of zeros; `np.zeros` takes three times as long if they have many fields."""
    size = count * record.itemsize
    # From so many bytes on, it takes longer to write zeros than to ask for memory that has them.
    large = 1 << 16
    return np.frombuffer(bytearray(size) if size < large else np.zeros(size, np.uint8), record)
