"""Whole batches on a GPU: seeds, local solver, verification and distinctness on the device.

An experiment that only `generative-ik evaluate gpu` runs. `IKSolver` does not use it: there are no
deadlines, no order and no closest approach here yet.
"""
