"""A personal assistant over five sessions in which someone moves and changes jobs.

Run: python examples/assistant.py
"""

import tempfile

from conversations import SESSIONS

from graphmem import Memory


def main() -> None:
    with tempfile.TemporaryDirectory() as home, Memory.open(home, user="noor") as memory:
        for session in SESSIONS:
            report = memory.ingest(session)
            print(f"{session['id']}: {len(report.recorded)} new, {len(report.superseded)} superseded or corrected")

        print("\nWhat holds now")
        profile = memory.profile()
        for statement in (*profile.facts, *profile.preferences, *profile.procedures):
            print(f"  {statement.text}")
        for statement in profile.planned:
            print(f"  planned: {statement.text}")

        print("\nWhat changed")
        for change in memory.changes():
            if change.type in ("superseded", "ended", "corrected") and change.before is not None:
                print(f"  {change.at:%Y-%m-%d} {change.type}: {change.before.text} -> {change.statement.text}")

        print("\nQuestions")
        for question in ("Where do I live?", "Where do I work?", "What am I allergic to?", "How tall is the Eiffel Tower?"):
            found = memory.recall(question)
            if not found.hits:
                print(f"  {question} (nothing in memory)")
                continue
            best = found.hits[0]
            said = best.statement.evidence[0] if best.statement else None
            words = said.quote if said else best.turn.text
            print(f"  {question} {best.statement.text if best.statement else ''} — “{words}”")


if __name__ == "__main__":
    main()
