"""What must never appear in the source of the graph: string-built queries, unsafe settings, fragile schema."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import graphmem.graph
from graphmem.errors import InputError
from graphmem.graph import copies, queries, schema

FOLDER = Path(graphmem.graph.__file__).parent
MODULES = sorted(FOLDER.glob("*.py"))
DDL = schema.definitions(384)


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def texts(node: ast.AST) -> list[str]:
    return [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def looks_like_cypher(text: str) -> bool:
    return bool(re.match(r"\s*(MATCH|CREATE|UNWIND|MERGE|CALL|COPY|DROP|ALTER|RETURN|BEGIN TRANSACTION)\b", text))


def all_queries() -> dict[str, str]:
    found = {}
    for name, value in vars(queries).items():
        if name.isupper():
            for table, text in value.items() if isinstance(value, dict) else [("", value)]:
                if isinstance(text, str):
                    found[f"{name} {table}".strip()] = text
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_query_is_built_from_parts(path):
    for node in ast.walk(tree(path)):
        built = (
            isinstance(node, ast.JoinedStr)
            or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod))
            or (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in {"format", "format_map", "join", "replace", "substitute"}
            )
        )
        if built:
            assert not any(looks_like_cypher(text) for text in texts(node)), (path.name, node.lineno)


@pytest.mark.parametrize("name", ["queries.py", "copies.py"])
def test_the_modules_of_queries_hold_only_literals(name):
    for node in tree(FOLDER / name).body:
        assert isinstance(node, ast.Expr | ast.Assign | ast.ImportFrom), ast.unparse(node)[:80]
        for part in ast.walk(node):
            assert not isinstance(part, ast.JoinedStr | ast.BinOp | ast.Call), (part, node.lineno)


def test_what_is_asked_comes_from_the_module_of_queries_or_is_a_constant():
    """The first argument of each call that reaches the engine is a name, an attribute or an item of a table."""
    for path in MODULES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                asking = {"query", "run", "execute", "execute_each", "execute_once", "prepare", "each", "_by_ids", "_walk"}
                if name in asking and node.args and path.name != "probe.py":
                    assert isinstance(node.args[0], ast.Name | ast.Attribute | ast.Subscript), (path.name, node.lineno)


def test_only_the_dimension_is_put_into_a_definition():
    found = [
        node
        for node in ast.walk(tree(FOLDER / "schema.py"))
        if isinstance(node, ast.Call) and "replace" in ast.unparse(node.func)
    ]
    assert len(found) == 1 and "checked_dimension" in ast.unparse(tree(FOLDER / "schema.py"))
    differing = [(one, two) for one, two in zip(schema.definitions(3), schema.definitions(4), strict=True) if one != two]
    assert len(differing) == 1 and differing[0][0].replace("[3]", "[4]") == differing[0][1]
    with pytest.raises(InputError):
        schema.definitions("3] ) //")  # type: ignore[arg-type]


def test_queries_do_not_delete_merge_or_checkpoint():
    for name, text in all_queries().items():
        assert not re.search(r"\b(DELETE|MERGE|CHECKPOINT|COPY|DROP|ALTER|CALL)\b", text), name


@pytest.mark.parametrize("table", schema.TABLES)
def test_a_copy_takes_every_column_of_its_table_from_the_file_of_that_name(table):
    pattern = rf"COPY {table} FROM \(LOAD WITH HEADERS \((.*)\) FROM '(\w+)\.csv' \((.*?)\) RETURN (.*)\)"
    found = re.fullmatch(pattern, copies.COPY[table])
    assert found is not None
    headers, file, options, values = found.groups()
    assert file == table and options == "HEADER=false, PARALLEL=false, ESCAPE='\"'"
    names = tuple(part.strip("`") for part in headers.removesuffix(" STRING").split(" STRING, "))
    assert names == schema.COLUMNS[table]
    parts = re.split(r", (?=(?:CAST|coalesce|nullif)\()", values)
    assert tuple(re.sub(r"^(?:\w+\()+`?(\w+).*$", r"\1", part) for part in parts) == names
    for name, part in zip(names, parts, strict=True):
        assert ("nullif" in part) == (name in schema.OPTIONAL_TEXTS | schema.OPTIONAL_TIMES)


def test_only_a_new_file_is_copied_into_and_folded():
    """Both write into the file itself, which must not be one in use: `fill` alone asks for them."""
    assert copies.COPY.keys() == set(schema.TABLES)
    for path in MODULES:
        source = tree(path)
        said = [text for text in texts(source) if re.match(r"\s*(COPY|CHECKPOINT)\b", text)]
        assert said == [] or path.name == "copies.py" or (path.name, said) == ("engine.py", ["CHECKPOINT"])
        for node in ast.walk(source):
            if isinstance(node, ast.ImportFrom) and "copies" in f"{node.module} {[name.name for name in node.names]}":
                assert path.name == "fill.py"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr == "copy":
                    assert path.name == "fill.py" or ast.unparse(node) == "before.copy()", (path.name, node.lineno)
                if node.func.attr == "checkpoint":
                    assert path.name == "fill.py" or ast.unparse(node) == "self._driver.checkpoint()", (path.name, node.lineno)


def test_every_table_has_its_queries():
    assert queries.COUNTS.keys() == queries.DUMP.keys() == set(schema.TABLES) == schema.COLUMNS.keys()
    assert queries.CREATE_NODES.keys() == queries.EXISTING_NODES.keys() == queries.SAMPLE.keys() == set(schema.NODE_TABLES)
    assert queries.CREATE_EDGES.keys() == set(schema.EDGE_TABLES)
    assert queries.RETIRE_LINKS.keys() == set(schema.LINK_TABLES)
    known = queries.EXISTING_EDGES.keys() | queries.EXISTING_PAIRS.keys()
    assert known == set(schema.EDGE_TABLES) - {"IN_SESSION", "NEXT"}


def test_primary_keys_are_strings():
    tables = [statement for statement in DDL if statement.startswith("CREATE NODE TABLE")]
    assert len(tables) == 6
    for statement in tables:
        assert len(re.findall(r"\w+ STRING PRIMARY KEY", statement)) == statement.count("PRIMARY KEY") == 1


def test_edge_tables_have_one_pair_of_ends_and_no_nested_columns():
    edges = [statement for statement in DDL if statement.startswith("CREATE REL TABLE")]
    assert len(edges) + 6 == len(DDL)
    for statement in edges:
        assert statement.count("FROM ") == statement.count(" TO ") == 1
    for statement in DDL:
        assert not re.search(r"\b(MAP|STRUCT|UNION|SERIAL|TIMESTAMP_TZ)\b|\[\]", statement)
        assert re.findall(r"\[\d+\]", statement) == (["[384]"] if " Vector(" in statement else [])


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_the_engine_never_checkpoints_on_its_own(path):
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.keyword) and node.arg == "auto_checkpoint":
            assert isinstance(node.value, ast.Constant) and node.value.value is False
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "auto_checkpoint":
                    assert isinstance(value, ast.Constant) and value.value is False
        assert not (isinstance(node, ast.Constant) and "force_checkpoint_on_close=true" in str(node.value))
    if path.name == "engine.py":
        source = path.read_text("utf-8")
        assert '"auto_checkpoint": False' in source and "force_checkpoint_on_close=false" in source


def test_engines_are_imported_in_one_place_and_on_use():
    for path in MODULES:
        for node in ast.walk(tree(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] in {"kuzu", "ladybug"} for name in names), path.name
            if isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
                assert path.name == "engine.py"


def test_importing_the_graph_is_light():
    code = (
        "import sys, graphmem.graph.generations, graphmem.graph.reference, graphmem.views;"
        "print([m for m in ('kuzu', 'ladybug', 'numpy', 'networkx') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
