"""How each reference shapes its answers and its errors: one module a form."""
