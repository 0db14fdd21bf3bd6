"""A right call of every function of generative_ik_ros._core, for tests that make them wrong.

The methods of a class are given as those of an object: `chain.forward`.
"""

from generative_ik_ros import _core

CALLS = {_core.version: (), _core.instruction_set: ()}
