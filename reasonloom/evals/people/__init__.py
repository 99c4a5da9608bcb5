"""People: our own labelled memories of five people, and questions about them; see README.md."""
