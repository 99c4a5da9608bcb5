"""One module a page; `registry.py` names them all."""
