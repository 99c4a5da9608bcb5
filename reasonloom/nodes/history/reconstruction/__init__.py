"""A session or a span of time of past conversations, told again."""
