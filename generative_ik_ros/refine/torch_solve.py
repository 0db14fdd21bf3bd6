"""Batches of small damped linear systems in PyTorch, solved by LDL^T factorisations.

They are written out because a library's batched solver takes five to ten times as long on a CPU,
and on a GPU it cannot be part of a fused kernel.
"""

from generative_ik_ros.refine.torch_chain import torch

Tensor = torch.Tensor


def solve_by_rows(columns: Tensor, damp: Tensor, vector: Tensor) -> Tensor:
    """Solve (J J^T + damp I) y = e for each seed, in few operations on whole rows.

    The columns of J are (n, 6, S), damp (S,) is above 0, and e and y are (6, S).
    """
    size = vector.shape[0]
    rows = [(columns[:, i : i + 1] * columns[:, i:]).sum(0) for i in range(size)]
    factors, pivots, y = [], [], vector
    scaled = []
    for i in range(size):
        # No pivot of the exact matrix is below the damping.
        pivot = torch.maximum(rows[i][0] + damp, damp)
        pivots.append(pivot)
        scaled.append(y[0] / pivot)
        if i + 1 < size:
            factor = rows[i][1:] / pivot
            factors.append(factor)
            for k in range(i + 1, size):
                rest = rows[i][k - i :]
                rows[k] = torch.addcmul(rows[k], factor[k - i - 1], rest, value=-1.0)
            y = torch.addcmul(y[1:], factor, y[0], value=-1.0)
    solution = scaled[-1][None]
    for i in range(size - 2, -1, -1):
        first = scaled[i] - (factors[i] * solution).sum(0)
        solution = torch.cat([first[None], solution])
    return solution


def solve_by_entries(columns: Tensor, damp: Tensor, vector: Tensor) -> Tensor:
    """Solve the same systems entry by entry, in operations on (S,) that a compiler can fuse.

    This takes more than twice the time of `solve_by_rows` uncompiled, and less than half of it, in
    a single kernel, when compiled by torch.compile.
    """
    size = vector.shape[0]
    parts = [column.unbind(0) for column in columns.unbind(0)]
    a = [[_dot(parts, i, k) for k in range(i + 1)] for i in range(size)]
    y, inverse = list(vector.unbind(0)), []
    factor: list[dict[int, Tensor]] = [{} for _ in range(size)]
    for k in range(size):
        # No pivot of the exact matrix is below the damping.
        inverse.append(1.0 / torch.maximum(a[k][k] + damp, damp))
        for i in range(k + 1, size):
            factor[i][k] = a[i][k] * inverse[k]
            y[i] = y[i] - factor[i][k] * y[k]
            for j in range(k + 1, i + 1):
                a[i][j] = a[i][j] - factor[i][k] * a[j][k]
    for i in reversed(range(size)):
        y[i] = y[i] * inverse[i]
        for k in range(i + 1, size):
            y[i] = y[i] - factor[k][i] * y[k]
    return torch.stack(y)


def _dot(parts: list[tuple[Tensor, ...]], i: int, k: int) -> Tensor:
    """Return entry i, k of J J^T."""
    total = parts[0][i] * parts[0][k]
    for column in parts[1:]:
        total = total + column[i] * column[k]
    return total
