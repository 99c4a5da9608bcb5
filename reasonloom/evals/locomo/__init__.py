"""LoCoMo: long conversations and questions with the turns that answer them.

Maharana et al. 2024, "Evaluating Very Long-Term Conversational Memory of LLM Agents". Only what
`recall` finds is judged, against the evidence; no language model reads or judges.
"""
