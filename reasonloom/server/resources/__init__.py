"""Resources that clients read by URI, one module per kind or group of kinds."""
