"""The steps of tree reasoning; the search itself is `nodes/treesearch`."""
