"""The originals of documents, stored by the hash of their content.

Belongs here: storing, reading, listing and deleting them, in a folder or in a remote store. Not here: which of them
versions refer to (`headwater.store.content.originals`), their content (`headwater.parsing`). Guarantee: a file
is complete or absent; equal content is stored once; an address with credentials is never shown.
"""
