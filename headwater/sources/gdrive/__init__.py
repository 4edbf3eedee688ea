"""Google Drive: the files of folders, of shared drives, and of what is shared with an account.

Belongs here: the kind `gdrive`. Not here: the formats of files (`headwater.parsing`). Guarantee: only what the account
may read is read; nothing is written to Drive.
"""
