"""Small labelled sets of the form of the packaged ones, written for the tests of the eval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]
PEOPLE = {"dev": "Mara", "held": "Tobias"}

BIASES = {
    "confirmation": "{} read only the reviews that agreed, and left the others unopened.",
    "anchoring": "The dealer said 900 first, so to {} a price of 700 was a gift, whatever it does.",
    "availability": "After the film {} thinks sharks are what kills most people at sea.",
    "recency": "{} judged the whole season of the team by the match of last night.",
    "representativeness": "He is quiet and reads, so {} takes him for a librarian, not a farmer.",
    "framing": "{} buys what is 90 percent lean and refuses what has 10 percent fat.",
    "sunk_cost": "{} has paid for two years already, so the course must be finished at any price.",
    "attribution": "{} says that colleagues are late from laziness and oneself from traffic.",
    "none": "{} counted the chairs in the hall, wrote the number down and locked the door.",
}
EMOTIONS = {
    "joy": (0.8, 0.7, "{} laughed out loud and was so happy about the letter."),
    "sadness": (-0.8, 0.3, "{} cried all evening and felt terribly sad."),
    "anger": (-0.7, 0.8, "{} was furious and slammed the door in rage."),
    "fear": (-0.8, 0.8, "{} was terrified and did not dare to breathe."),
    "disgust": (-0.7, 0.5, "{} found the rotten soup revolting and felt sick."),
    "surprise": (0.2, 0.7, "{} was astonished, nobody had expected that at all."),
    "pride": (0.7, 0.5, "{} was proud of the medal and of the hard work."),
    "shame": (-0.6, 0.5, "{} was ashamed and wanted to sink into the ground."),
    "guilt": (-0.6, 0.4, "{} felt guilty about the lie and could not sleep."),
    "gratitude": (0.7, 0.4, "{} was deeply grateful to the nurse for her help."),
    "awe": (0.6, 0.6, "{} stood in awe before the immense mountain."),
    "none": (0.0, 0.1, "{} put the third box on the shelf beside the window."),
}
FRAMEWORKS = {
    "scientific-method": "{} wants to test by experiment whether the new soil makes peas grow.",
    "design-thinking": "{} must design a ticket machine that elderly users find easy.",
    "systems-thinking": "Every bus that {} adds brings more cars: the loops feed each other.",
    "critical-thinking": "{} must judge whether the argument of the brochure is valid.",
    "creative-problem-solving": "{} looks for fresh, unusual ideas for a birthday without money.",
    "root-cause-analysis": "{} must find out why the pump keeps failing every Monday.",
    "first-principles": "{} asks what a battery must cost, from its raw materials upwards.",
    "scenario-planning": "{} prepares the harbour for several futures of the next 20 years.",
}
FAULTS = {
    "unsupported claim": ("because 40 of 50 said so", "as everybody must surely know"),
    "contradiction with an earlier sentence": ("and it is open", "and it is never open"),
    "missing step": ("since it is cheaper by a third", "since there is a river in it"),
    "evidence that does not bear on the claim": ("as tests show", "as the sky shows"),
    "number mismatch": ("3 and 4 make 7 rooms", "3 and 4 make 9 rooms"),
    "hasty generalisation": ("all 60 were checked", "just one was checked"),
    "circularity": ("because rain was measured", "because it is as it is so"),
    "overconfidence": ("which is likely so", "which is certain"),
    "ignored alternative": ("and not from the frost", "and from nothing else"),
    "confusion of correlation and cause": ("as trials show it", "as both went up"),
}
REASONING = "{} says that hall {} suits the club best, {}, and wants to rent it from May onwards."


def sets() -> dict[str, list[Row]]:
    """Return rows by the name of their set: each label once in each half."""
    return {
        "biases": _rows("b", [_bias(*each) for each in BIASES.items()]),
        "emotions": _rows("e", [_emotion(*each) for each in EMOTIONS.items()]),
        "frameworks": _rows(
            "f", [{"framework": f, "problem": p, "why": "own"} for f, p in FRAMEWORKS.items()]
        ),
        "pairs": _rows("p", [_pair(n, *each) for n, each in enumerate(FAULTS.items())]),
    }


def written(folder: Path, rows: dict[str, list[Row]]) -> Path:
    """Return a folder with the files of these sets."""
    folder.mkdir(exist_ok=True)
    for name, each in rows.items():
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in each))
    return folder


def of_dev(rows: list[Row]) -> list[Row]:
    """Return the rows of the first half."""
    return [row for row in rows if row["half"] == "dev"]


def _bias(bias: str, text: str) -> Row:
    last_words = " ".join(text.rstrip(".").split()[-4:])
    return {"bias": bias, "text": text, "span": None if bias == "none" else last_words}


def _emotion(emotion: str, felt: tuple[float, float, str]) -> Row:
    valence, arousal, text = felt
    about = {"valence": valence, "arousal": arousal, "kind": "plain"}
    return {"emotion": emotion, "text": text, **about}


def _pair(number: int, fault: str, ends: tuple[str, str]) -> Row:
    sound, flawed = (REASONING.format("{}", number, end) for end in ends)
    more = {"evidence": ["The hall has 60 seats.", "It costs 20 a day."]} if number % 2 else {}
    return {"sound": sound, "flawed": flawed, "fault": f"{fault}: planted", **more}


def _rows(letter: str, templates: list[Row]) -> list[Row]:
    """Return each template in both halves, about somebody else in each."""
    return [
        {"id": f"{letter}{half}{number}", "half": half, **_about(template, who)}
        for half, who in PEOPLE.items()
        for number, template in enumerate(templates)
    ]


def _about(template: Row, who: str) -> Row:
    return {
        name: value.replace("{}", who) if isinstance(value, str) else value
        for name, value in template.items()
    }
