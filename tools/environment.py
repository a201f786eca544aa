"""Makes the virtual environment from the locked, hashed dependencies, on a machine that has Python and nothing else.

Debian and Ubuntu ship Python without ensurepip, so pip comes from there where it can, and else as one wheel whose hash
stands here. This file is written so that an old Python can still read it and say what is wrong.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

OLDEST = (3, 11)
KNOWN = ("python3.14", "python3.13", "python3.12", "python3.11")
ROOT = Path(__file__).resolve().parent.parent

# As https://pypi.org/simple/pip/ lists it.
PIP_WHEEL = "pip-26.3-py3-none-any.whl"
PIP_SHA256 = "f3b60b20ffaadd4415ed7957212a38ac63fa4c5fa375bd0f4a797777940fad13"


def main() -> int:
    """Makes or completes the environment whose folder is the first argument."""
    if sys.version_info < OLDEST:
        return _with_a_newer_python()
    where = Path(sys.argv[1])
    python = where / "bin" / "python"
    if not python.exists():
        import venv

        print(f"making {where} with Python {sys.version.split()[0]}")
        venv.create(where, symlinks=True, with_pip=False)
    if not _runs(python, "-m", "pip", "--version"):
        _install_pip(python)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    locked = ["--require-hashes", "--only-binary", ":all:"]
    print("installing the locked dependencies")
    done = subprocess.call([*pip, *locked, "--requirement", str(ROOT / "requirements" / "dev.txt")])
    if done == 0:
        done = subprocess.call([*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)])
    return done


def _with_a_newer_python() -> int:
    """Starts again with the newest Python that is new enough, or says what to do."""
    for name in KNOWN:
        found = shutil.which(name)
        if found and _runs(Path(found), "-c", "import venv"):
            return subprocess.call([found, *sys.argv])
    version = ".".join(str(part) for part in sys.version_info[:3])
    print(
        f"gpuobs needs Python 3.11 to 3.14, and {sys.executable} is {version}.\n"
        "Install a newer one beside it (for example: apt-get install python3.12) and run\n"
        "    make build PYTHON=python3.12",
        file=sys.stderr,
    )
    return 2


def _runs(python: Path, *arguments: str) -> bool:
    quiet = subprocess.DEVNULL
    return subprocess.call([str(python), *arguments], stdout=quiet, stderr=quiet) == 0


def _install_pip(python: Path) -> None:
    if importlib.util.find_spec("ensurepip") and _runs(python, "-m", "ensurepip"):
        return
    print("this Python comes without pip: fetching it")
    with tempfile.TemporaryDirectory() as folder:
        wheel = Path(folder) / PIP_WHEEL
        wheel.write_bytes(_pip_wheel())
        environment = {**os.environ, "PYTHONPATH": str(wheel)}
        install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel)]
        subprocess.run([str(python), *install], env=environment, check=True)


def _pip_wheel() -> bytes:
    """The pinned pip from the package index that pip itself would ask."""
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/pip/"
    links = re.findall(r'href="([^"#]+)', _get(index).decode())
    for link in links:
        if link.endswith("/" + PIP_WHEEL):
            content = _get(urllib.parse.urljoin(index, link))
            if hashlib.sha256(content).hexdigest() == PIP_SHA256:
                return content
    raise SystemExit(f"{index} has no {PIP_WHEEL} with the sha256 {PIP_SHA256}")


def _get(url: str) -> bytes:
    """What stands at an address. The hash proves it, so a machine without certificates can fetch it too."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with urllib.request.urlopen(url, context=context, timeout=60) as answer:
        content: bytes = answer.read()
    return content


if __name__ == "__main__":
    sys.exit(main())
