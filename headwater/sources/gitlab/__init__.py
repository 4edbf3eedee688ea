"""GitLab: issues and merge requests with their comments and files, and wiki pages, of a project or a group.

Belongs here: the kind `gitlab`. Not here: code (kinds `codebase` and `folder`), the formats of files
(`headwater.parsing`). Guarantee: only what the credential may read is read; nothing is written to GitLab.
"""
