"""`github`: issues, pull requests and discussions of a repository, or of an export (SRC-13).

Belongs here: the order of work, and how a sync that cannot go on ends. Not here: the config (`config`), requests
(`api`), the kinds (`issues`, `discussions`). Guarantee: a limit of the server ends a sync without losing what was read;
if the repository cannot be read at all, nothing changes.
"""

from collections.abc import Iterator
from itertools import chain

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, FetchError, SourceError
from headwater.fetching.http_client import HttpClient
from headwater.sources.connector import Connector, Found
from headwater.sources.github.api import Api
from headwater.sources.github.config import GitHubConfig, guess_github
from headwater.sources.github.discussions import Discussions
from headwater.sources.github.export_file import read_threads
from headwater.sources.github.issues import Issues
from headwater.sources.guesses import Address, Guess

_REPEATED = (502, 503, 504)


class GitHub(Connector):
    """Reads the threads of a repository."""

    kind = "github"
    parser_version = "github-1"
    Config = GitHubConfig
    config: GitHubConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Addresses of issues, pull requests and discussions on github.com."""
        return guess_github(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per thread.

        Raises:
            SourceError: the repository or the file cannot be read.
        """
        config = self.config
        if config.path is not None:
            path = self.context.local(config.path)
            if not path.is_file():
                raise SourceError(f"{config.path} is not a regular file; name a file with a thread per line.")
            yield from read_threads(path)
            return
        with self.context.http(credential=config.credential, address=config.rest, busy=_REPEATED) as client:
            yield from self._stop_at_error(self._threads(client))

    def _threads(self, client: HttpClient) -> Iterator[Found]:
        config, repository = self.config, self.config.repository or ""
        api = Api(client, rest=config.rest, graphql=config.graphql, patience=self.context.patience)
        web = f"{config.server}/{repository}"
        of_rest = [kind for kind in config.kinds if kind != "discussions"]
        threads: list[Iterator[Found]] = []
        if of_rest:
            threads.append(Issues(api, self.context, repository=repository, web=web, kinds=of_rest).found())
        if "discussions" in config.kinds:
            threads.append(Discussions(api, self.context, repository=repository, web=web).found())
        return chain.from_iterable(threads)

    def _stop_at_error(self, items: Iterator[Found]) -> Iterator[Found]:
        """What was found until an error; once anything was, the error makes the list incomplete."""
        has_any = False
        try:
            for item in items:
                has_any = True
                yield item
        except (FetchError, DocumentError) as error:
            if not has_any:
                raise
            message = f"{error} No document counts as removed."
            yield DocumentProblem(uri="", code=error.code, message=message)
