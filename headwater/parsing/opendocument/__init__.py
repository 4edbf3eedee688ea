"""Files of LibreOffice and other programs that write OpenDocument: texts, sheets, slides.

Belongs here: their parser, and how the XML of each kind becomes markdown. Not here: what office formats have in common
(`headwater.parsing.office`). Guarantee: importing it imports nothing else.
"""
