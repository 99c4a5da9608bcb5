"""Nodes of the conversation history tools."""
