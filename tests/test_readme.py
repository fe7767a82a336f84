"""The README is true: its session, its Python and its commands are run and compared.

`UPDATE_README=1 python -m pytest tests/test_readme.py` writes the session anew.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
pytestmark = pytest.mark.skipif(not README.is_file(), reason="needs the checkout")
BLOCK = re.compile(r"<!-- session -->\n```console\n(.*?)```", re.S)


def plain(text):
    """What differs from run to run made equal: ids, hashes, the seconds taken, the day of recording."""
    text = re.sub(r"\bs_[0-9a-f]{4,24}", "s_ID", text)
    text = re.sub(r"\b[0-9a-f]{16,64}\b", "HASH", text)
    text = re.sub(r"in \d+\.\d s", "in T s", text)
    text = re.sub(r"(recorded +)\d{4}-\d\d-\d\d", r"\1DAY", text)
    text = re.sub(r"^( +\d+  )\d{4}-\d\d-\d\d", r"\1DAY", text, flags=re.M)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def commands(block):
    """The commands of a console block, each with the output that is shown for it."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in found]


def run(command, home):
    words = shlex.split(command)
    assert words[0] == "graphmem", command
    environment = {**os.environ, "GRAPHMEM_HOME": str(home), "TQDM_DISABLE": "1", "PYTHONWARNINGS": "ignore"}
    out = subprocess.run(
        [sys.executable, "-m", "graphmem", *words[1:]], capture_output=True, text=True, env=environment, cwd=ROOT, check=False
    )
    assert out.returncode == 0, f"{command}: {out.stderr}"
    return out.stdout


def with_real_ids(command, shown, seen):
    """Put the id of this run in the place of the id that the README shows on the same line."""
    for id_ in re.findall(r"s_[0-9a-f]{4,24}", command):
        line = next(text for text in shown.splitlines() if id_ in text)
        real = next(text for text in seen.splitlines() if plain(text) == plain(line))
        command = command.replace(id_, re.search(r"s_[0-9a-f]{4,24}", real).group())
    return command


def test_the_session_prints_what_the_readme_shows(tmp_path):
    text = README.read_text(encoding="utf-8")
    block = BLOCK.search(text).group(1)
    shown, seen, fresh = "", "", []
    for command, expected in commands(block):
        out = run(with_real_ids(command, shown, seen), tmp_path)
        fresh.append(f"$ {command}\n{out.rstrip()}\n")
        if os.environ.get("UPDATE_README"):
            expected = out
        else:
            assert plain(out) == plain(expected), command
        shown, seen = shown + expected + "\n", seen + out
    if os.environ.get("UPDATE_README"):
        README.write_text(text.replace(block, "\n".join(fresh)), encoding="utf-8")


def test_the_python_of_the_readme_prints_what_it_says(tmp_path):
    text = README.read_text(encoding="utf-8")
    found = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", text, re.S)
    assert len(found) == text.count("```python\n") > 0
    for code, expected in found:
        out = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
        )
        assert out.returncode == 0, out.stderr
        assert out.stdout.strip() == expected.strip()


def test_every_command_and_status_is_in_the_readme():
    from graphmem.cli.options import COMMANDS
    from graphmem.model import STATUSES

    text = README.read_text(encoding="utf-8")
    assert [name for name in COMMANDS if name not in text] == []
    assert [name for name in STATUSES if f"`{name}`" not in text and name != "expired"] == []


def test_the_two_commands_are_the_first_ones():
    text = README.read_text(encoding="utf-8")
    first, second = re.findall(r"```sh\n(.*?)```", text, re.S)[:2]
    assert first == "pip install -e .\ngraphmem demo\n"
    assert second == "pip install -e '.[dev]' && python -m pytest -n auto\n"
