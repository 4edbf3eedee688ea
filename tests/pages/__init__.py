"""Running the pages that people read: their commands from top to bottom, and their outputs compared.

Belongs here: reading a page's blocks (`reading`), the shell that they run in (`shell`), the comparison (`comparing`).
Not here: what the pages must say (`tests/unit/test_docs.py`). Guarantee: every block of commands is run, or the page
says in a comment why it is not.
"""
