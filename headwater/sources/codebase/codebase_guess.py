"""Recognising git repositories of code by their addresses.

Belongs here: how well `codebase` fits an address. Not here: the forms of addresses (`headwater.sources.tree_guesses`).
Guarantee: nothing is fetched.
"""

from dataclasses import replace

from headwater.sources.guesses import Address, Guess
from headwater.sources.tree_guesses import guess_folder

_BETTER = 0.03


def guess_codebase(address: Address) -> Guess | None:
    """A whole repository is read as code; a folder of it, such as its documentation, rather as files of any kind.

    So is a working copy on this machine, because what is in it may not be committed yet.
    """
    guess = guess_folder(address)
    if guess is not None and address.path is not None and (address.path / ".git").exists():
        words = "the code and documentation that are committed in this repository"
        return Guess(config={"git": str(address.path)}, words=words, score=guess.score - _BETTER, slug=guess.slug)
    if guess is None or "git" not in guess.config or "include" in guess.config:
        return None
    words = guess.words.replace("with files of any kind", "with code and its documentation")
    step = -_BETTER if "path" in guess.config else _BETTER
    return replace(guess, words=words, score=guess.score + step)
