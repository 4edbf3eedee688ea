"""SharePoint and OneDrive for Business: the files of libraries, and the pages of sites, by Microsoft Graph.

Belongs here: the kind `sharepoint`. Not here: the formats of files (`headwater.parsing`). Guarantee: only what the
app may read is read; nothing is written to the server.
"""
