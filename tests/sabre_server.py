"""sabre/dav on loopback, the library with which Nextcloud answers WebDAV, where PHP and Debian's php-sabre-dav are.

Belongs here: starting it over a folder, its requests. Not here: what is expected of a sync. Guarantee: requests are
read and answered by sabre/dav; only ids of files and versions of folders are added, as Nextcloud adds them.
"""

import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.dav_servers import DavServer
from tests.support import free_port

_ROOT = "/remote.php/dav/files/ann/"
_START_LIMIT = 60.0  # seconds
_ROUTER = r"""<?php
error_reporting(E_ALL & ~E_DEPRECATED);
ini_set('display_errors', '0');
spl_autoload_register(function ($name) {
    $path = getenv('SABRE') . '/' . str_replace('\\', '/', $name) . '.php';
    if (is_file($path)) require $path;
});
file_put_contents(getenv('DAV_LOG'), $_SERVER['REQUEST_METHOD'] . ' ' . $_SERVER['REQUEST_URI'] . "\n", FILE_APPEND);

use Sabre\DAV;

function version_of(string $path): string {
    if (is_file($path)) return md5(fileinode($path) . md5_file($path));
    $parts = array_map(fn($name) => $name . version_of("$path/$name"), array_diff(scandir($path), ['.', '..']));
    return md5(implode('|', $parts));
}

class NextcloudProperties extends DAV\ServerPlugin {
    public function initialize(DAV\Server $server) {
        $server->xmlNamespaces['http://owncloud.org/ns'] = 'oc';
        $server->subscribeEvent('beforeGetProperties', [$this, 'add']);
    }
    public function add($path, DAV\INode $node, &$asked, &$found) {
        $file = getenv('DAV_FOLDER') . '/' . $path;
        $values = [
            '{DAV:}getetag' => '"' . version_of($file) . '"', '{http://owncloud.org/ns}fileid' => fileinode($file),
        ];
        foreach ($values as $name => $value) {
            $index = array_search($name, $asked);
            if ($index === false) continue;
            unset($asked[$index]);
            $found[200][$name] = $value;
        }
    }
}

$server = new DAV\Server(new DAV\FS\Directory(getenv('DAV_FOLDER')));
$server->setBaseUri('{root}');
$server->addPlugin(new class extends DAV\ServerPlugin {
    public function initialize(DAV\Server $server) {
        $server->subscribeEvent('beforeMethod', function () {
            if (($_SERVER['PHP_AUTH_USER'] ?? '') !== 'ann' || ($_SERVER['PHP_AUTH_PW'] ?? '') !== 'secret')
                throw new DAV\Exception\NotAuthenticated('Cannot authenticate over WebDAV');
        }, 1);
    }
});
if (getenv('DAV_NEXTCLOUD')) $server->addPlugin(new NextcloudProperties());
$server->exec();
"""


class SabreServer(DavServer):
    """The address of the folder; the requests are read from a file that PHP writes."""

    def __init__(self, url: str, log: Path) -> None:
        super().__init__()
        self.url = url
        self._log = log

    def taken(self) -> list[str]:
        """The requests since the last time."""
        requests = self._log.read_text("utf-8").splitlines() if self._log.exists() else []
        self._log.write_text("")
        return requests


@contextmanager
def serve_sabre(folder: Path, *, is_nextcloud: bool) -> Iterator[SabreServer]:
    """Run sabre/dav over a folder for the length of a block.

    Args:
        folder: the files.
        is_nextcloud: whether files have ids, and folders versions of all that is below them.
    """
    code = Path(os.environ.get("HEADWATER_TEST_SABRE", "/usr/share/php"))
    php = shutil.which("php")
    if php is None or not (code / "Sabre" / "DAV" / "Server.php").is_file():
        pytest.skip("sabre/dav is not installed (php, and php-sabre-dav in /usr/share/php or HEADWATER_TEST_SABRE)")
    router, log = folder.parent / "router.php", folder.parent / "requests.log"
    router.write_text(_ROUTER.replace("{root}", _ROOT))
    environ = {
        **os.environ, "SABRE": str(code), "DAV_FOLDER": str(folder), "DAV_LOG": str(log),
        "DAV_NEXTCLOUD": "1" if is_nextcloud else "",
    }  # fmt: skip
    port = free_port()
    command = [php, "-d", "opcache.enable_cli=0", "-S", f"127.0.0.1:{port}", str(router)]
    process = subprocess.Popen(
        command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        server = SabreServer(f"http://127.0.0.1:{port}{_ROOT}", log)
        _await(server.url, process)
        server.taken()
        yield server
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_LIMIT
    while True:
        try:
            urllib.request.urlopen(url, timeout=10).close()
        except urllib.error.HTTPError:  # it asks for a password
            return
        except OSError:
            assert process.poll() is None, "PHP ended at once"
            assert time.monotonic() < end, "sabre/dav did not start"
            time.sleep(0.05)
