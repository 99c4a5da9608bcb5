"""The form of answers and errors in each reference."""
