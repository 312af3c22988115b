"""Worlds of Understudy for pytest: fork one for each test, act as its people, check what changed.

A thin client of the admin plane: each method sends one or two requests. The fixtures are `world`, a fork for one
test, and `understudy`, which creates further ones. `@pytest.mark.understudy(fixture="demo", seed=7)`
sets the options of the worlds of a test, class or module.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request

import pytest

__version__ = "0.1.0"

# What stands behind the base URL of a service for its official client.
_API = {"messaging": "/api/", "crm": "/api", "tracker": "/graphql", "ingest": ""}

# Options that say what the world is. Worlds with equal ones are forks of one environment.
_MAKES = ("fixture", "document", "seed", "clock")

_FLAGS = ["serve", "--listen", "127.0.0.1:0", "--rate-limits", "off", "--log-level", "error"]


class Record(dict):
    """A JSON object, whose members can be read as attributes too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class UnderstudyError(Exception):
    """An error reply of the server."""

    def __init__(self, status, body, what):
        error = body.get("error", {}) if isinstance(body, dict) else {}
        self.status = status
        self.code = error.get("code")
        self.body = body
        if self.code:
            super().__init__(f"{what}: {error.get('message')} ({self.code})")
        else:
            super().__init__(f"{what}: status {status} and no JSON: is this the admin plane?")


class VerdictError(AssertionError):
    """A verdict that did not pass, with the evidence; `verdict` is the verdict."""

    def __init__(self, verdict, address=""):
        super().__init__(explain(verdict) + (f"\nfork: {address}" if address else ""))
        self.verdict = verdict


class Verdict(Record):
    """The result of a verdict document. `passed` is true if all checks passed; str() shows the evidence."""

    @property
    def passed(self):
        return self["verdict"] == "passed"

    def __str__(self):
        return explain(self)

    __repr__ = __str__


def explain(verdict):
    """Format a verdict: a line for each check, with the evidence below those that did not pass."""
    lines = [f"verdict: {verdict['verdict']}, score {verdict['score']}"]
    for check in verdict["checks"]:
        result = {True: "ok", False: "FAILED"}.get(check["passed"], "unknown")
        lines.append(f"{result:<7} " + ": ".join(text for text in (check["id"], check.get("name"), check.get("message")) if text))
        if check["passed"] is not True:
            lines.extend("        " + line for line in _evidence(check["evidence"]))
    return "\n".join(lines)


def _evidence(evidence):
    def change(c):
        return f"{c['op']} {c['service']}.{c['entity']} {c['key']}{causes(c)}"

    def causes(of):
        said = ", ".join(f"request {c['seq']} {c.get('operation', '')}".rstrip() for c in of.get("cause") or [])
        return f" ({said})" if said else ""

    def plain(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    for near in evidence.get("near", []):
        differs = "; ".join(f"{f['field']} is {plain(f['found'])}, wanted {plain(f['wanted'])}" for f in near["failed"])
        yield f"near: {near['key']}: {differs}{causes(near)}"
    for c in evidence.get("matched", []):
        yield f"matched: {change(c)}"
    for c in evidence.get("left", []):
        yield f"left: {change(c)}"
    for r in evidence.get("requests", []):
        yield f"request {r['seq']}: {r['operation']} {r['status']}"


def find_binary():
    """Return the path of the program: UNDERSTUDY_BIN, or `understudy` on PATH."""
    given = os.environ.get("UNDERSTUDY_BIN")
    if given:
        if os.path.isfile(given) and os.access(given, os.X_OK):
            return given
        raise RuntimeError(f"UNDERSTUDY_BIN names no program: {given}")
    found = shutil.which("understudy")
    if found:
        return found
    raise RuntimeError(
        "understudy was not found: put the program on PATH or name it in UNDERSTUDY_BIN, "
        "or use a server that runs with UNDERSTUDY_ADMIN_URL and UNDERSTUDY_ADMIN_KEY"
    )


def _keeps():
    return os.environ.get("UNDERSTUDY_KEEP") == "1"


class Understudy:
    """A server, which is found or started for the first world."""

    def __init__(self):
        self._lock = threading.Lock()
        self._bases = {}  # id by options
        self._url = self._key = self._process = None

    def fork(self, environment=None, **options):
        """Fork a world: from an environment, or from one created with fixture, document, seed and clock."""
        options = _given(**options)
        if environment is None:
            environment = self._base({name: options.pop(name) for name in _MAKES if name in options})
        elif "fixture" in options or "document" in options:
            raise TypeError("environment goes with neither fixture nor document: it is there already")
        body = {"ephemeral": True, "credentials": "fresh", "recordings": "full"}
        if not _keeps():
            body["ttl_seconds"] = 3600
        body.update(options)
        return World(self, self.call("POST", f"/environments/{_quoted(environment)}/fork", body))

    def call(self, method, path, body=None, text=False):
        """Send a request to the admin plane and return the reply. A string as body is YAML."""
        self._open()
        data = body if isinstance(body, str) else None if body is None else json.dumps(body)
        request = urllib.request.Request(self._url + path, method=method, data=None if data is None else data.encode())
        request.add_header("Authorization", f"Bearer {self._key}")
        request.add_header("Content-Type", "application/yaml" if isinstance(body, str) else "application/json")
        try:
            with _direct.open(request, timeout=120) as reply:
                said = reply.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                try:
                    body = json.loads(refused.read(), object_hook=Record)
                except ValueError:
                    body = None
            raise UnderstudyError(refused.code, body, f"{method} {path}") from None
        except urllib.error.URLError as error:
            raise RuntimeError(f"{self._url} does not answer: {error.reason}") from None
        return said if text else json.loads(said, object_hook=Record) if said else None

    def close(self):
        """Stop the server if it was started here; otherwise delete the environments that worlds were forked from."""
        with self._lock:
            process, self._process = self._process, None
        if process:
            process.stdin.close()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        elif self._url and not _keeps():
            for base in self._bases.values():
                try:
                    self.call("DELETE", f"/environments/{base}")
                except (UnderstudyError, RuntimeError):
                    pass  # it ends by itself
        self._bases.clear()
        self._url = None

    def _base(self, made):
        key = json.dumps(made, sort_keys=True)
        self._open()
        with self._lock:
            if key not in self._bases:
                body = {"rate_limits": "off", "ephemeral": True, "ttl_seconds": 86_400, "name": "base of tests", **made}
                self._bases[key] = self.call("POST", "/environments", body)["id"]
            return self._bases[key]

    def _open(self):
        if self._url:
            return
        with self._lock:
            if self._url:
                return
            url = os.environ.get("UNDERSTUDY_ADMIN_URL")
            if not url:
                self._start()
                return
            self._key = os.environ.get("UNDERSTUDY_ADMIN_KEY")
            if not self._key:
                raise RuntimeError("UNDERSTUDY_ADMIN_URL is set: UNDERSTUDY_ADMIN_KEY must hold the key of that admin plane")
            self._url = url.rstrip("/")

    def _start(self):
        keep = _keeps()
        binary = find_binary()
        folder = tempfile.mkdtemp(prefix="understudy-test-")
        # With --temporary the server ends with this process, however that ends, and removes the folder.
        process = subprocess.Popen(
            [binary, *_FLAGS, "--data", folder, *([] if keep else ["--temporary"])],
            env={name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")},
            stdin=subprocess.DEVNULL if keep else subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=keep, text=True,
        )
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("Credentials are in"):
                break
        else:
            shutil.rmtree(folder, ignore_errors=True)
            raise RuntimeError(f"understudy did not start: it ended with {process.wait()}\n{''.join(said)}")
        with open(os.path.join(folder, "credentials.json"), encoding="utf-8") as file:
            admin = json.load(file)["admin"]
        # What the server writes from now on must not fill the pipe.
        threading.Thread(target=lambda: [None for _ in process.stdout], daemon=True).start()
        if keep:
            sys.stderr.write(f"understudy stays: {admin['base_url']}, credentials in {folder}/credentials.json; end it with: kill {process.pid}\n")
            process.returncode = 0  # it is nobody's child any more
        else:
            self._process = process
            atexit.register(self.close)
        self._url, self._key = admin["base_url"], admin["key"]


# Without the proxies of the environment: the server is on this machine, or where the variables say.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _quoted(part):
    return urllib.parse.quote(part, safe="")


def _given(**members):
    return {name: value for name, value in members.items() if value is not None}


class World:
    """A fork. `credentials` are as in credentials.json; `api_url` is the base URL for the official client of a service."""

    def __init__(self, server, credentials):
        self._server = server
        self._expected = []
        self._deleted = False
        self.id = credentials.pop("id")
        self._path = f"/environments/{self.id}"
        for service, behind in _API.items():
            credentials[service]["api_url"] = credentials[service]["base_url"] + behind
        self.credentials = credentials
        self.url = credentials["messaging"]["base_url"][: -len("/messaging")]

    def __repr__(self):
        return f"<World {self.url}>"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.delete()

    def call(self, method, path, body=None, text=False):
        """Send a request to a path of this world on the admin plane."""
        if self._deleted:
            raise RuntimeError(f"the world {self.id} is deleted")
        return self._server.call(method, self._path + path, body, text)

    def person(self, name, tenant=None):
        """Return a person: "messaging/jon.abel", by id, handle or e-mail address."""
        service, slash, who = name.partition("/")
        return Person(self, *((service, who) if slash else ("messaging", name)), tenant)

    def settle(self, **options):
        """Wait until no request, delivery or interaction is in progress. Options: quiet_ms, timeout_ms."""
        return self.call("POST", "/settle", options)

    def fault(self, rule):
        """Add a fault rule, or a list of them."""
        return self.call("POST", "/faults", {"faults": rule} if isinstance(rule, list) else rule)

    def faults(self):
        """Return the fault rules, with the number of matches and firings of each."""
        return self.call("GET", "/faults")["faults"]

    def advance(self, duration):
        """Advance the clock: "5m", "90s"."""
        return self.call("POST", "/clock", {"advance": duration})

    def env(self):
        """Return the environment variables that a program needs to reach this world: SLACK_BOT_TOKEN and so on."""
        lines = self.call("GET", "/credentials?format=env", text=True).splitlines()
        return dict(line.split("=", 1) for line in lines if line)

    def diff(self, **query):
        """Return the changes since the fork."""
        return self.call("GET", "/diff?" + urllib.parse.urlencode(query))

    def verdict(self, document):
        """Return the verdict on a document, a dict or YAML text. It does not raise if checks fail."""
        return Verdict(self.call("POST", "/verdict", document))

    def expect(self, expectation, **more):
        """Raise an AssertionError with the evidence unless all checks pass. Accepts one expectation or a list, with
        further members of the document as keywords, or a whole document as YAML text."""
        __tracebackhide__ = True
        if isinstance(expectation, str):
            return self._checked(self.verdict(expectation))
        wanted = expectation if isinstance(expectation, list) else [expectation]
        verdict = self.verdict({**more, "expect": wanted})
        self._expected += wanted
        return self._checked(verdict)

    def nothing_else(self, **options):
        """Raise an AssertionError if the agent made changes that no earlier expect of this world matched."""
        __tracebackhide__ = True
        verdict = self.verdict({"expect": self._expected, "nothing_else": options or True})
        checks = [check for check in verdict["checks"] if check["id"] == "nothing_else"]
        result = "passed" if all(check["passed"] for check in checks) else "failed"
        self._checked(Verdict(verdict, checks=checks, verdict=result))
        return verdict

    def _checked(self, verdict):
        __tracebackhide__ = True
        if not verdict.passed:
            raise VerdictError(verdict, self.url if _keeps() else "")
        return verdict

    def trace(self, session="-"):
        """Return the turns of a session with the requests they caused; without a session, all requests by trace."""
        return self.call("GET", f"/trace/{_quoted(session)}")

    def delete(self):
        """Delete the world. Repeated calls do nothing."""
        if not self._deleted:
            try:
                self.call("DELETE", "")
            except UnderstudyError as error:
                if error.status != 404:
                    raise
            self._deleted = True


class Person:
    """A person of a world. Methods raise UnderstudyError with the service's own error code."""

    def __init__(self, world, service, who, tenant):
        self._world = world
        self._path = f"/people/{_quoted(service)}/{_quoted(who)}"
        self._tenant = _given(tenant=tenant)

    def _address(self, what, **query):
        q = urllib.parse.urlencode({**query, **self._tenant})
        return f"{self._path}/{what}" + (f"?{q}" if q else "")

    def act(self, name, **body):
        """Perform any act by its name, and return the reply."""
        return self._world.call("POST", self._address(_quoted(name)), body)

    def say(self, channel=None, text=None, thread=None, blocks=None):
        """Post to a channel (#name, an id, @handle) or to the thread of a message."""
        return self.act("say", **_given(channel=channel, text=text, thread=thread, blocks=blocks))

    def edit(self, message, text, blocks=None):
        return self.act("edit", **_given(message=message, text=text, blocks=blocks))

    def delete(self, message):
        return self.act("delete", message=message)

    def react(self, message, emoji, remove=None):
        return self.act("react", **_given(message=message, emoji=emoji, remove=remove))

    def click(self, message, action_id, block_id=None):
        return self.act("click", **_given(message=message, action_id=action_id, block_id=block_id))

    def choose(self, message, action_id, values, block_id=None):
        return self.act("choose", **_given(message=message, action_id=action_id, values=values, block_id=block_id))

    def shortcut(self, callback_id, message=None, app=None):
        return self.act("shortcut", **_given(callback_id=callback_id, message=message, app=app))

    def run(self, command, channel):
        """Run a slash command: "/approve 42"."""
        return self.act("run", command=command, channel=channel)

    def join(self, channel):
        return self.act("join", channel=channel)

    def leave(self, channel):
        return self.act("leave", channel=channel)

    def read(self, channel, up_to=None):
        return self.act("read", **_given(channel=channel, up_to=up_to))

    def session(self, kind=None, expires_seconds=None, scopes=None):
        """Create a token for an official client that acts as this person."""
        return self.act("session", **_given(kind=kind, expires_seconds=expires_seconds, scopes=scopes))

    def inbox(self, after=None, limit=None):
        """Return the messages, mentions and answers that the person would be notified of, newest first."""
        return self._world.call("GET", self._address("inbox", **_given(after=after, limit=limit)))["items"]

    def wait(self, kind=None, channel=None, from_=None, thread=None, text=None, after=None, timeout_ms=None):
        """Return the first that fits of what came after the person's last act, however early it came."""
        wanted = _given(kind=kind, channel=channel, thread=thread, text=text, **{"from": from_})
        return self.act("wait", **{"for": wanted}, **_given(after=after, timeout_ms=timeout_ms))["item"]


_failed = pytest.StashKey[bool]()


def pytest_configure(config):
    config.addinivalue_line("markers", "understudy(fixture, document, seed, clock, environment, ...): what the worlds of a test are; options of a fork")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    item.stash.setdefault(_failed, False)
    item.stash[_failed] |= outcome.get_result().failed


@pytest.fixture(scope="session")
def understudy():
    """The server of this test run, of each worker with xdist: understudy.fork(fixture="demo") makes a world."""
    server = Understudy()
    yield server
    server.close()


@pytest.fixture
def world(request, understudy):
    """A world that the test has for itself, as its marks `understudy` say; the nearest mark wins, option by option."""
    options = {}
    for mark in reversed(list(request.node.iter_markers("understudy"))):
        options.update(mark.kwargs)
    made = understudy.fork(**options)
    yield made
    if _keeps() and request.node.stash.get(_failed, False):
        sys.stderr.write(f"understudy keeps {made.url}\n")
    else:
        made.delete()
