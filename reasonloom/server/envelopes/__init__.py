"""How each reference shapes its answers and errors."""
