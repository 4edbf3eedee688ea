"""What the commands of `headwater` do, a module per group.

Belongs here: reading options, calling the kernel, showing the result. Not here: processes that stay (`processes`),
backup files (`backup`), how things are shown (`rendering`). Guarantee: each prints one JSON document with `--json`.
"""
