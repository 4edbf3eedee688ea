"""Confluence: pages, blog posts and attachments, of Cloud and of Data Center.

Belongs here: the kind `confluence`. Not here: HTML (`headwater.parsing.html`), the formats of attachments
(`headwater.parsing`). Guarantee: only what the credential may read is read; nothing is written to Confluence.
"""
