"""The model that ships: it samples one joint after the other, each from an explicit density.

| file | what |
|---|---|
| `model.py`, `von_mises.py` | the network, and the density of a joint's angle |
| `goal_features.py` | what the network sees of the goal, and what its angles mean |
| `kinematics.py` | frames along the arm, and the last two joints in closed form |
| `known_distances.py`, `ends.py` | joints that known distances decide, and from which end |
| `tries.py` | when a sample is drawn again |
| `generator.py` | sampling in PyTorch |
| `native_generator.py` | the same on the CPU, in the native core (`core/src/learned/`) |
"""
