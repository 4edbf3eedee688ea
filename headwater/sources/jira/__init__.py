"""Jira: issues with their comments and attachments, of Cloud and of Data Center.

Belongs here: the kind `jira`. Not here: HTML (`headwater.parsing.html`), the formats of attachments
(`headwater.parsing`). Guarantee: only what the credential may read is read; nothing is written to Jira.
"""
