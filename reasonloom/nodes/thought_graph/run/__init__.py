"""Steps of running a plan."""
