"""The same agent with and without memory: perceive, recall, act, on the same questions.

The agent has no language model: it says what its memory can prove, and asks where it cannot.

Run: python examples/with_and_without.py
"""

import tempfile

from conversations import SESSIONS

from graphmem import Memory

QUESTIONS = [
    ("Which town do I live in?", "Ghent"),
    ("Where do I work these days?", "Le Pain Perdu"),
    ("Can I put hazelnuts in the cake?", "hazelnuts"),
    ("Should the recipe be in grams or cups?", "grams"),
    ("What is my cat called?", "Pim"),
    ("When is my birthday?", "15 March"),
]


def answer(question: str, memory: Memory | None) -> str:
    """What the agent says."""
    hits = memory.recall(question, k=3).hits if memory else ()
    for hit in hits:
        if hit.statement is not None and not hit.flags:
            said = hit.statement.evidence[0]
            return f"{hit.statement.text} (you said on {said.said_at:%Y-%m-%d}: “{said.quote}”)"
    return "I don't know; please tell me."


def main() -> None:
    with tempfile.TemporaryDirectory() as home, Memory.open(home, user="noor") as memory:
        memory.ingest(SESSIONS)
        right = {"with": 0, "without": 0}
        for question, expected in QUESTIONS:
            print(question)
            for name, used in (("without", None), ("with", memory)):
                said = answer(question, used)
                right[name] += expected in said
                print(f"  {name:<8} {said}")
        print(f"\nright answers: {right['without']} of {len(QUESTIONS)} without memory, {right['with']} with it")


if __name__ == "__main__":
    main()
