"""The process of `headwater up` that serves the API.

Belongs here: being a module of its own, which nothing imports. Not here: serving (`api_server`). Guarantee: it does
what `headwater serve` does.
"""

import sys

from cli.main import main

if __name__ == "__main__":
    main(["serve", *sys.argv[1:]], prog_name="headwater")
