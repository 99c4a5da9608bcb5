"""Our server with the fixtures that MCP's public conformance suite calls.

The fixtures are tools, prompts and resources beside the chosen ones, so that the suite tests our
transports, message repair, dispatch and error envelopes. None of them reads or writes stored data.
`python -m tests.support.conformance_server` is our command line with this server in place of the
ordinary one.
"""
