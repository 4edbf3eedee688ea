"""Slack: the threads of channels, with the files that are shared in them.

Belongs here: the kind `slack`. Not here: the bot (`integrations`), what both share (`headwater.domain.slack_markup`),
the formats of files (`headwater.parsing`). Guarantee: only what the credential may read is read; nothing is written to
Slack.
"""
