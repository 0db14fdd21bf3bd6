"""Work that threads share."""

import math

import numpy as np
import pytest

from generative_ik_ros.parallel import fill, for_each
from generative_ik_ros.search.records import TARGET, new_records


@pytest.mark.parametrize("rows", [0, 1, 100, 300_000])
def test_all_rows_are_filled(rows):
    joints = np.zeros((rows, 7))
    fill(joints, np.arange(7.0))
    np.testing.assert_array_equal(joints, np.tile(np.arange(7.0), (rows, 1)))
    records = new_records(rows, TARGET)
    fill(records["closest_error"], np.inf)
    assert (records["closest_error"] == np.inf).all() and not records["restarts"].any()


def test_what_a_piece_raises_reaches_the_caller():
    def work(piece):
        if piece == 3:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        for_each(work, range(10), math.inf)
