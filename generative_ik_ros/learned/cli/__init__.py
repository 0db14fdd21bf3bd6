"""The command `generative-ik train`."""
