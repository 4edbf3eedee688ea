"""MediaWiki: the pages of a wiki.

Belongs here: the kind `mediawiki`. Not here: HTML (`headwater.parsing.html`). Guarantee: only what readers of the wiki
see is read; nothing is written to the wiki.
"""
