"""Benchmarks of latency, throughput and memory use."""
