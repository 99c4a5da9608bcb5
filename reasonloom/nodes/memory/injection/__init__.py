"""Detection of memories that read like prompt injections."""
