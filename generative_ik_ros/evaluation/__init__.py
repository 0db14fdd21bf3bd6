"""Chains and poses come in, figures that others can check go out: the yardstick of the package.

Every configuration is judged by pinocchio's forward kinematics, which shares no code with ours,
and peers run on the same poses in the same run, taking turns with our solver.
"""
