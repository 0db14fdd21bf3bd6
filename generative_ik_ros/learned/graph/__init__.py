"""Arms as distance-geometric graphs: axis lines in, points and distances out, and back."""
