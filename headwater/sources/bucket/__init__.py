"""Buckets: the objects of S3 and what speaks its protocol, and of Azure Blob Storage.

Belongs here: the kind `bucket`. Not here: the formats of the objects (`headwater.parsing`). Guarantee: every request
passes the gate; a secret signs requests to its own host, and is sent nowhere.
"""
