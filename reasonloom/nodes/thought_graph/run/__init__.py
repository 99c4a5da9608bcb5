"""Steps of run."""
