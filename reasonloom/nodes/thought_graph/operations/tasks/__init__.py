"""The packaged tasks."""
