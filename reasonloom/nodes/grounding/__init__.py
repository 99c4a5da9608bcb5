"""Whether what is stored bears out a claim: read by words, judged pair by pair, then together."""
