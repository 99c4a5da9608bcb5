"""The packaged transformer: vectors of texts and of their tokens."""
