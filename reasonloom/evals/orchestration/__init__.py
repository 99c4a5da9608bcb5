"""Evals of how calls are arranged: the same simulated language model under different controllers.

They measure orchestration, not reasoning: only the arrangement differs between two rows.
"""
