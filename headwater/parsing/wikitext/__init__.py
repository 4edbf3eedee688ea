"""The markup of MediaWiki in files, such as `.mediawiki` pages of a repository (SRC-4).

Belongs here: reading the text that people write. Not here: running wikis, whose server makes HTML of it
(`headwater.sources.mediawiki`).
"""
