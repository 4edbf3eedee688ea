"""WebDAV: the files of a folder in Nextcloud, ownCloud and other servers that speak it.

Belongs here: the kind `webdav`. Not here: the formats of files (`headwater.parsing`). Guarantee: only what the
credential may read is read; nothing is written to the server.
"""
