"""Benchmarks of generative_ik_ros: protocols, other solvers, reference sets, the papers' tables.

Every configuration is checked with pinocchio's forward kinematics, which shares no code with the
package, and other solvers run on the same poses in the same run, in turns with ours.
"""

__version__ = "0.1.0"
