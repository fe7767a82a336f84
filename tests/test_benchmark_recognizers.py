"""The benchmark of time expressions counts what it says, on a specification of four sentences."""

import json
import runpy
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "benchmarks" / "recognizers.py"


def case(text, words, kind, *values, **more):
    start = text.index(words) if words else 0
    results = [
        {
            "Text": words,
            "Start": start,
            "End": start + len(words) - 1,
            "TypeName": f"datetimeV2.{kind}",
            "Resolution": {"values": list(values)},
        }
    ]
    context = {"ReferenceDateTime": "2025-10-08T12:00:00"}
    return {"Input": text, "Context": context, "Results": results if words else [], **more}


def table(tmp_path, monkeypatch, capsys, rows, *options):
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps(rows), encoding="utf-8-sig")
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), str(spec), *options])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in capsys.readouterr().out.splitlines()]


def test_readings_ranges_and_false_alarms_are_counted_apart(tmp_path, monkeypatch, capsys):
    rows = [
        case("we met on 24 May 2021", "24 May 2021", "date", {"value": "2021-05-24"}),
        case("dated 04/05/2021", "04/05/2021", "date", {"value": "2021-04-05"}),
        case("away June 4 to 9", "June 4 to 9", "daterange", {"start": "2026-06-04", "end": "2026-06-09"}),
        case("out in June", "June", "daterange", {"start": "2026-06-01", "end": "2026-06-20"}),
        case("sold in March 2020", "", "date"),
        case("nothing here", "", "date"),
        case("said on 1 May 2020", "1 May 2020", "date", {"value": "2020-05-01"}, NotSupported="javascript, python"),
    ]
    found = table(tmp_path, monkeypatch, capsys, rows)
    assert ["date", "2", "50.0 %", "50.0 %", "100.0 %"] in found
    assert ["daterange", "2", "0.0 %", "50.0 %", "50.0 %"] in found
    assert ["false alarms", "2", "50.0 %", "", ""] in found
    assert ["date", "3", "66.7 %", "66.7 %", "100.0 %"] in table(tmp_path, monkeypatch, capsys, rows, "--all")
    assert ["false alarms", "1", "0.0 %", "", ""] in table(tmp_path, monkeypatch, capsys, rows, "--half", "odd")
