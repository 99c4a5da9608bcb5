"""What the week came to, printed."""

from tests.support.week.working import Week


def report(week: Week) -> None:
    """Print what the week came to."""
    for question, place in week.right.items():
        print(f"{place or '-'}  {question}")
        for text in week.found[question] if place is None else ():
            print(f"     {text[:300]!r}")
    print(f"{week.score} of {len(week.right)} right")
    print(f"memory per session: {week.carried}, sum {sum(week.carried):,}")
    print(f"transcripts whole:  {week.whole}, sum {sum(week.whole):,}")
    print(f"dialogue alone:     {week.dialogue}, sum {sum(week.dialogue):,}")
    print(f"the twenty answers: {week.asking:,} tokens")
