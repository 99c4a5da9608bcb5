"""A general tree search over thoughts."""
