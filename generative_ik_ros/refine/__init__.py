"""Local solvers, which refine seeds into exact configurations."""
