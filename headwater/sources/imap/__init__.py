"""`imap`: the messages of a mailbox on a server, of an mbox file or of a Maildir, with their attachments.

Belongs here: everything of this kind of source. Not here: the text of a message (`headwater.parsing.email_messages`),
sockets (`headwater.fetching.imap_connection`). Guarantee: nothing in a mailbox changes, not even a flag.
"""
