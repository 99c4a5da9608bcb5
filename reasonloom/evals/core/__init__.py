"""The core of all evals of a system: items, who answers them, scores, and a run that resumes."""
