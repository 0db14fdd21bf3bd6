"""The commands `generative-ik evaluate` and `generative-ik reproduce`."""
