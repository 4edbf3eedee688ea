"""Pictures as SVG, drawn without a library.

Belongs here: layouts and their SVG. Not here: reading what is drawn. Guarantee: pure; texts are escaped, so no text of
a document can add to a picture.
"""
