"""Files kept by the hash of their content: the originals of documents.

Belongs here: putting, reading, listing and deleting them, in a folder or in a remote store. Not here: which of them
are still referred to (`headwater.store.content.originals`), what is in them (`headwater.parsing`). Guarantee: a file
is there whole or not at all; equal content is kept once; an address with credentials in it is never shown.
"""
