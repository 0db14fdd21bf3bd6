"""Local solvers: seeds in, exact configurations out."""
