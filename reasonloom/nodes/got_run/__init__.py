"""The steps of running a whole plan of operations; the plan itself is `nodes/operations`."""
