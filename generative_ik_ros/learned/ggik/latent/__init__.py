"""The model of the GGIK papers, a conditional variational autoencoder of an arm's graph.

| file | what |
|---|---|
| `model.py` | encoder, prior and decoder; the prior's mixture of Gaussians; sampling |
| `egnn.py` | their equivariant graph network |
| `plain_networks.py` | the other networks of T-RO's table V |
| `problems.py` | what the networks see of an arm and a target |
"""
