"""The hidden toolset `conformance`: the fixtures that MCP's public conformance suite calls.

They are served by our own server, beside its tools: the suite then tests our transports, our
mending of messages, our dispatch and our error forms. None of them reads or writes what is
stored. They are served where the toolset is named, and are part of no other.
"""
