"""What pages of other sites reach: the widget's script, and the requests of its visitors (INT-2).

Belongs here: everything below `/widget.js` and `/widget/v1/`. Not here: configuring widgets
(`query_api.routes.widgets`).
"""
