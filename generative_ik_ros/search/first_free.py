"""The first solution of each target that is free of collisions, compiled."""

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled.kernel import kernel

# ruff: noqa: ANN001, ANN201  (types inside compiled code are numba's, not Python's)


@kernel()
def take_first_free(found, found_errors, found_counts, positions, errors, counts):
    """Copy the first free solution of each target, if there is one.

    Args:
        found: (T, C, n) solutions [rad or m].
        found_errors: (T, C, 4) of each, see `PoolArrays.errors`.
        found_counts: (T,) how many there are.
        positions: (T, 1, n) out: the solutions taken.
        errors: (T, 1, 2) out: their errors.
        counts: (T,) out: 1 where one was taken.
    """
    for t in range(len(found_counts)):
        for k in range(found_counts[t]):
            if found_errors[t, k, 2] == Verdict.FREE.value:
                for v in range(found.shape[2]):
                    positions[t, 0, v] = found[t, k, v]
                errors[t, 0, 0], errors[t, 0, 1] = found_errors[t, k, 0], found_errors[t, k, 1]
                counts[t] = 1
                break
