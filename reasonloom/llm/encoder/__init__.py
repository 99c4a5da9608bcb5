"""The packaged transformer that encodes texts as vectors."""
