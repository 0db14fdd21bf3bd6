"""Learned samplers and their training; optional (extra `learned`), reached by name only.

`ikflow` is a conditional normalizing flow, `ggik` a graph model that serves every arm, `distal` a
feed-forward network; `graph` holds the distance-geometric graph that `ggik` works on. Nothing
outside this package imports it: samplers are found through `samplers/registry.py`, the command
`generative-ik train` through `cli/verbs.py`.
"""
