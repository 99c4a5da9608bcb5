"""Detection of memories that read like an attempt to steer their reader."""
