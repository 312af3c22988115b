"""The plugin as people have it: fixtures, marks, failures, workers, a server that runs, none at all."""
import json
import os
import pathlib
import re
import subprocess
import time
import urllib.error
import urllib.request

import pytest

PLUGIN = pathlib.Path(__file__).parents[2] / "clients" / "python"


@pytest.fixture
def suite(pytester, monkeypatch, request):
    """Runs tests of somebody's: the outcome. The plugin is the installed one, where this run has it by its entry point."""
    installed = request.config.pluginmanager.has_plugin("understudy")

    def run(text, *args):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess(*([] if installed else ["-p", "understudy_pytest"]), *args, timeout=60)

    if not installed:
        monkeypatch.setenv("PYTHONPATH", str(PLUGIN))
    return run


def test_the_entry_point_names_the_module():
    text = (PLUGIN / "pyproject.toml").read_text(encoding="utf-8")
    (module,) = re.findall(r'\[project.entry-points.pytest11\]\nunderstudy = "(\w+)"\n', text)
    assert (PLUGIN / f"{module}.py").is_file()
    assert f'py-modules = ["{module}"]' in text
    source = (PLUGIN / f"{module}.py").read_text(encoding="utf-8")
    version = re.search(r'__version__ = "(.*)"', source)[1]
    assert f'version = "{version}"' in text


def test_the_readme(suite):
    example = re.search(r"```python\n(.*?)```", (PLUGIN / "README.md").read_text(encoding="utf-8"), re.S)[1]
    suite(example).assert_outcomes(passed=1)
    failed = suite(example.replace('text="@tom.okafor"', 'text="nobody"'))
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(["*FAILED  expect[[]0[]]: no message matched; the nearest differs in plain*"])


def test_marks_say_what_the_world_is_and_each_test_has_its_own(suite):
    suite("""
        import pytest
        pytestmark = pytest.mark.understudy(fixture="demo", seed=7)
        seen = []

        def test_module(world):
            world.person("jon.abel").say("#general", "hello")
            seen.append((world.id, world.diff()["inserts"]))

        @pytest.mark.understudy(seed=8, rate_limits="real")
        def test_nearest_wins(world):
            assert world.credentials.fixture_password
            seen.append((world.id, world.diff()["inserts"]))

        @pytest.mark.understudy(fixture=None, clock="2026-03-02T09:00:00Z")
        def test_without_fixture(world, understudy):
            assert "fixture_password" not in world.credentials
            with understudy.fork(environment=world.id, clock="2027-01-01T00:00:00Z") as other:
                assert other.advance("1m").clock.now == "2027-01-01T00:01:00Z"
            with pytest.raises(RuntimeError, match="is deleted"):
                other.faults()

        def test_all():
            assert len({id for id, _ in seen}) == 2
            assert [len(inserts) for _, inserts in seen] == [1, 0]
    """).assert_outcomes(passed=4)


def test_a_failure_shows_the_evidence_and_no_frames_of_the_helper(suite):
    result = suite("""
        import pytest
        pytestmark = pytest.mark.understudy(fixture="demo", seed=7)

        def test_expect(world):
            world.expect({"inserted": "crm.contact"}, nothing_else=True)

        def test_verdict(world):
            assert world.verdict({"expect": [{"inserted": "crm.contact"}]}).passed

        def test_refused(world):
            world.person("nobody").say("#general", "hello")
    """)
    result.assert_outcomes(failed=3)
    out = str(result.stdout)
    assert out.count("FAILED  expect[0]: no contact was inserted") >= 2
    assert "UnderstudyError: POST" in out and "(person_not_found)" in out
    assert "def _checked" not in out


def test_workers_have_worlds_of_their_own(suite):
    pytest.importorskip("xdist")
    suite("""
        import pytest

        @pytest.mark.understudy(fixture="demo", seed=7)
        @pytest.mark.parametrize("n", range(4))
        def test_it(world, n):
            world.person("jon.abel").say("#general", "hello")
            world.expect({"inserted": "messaging.message", "by": "person"})
    """, "-n", "2").assert_outcomes(passed=4)


@pytest.fixture
def server(tmp_path):
    """A server that runs: (address of the admin plane, key)."""
    process = subprocess.Popen([os.environ["UNDERSTUDY_BIN"], "serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data", "--temporary"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    while not process.stdout.readline().startswith("Credentials"):
        pass
    admin = json.loads((tmp_path / "data" / "credentials.json").read_text())["admin"]
    yield admin["base_url"], admin["key"]
    process.communicate(timeout=20)


def environments(url, key):
    request = urllib.request.Request(f"{url}/environments", headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request) as reply:
        return [e["id"] for e in json.load(reply)["environments"]]


def test_a_server_that_runs(suite, server, monkeypatch):
    monkeypatch.setenv("UNDERSTUDY_ADMIN_URL", server[0] + "/")
    monkeypatch.setenv("UNDERSTUDY_ADMIN_KEY", server[1])
    monkeypatch.setenv("UNDERSTUDY_BIN", "/nowhere")
    test = """
        def test_good(world):
            world.nothing_else()

        def test_bad(world):
            world.expect({"inserted": "crm.contact"})
    """
    suite(test).assert_outcomes(passed=1, failed=1)
    assert environments(*server) == ["default"]
    monkeypatch.setenv("UNDERSTUDY_KEEP", "1")
    out = str(suite(test, "-s").stdout)
    (kept,) = set(re.findall(r"fork: http://\S+/e/(\w+)", out))
    assert kept in environments(*server)
    assert len(environments(*server)) == 3, "default, what was forked, and the fork of the test that failed"
    monkeypatch.delenv("UNDERSTUDY_ADMIN_KEY")
    suite(test).stdout.fnmatch_lines(["*UNDERSTUDY_ADMIN_KEY must hold*"])


def test_without_a_program(suite, monkeypatch):
    monkeypatch.delenv("UNDERSTUDY_BIN")
    monkeypatch.setenv("PATH", "/nowhere")
    result = suite("def test_it(world): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*understudy was not found: put the program on PATH or name it in UNDERSTUDY_BIN, or use a server that runs with*"])


def test_the_server_ends_with_the_run(suite, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    result = suite("""
        import os

        def test_it(world):
            print(world.url)
            os.kill(os.getpid(), 9)
    """, "-s")
    url = re.search(r"http://\S+", str(result.stdout))[0]
    began = time.monotonic()
    while answers(url) or list(tmp_path.glob("understudy-test-*")):
        assert time.monotonic() - began < 10, "the server or its data folder is left"
        time.sleep(0.02)


def answers(url):
    try:
        urllib.request.urlopen(url).close()
    except urllib.error.HTTPError:
        pass
    except OSError:
        return False
    return True
