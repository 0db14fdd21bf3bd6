"""A right call of every function of generative_ik_ros._core, for tests that make them wrong.

The methods of a class are given as those of an object: `chain.forward`.
"""

import numpy as np

from generative_ik_ros import _core, load_robot
from generative_ik_ros.closed_form.family import find_family

_FAMILY = find_family(load_robot("ur10"))
assert _FAMILY is not None

CALLS = {
    _core.version: (),
    _core.instruction_set: (),
    _core.closed_forms: (),
    _FAMILY.kernel.find: (_FAMILY.parameters, np.eye(4), np.empty((8, 6))),
}
