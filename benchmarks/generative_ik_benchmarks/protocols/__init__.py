"""A chain comes in, a table's figures go out: one protocol a module, sizes and rules stated."""
