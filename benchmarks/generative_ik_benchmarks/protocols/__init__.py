"""The protocols, one a module; `registry` lists them."""
