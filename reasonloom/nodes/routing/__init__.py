"""How a problem is routed to a reasoning mode: cues, features, weights, votes."""
