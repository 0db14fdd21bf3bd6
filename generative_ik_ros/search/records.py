"""The records in which a search keeps its state, one for each target and run.

They are numpy structured arrays, whose fields are those of the core's structs
(core/src/search/records.hpp).
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core

TARGET = _core.record_type("TARGET")
"""What is known of a target."""
RUN = _core.record_type("RUN")
"""The search for some targets, in one call of the core."""


def new_records(count: int, record: np.dtype) -> NDArray[np.void]:
    """Return records of zeros; `np.zeros` takes three times as long if they have many fields."""
    size = count * record.itemsize
    # From so many bytes on, it takes longer to write zeros than to ask for memory that has them.
    large = 1 << 16
    return np.frombuffer(bytearray(size) if size < large else np.zeros(size, np.uint8), record)
