"""The command `generative-ik train`: one file for each learned sampler."""
