"""The installed package, wherever it was installed from."""

import subprocess
import sys
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

import pytest


def test_data_files_are_in_the_package():
    assert files("graphmem.ontology").joinpath("relations.toml").is_file()
    assert files("graphmem.ontology").joinpath("graphmem.ttl").is_file()
    assert files("graphmem.ontology").joinpath("shapes.ttl").is_file()
    assert files("graphmem.ontology").joinpath("queries", "trace.rq").is_file()
    assert files("graphmem.data").joinpath("tokenizer.json").is_file()
    assert files("graphmem.data").joinpath("LICENSE.tokenizer").is_file()
    assert any(files("graphmem.data").joinpath("transcripts").iterdir())


INSTALLED = not Path(str(files("graphmem"))).parent.joinpath("pyproject.toml").is_file()


@pytest.mark.skipif(not INSTALLED, reason="runs against the installed wheel, not against the checkout")
def test_only_one_name_is_put_at_the_top_of_site_packages():
    listed = distribution("graphmem").files or []
    tops = {path.parts[0] for path in listed if path.parts[0] != ".." and not path.parts[0].endswith(".dist-info")}
    tops = {name for name in tops if not name.startswith("__editable__")} - {"__pycache__"}
    assert tops <= {"graphmem"}


def test_the_core_does_not_need_torch():
    requires = [r for r in distribution("graphmem").requires or [] if "extra" not in r]
    assert not any(r.startswith(("torch", "sentence-transformers", "transformers")) for r in requires)


def test_the_command_line_starts_and_lists_its_commands():
    out = subprocess.run([sys.executable, "-m", "graphmem", "--help"], capture_output=True, text=True, check=True)
    for name in ("ingest", "recall", "changes", "trace", "contradictions", "verify", "export", "doctor"):
        assert name in out.stdout
