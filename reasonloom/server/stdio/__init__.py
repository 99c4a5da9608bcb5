"""The stdio transport; every request is answered before shutdown."""
