"""The work of the `headwater` commands, one module per group.

Belongs here: reading options, calling the kernel, showing the result. Not here: long-running processes (`processes`),
backup files (`backup`), text for people (`rendering`). Guarantee: each prints one JSON document with `--json`.
"""
