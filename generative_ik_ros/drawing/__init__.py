"""What to draw of an arm and where, for every picture: RViz, the web viewer, matplotlib."""
