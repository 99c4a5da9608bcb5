"""A local web page on the same database: what was thought, remembered, run and measured."""
