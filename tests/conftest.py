"""Shared settings: Hypothesis profiles, the shared data folder, and memories that close themselves."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile("ci", max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_modifyitems(config, items):
    """Long runs, and those that ask a model, are left out unless they are asked for by `-m long` or `-m model`."""
    asked = config.getoption("-m") or ""
    for name, what in (("long", "long form"), ("model", "asks a language model")):
        for item in items if name not in asked else ():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=f"{what}: run with -m {name}"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared data folder; tests that need it are skipped without it."""
    folder = Path(os.environ.get("GRAPHMEM_SHARED", Path(__file__).parents[1] / ".." / "shared")).resolve()
    if not folder.is_dir():
        pytest.skip("no shared data: set GRAPHMEM_SHARED to its folder")
    return folder
