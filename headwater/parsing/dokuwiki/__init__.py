"""The markup of DokuWiki, whose pages are text files (SRC-4).

Belongs here: reading the text that people write. Not here: telling its pages from other text
(`headwater.parsing.text_structure`); running wikis.
"""
