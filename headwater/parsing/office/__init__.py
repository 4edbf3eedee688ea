"""Reading files of Word, PowerPoint and Excel (SRC-4).

Belongs here: one parser per format, and what they share. Not here: zip files (`archives`). Guarantee: a file is checked
before a library opens it.
"""
