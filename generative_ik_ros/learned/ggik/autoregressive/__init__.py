"""The model that ships: it samples one joint after the other, each from an explicit density.

| file | what |
|---|---|
| `model.py` | the network, and the density of a joint's angle |
| `goal_features.py` | what the network sees of the goal, and what its angles mean |
| `kinematics.py` | frames along the arm, and the last two joints in closed form |
| `known_distances.py` | joints that known distances decide, and from which end |
| `generator.py` | sampling in PyTorch, and when a sample is drawn again |
| `native_generator.py` | the same in the native core (`core/src/learned/`), on the CPU or a GPU |
"""
