"""The shell's way in: `generative-ik VERB ...`, one file a verb."""
