"""Following moving targets, one configuration a period."""
