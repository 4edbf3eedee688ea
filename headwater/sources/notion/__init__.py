"""Notion: pages, rows of data sources, and files.

Belongs here: the kind `notion`. Not here: markdown (`headwater.parsing.markdown.parser`), the formats of files
(`headwater.parsing`). Guarantee: only what is shared with the integration is read; nothing is written to Notion.
"""
