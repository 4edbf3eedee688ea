"""Reading text in images (SRC-4).

Belongs here: the models, the order of lines, the parser of image files. Not here: pages of PDF files (`pdf.scans`).
Guarantee: nothing is downloaded.
"""
