"""The table that all helpers run."""
import json
import pathlib
import re
import urllib.error
import urllib.request

import pytest
from understudy_pytest import UnderstudyError

CASES = json.loads((pathlib.Path(__file__).parents[2] / "clients" / "cases.json").read_text(encoding="utf-8"))["cases"]
TOKEN = {"messaging": "bot_token", "crm": "access_token", "tracker": "api_key"}


def dig(value, path):
    for name in path.split(".") if path else []:
        if isinstance(value, list):
            value = value[int(name)] if int(name) < len(value) else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def fill(value, kept):
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\.([\w.]+)\}", lambda m: str(dig(kept[m[1]], m[2])) if m[1] in kept else m[0], value)
    if isinstance(value, list):
        return [fill(one, kept) for one in value]
    if isinstance(value, dict):
        return {name: fill(one, kept) for name, one in value.items()}
    return value


def act(person, name, body, options):
    if name == "inbox":
        return person.inbox(**body)
    if name == "wait":
        body = {"from_" if k == "from" else k: v for k, v in body.items()}
        return person.wait(**body, **options)
    return getattr(person, name)(**body)


def request(world, service, path, body):
    credentials = world.credentials[service]
    sent = urllib.request.Request(credentials.api_url + path, data=json.dumps(body).encode(),
                                  headers={"Authorization": f"Bearer {credentials[TOKEN[service]]}", "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(sent) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as refused:
        return json.load(refused)


def run(world, step):
    if "person" in step:
        return act(world.person(step["person"]), step["act"], step["body"], step.get("options", {}))
    if "call" in step:
        return request(world, step["call"], step["path"], step["body"])
    if "settle" in step:
        return world.settle(**step["settle"])
    if "expect" in step:
        return world.expect(step["expect"], **step.get("more", {}))
    if "nothing_else" in step:
        return world.nothing_else(**(step["nothing_else"] if isinstance(step["nothing_else"], dict) else {}))
    for verb in ("verdict", "fault", "advance", "trace"):
        if verb in step:
            return getattr(world, verb)(step[verb])
    for verb in ("env", "faults"):
        if verb in step:
            return getattr(world, verb)()
    assert "credentials" in step, f"the table has an unknown step {step}"
    return world.credentials


def check(step, do, kept):
    if "refused" in step:
        with pytest.raises(UnderstudyError) as refused:
            do()
        assert refused.value.code == step["refused"]
        return None
    if "fails" in step:
        with pytest.raises(AssertionError) as failed:
            do()
        for text in fill(step["fails"], kept):
            assert text in str(failed.value)
        return None
    reply = do()
    if "as" in step:
        kept[step["as"]] = reply
    for path, want in fill(step.get("gives", {}), kept).items():
        got = dig(reply, path)
        if isinstance(want, dict) and "contains" in want:
            assert want["contains"] in str(got), path
        elif isinstance(want, dict) and "length" in want:
            assert len(got) == want["length"], path
        else:
            assert got == want, path
    return reply


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(understudy, case):
    world = check({"refused": case["refused"]} if "refused" in case else {}, lambda: understudy.fork(**case["fork"]), {})
    kept = {}
    for step in case["steps"]:
        check(step, lambda: run(world, fill(step, kept)), kept)  # noqa: B023
    if world:
        world.delete()
