"""GGIK: one learned sampler for many arms, with two kinds of model.

O. Limoyo et al., Generative graphical inverse kinematics, T-RO, arXiv 2209.08812; docs/ggik.md.

| files | what | ships |
|---|---|---|
| `autoregressive/` | our model: one joint after the other, each from an explicit density | yes |
| `latent/` | the papers' model: all joints at once, from latent variables | no, train it |
| `sampler.py`, `generator.py`, `models.py` | the sampler, for models of both kinds | |
| `config.py`, `weights.py` | configurations and weight files of both kinds | |

Weight files, and the setting `generator`, also know the autoregressive model by its former name,
`walk`.
"""
