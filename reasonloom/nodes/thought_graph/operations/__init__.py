"""Plans of operations on thoughts, executed by a state machine."""
