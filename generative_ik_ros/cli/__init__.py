"""The command line, `generative-ik VERB ...`: one file a verb."""
