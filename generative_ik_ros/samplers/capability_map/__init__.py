"""Seeds from a map of what the joints between the first and the last reach."""
