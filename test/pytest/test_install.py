"""The package as pip installs it: its tests pass in an empty folder, with nothing of the clone on the path."""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = ROOT / "clients" / "python"


def test_the_installed_package(tmp_path):
    for module in ("setuptools", "ensurepip", "venv"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"no {module}")
    if sys.prefix != sys.base_prefix:
        pytest.skip("a virtual environment does not see the packages of another")
    # Without an index: what the package is built with and depends on is that of this Python. pip builds in the folder.
    clone, venv, suite = tmp_path / "clients" / "python", tmp_path / "venv", tmp_path / "suite" / "test" / "pytest"
    shutil.copytree(PACKAGE, clone)
    environ = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")}
    command(environ, tmp_path, sys.executable, "-m", "venv", "--system-site-packages", venv)
    python = venv / ("Scripts" if os.name == "nt" else "bin") / "python"
    command(environ, tmp_path, python, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--disable-pip-version-check", "./clients/python")
    suite.mkdir(parents=True)
    (tmp_path / "suite" / "clients").mkdir()
    shutil.copy(ROOT / "clients" / "cases.json", tmp_path / "suite" / "clients")
    shutil.copy(ROOT / "test" / "pytest" / "test_cases.py", suite)
    readme = re.search(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.S)[1]
    (suite / "test_bot.py").write_text(readme, encoding="utf-8")
    (suite / "test_where.py").write_text(f"import understudy_pytest\n\ndef test_where():\n    assert understudy_pytest.__file__.startswith({str(venv)!r})\n", encoding="utf-8")
    out = command(environ, suite, python, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert int(re.search(r"(\d+) passed", out)[1]) > 5
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    for left in {one.name for one in clone.iterdir()} - {one.name for one in PACKAGE.iterdir()}:
        assert any(pathlib.PurePath(left).match(line.rstrip("/").removeprefix("/clients/python/")) for line in ignored), f"pip leaves {left} in the clone"


def command(environ, folder, *words):
    """Run a program, which must succeed: its output."""
    done = subprocess.run([str(word) for word in words], cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0, done.stdout
    return done.stdout
