"""Frameworks that create something: design, creativity, first principles, scenarios."""

from reasonloom.nodes.thinking.analyze.frameworks.framework import Framework, Step

DESIGN_THINKING = Framework(
    "design-thinking",
    "Design Thinking",
    "From the people concerned and their needs to something that they can try",
    "something is to be made that fits the people who will use it",
    (
        Step(
            "Empathise",
            "Say who is concerned and what their day with it is like, by what is given.",
            ("Who uses it, and who else is touched by it?",
             "What do they do, feel or put up with?"),
            "the people, their situation, and what nobody has asked them yet",
        ),
        Step(
            "Define the need",
            "Put the need into one sentence: who needs what, and why; no solution in it.",
            ("What do they want to reach?", "What stands in their way?"),
            "one sentence that states the need, and how one would see that it is met",
            ("Empathise",),
        ),
        Step(
            "Ideate",
            "Find unlike ways to meet the need, at least one of them without any new thing.",
            ("Which ways are on the table?", "What is there to build on?"),
            "three to five unlike ideas, and which two to try first",
            ("Define the need",),
        ),
        Step(
            "Prototype",
            "Say what is built in a day or two so that somebody can react to it.",
            ("What is at hand for a first version?", "What must it keep to?"),
            "a rough first version, and the one question that it answers",
            ("Ideate",),
        ),
        Step(
            "Plan the test",
            "Say with whom it is tried, what is watched for, and what would change the course.",
            ("Who can be asked or watched?", "When and where?"),
            "who tries it, what is observed, and what follows from either result",
            ("Prototype",),
        ),
    ),
)  # fmt: skip

CREATIVE_PROBLEM_SOLVING = Framework(
    "creative-problem-solving",
    "Creative Problem Solving",
    "Many unlike ideas first, judged and shaped only after",
    "new ideas are wanted, or what is usual has been used up",
    (
        Step(
            "Restate the challenge",
            "Say what is really wanted, and put it in two other ways that open new ground.",
            ("What is wanted?", "What has been tried or ruled out?"),
            "the challenge in three wordings, and what an idea must not be",
        ),
        Step(
            "Borrow",
            "Take over how other fields, times or creatures solve what has the same shape.",
            ("Whom is it for?", "What is there to use?"),
            "at least four ideas, each with whom it is borrowed from",
            ("Restate the challenge",),
        ),
        Step(
            "Break a rule",
            "Drop or turn round what everybody takes for granted here, one thing at a time.",
            ("What is taken for granted?", "Which bound is real, which only custom?"),
            "at least four ideas, each with the rule that it breaks",
            ("Restate the challenge",),
        ),
        Step(
            "Combine",
            "Join two things in this problem that nobody has joined.",
            ("Which things are lying about unused?", "Which half-ideas are there already?"),
            "at least three ideas, each with what it joins",
            ("Restate the challenge",),
        ),
        Step(
            "Choose and shape",
            "Pick the three that promise most, mend what is weak in each, and say how to try them.",
            ("What must an idea keep to?", "What can be tried first, and when?"),
            "three ideas with their first step, and the one to begin with",
            ("Borrow", "Break a rule", "Combine"),
        ),
    ),
)  # fmt: skip

FIRST_PRINCIPLES = Framework(
    "first-principles",
    "First Principles",
    "Down to what is certain, and up again without custom",
    "what something is, needs or costs, reckoned from the ground instead of from custom",
    (
        Step(
            "Name the conventions",
            "List what is done or believed here only because it is usual.",
            ("What is done because all do it?", "What is one told that nobody has reckoned?"),
            "the conventions, each with what it costs",
        ),
        Step(
            "Find what is certain",
            "State what must hold whatever one does: nature, arithmetic, human needs.",
            ("Which quantities are known?", "What cannot be otherwise?"),
            "the fewest facts from which the rest follows",
        ),
        Step(
            "Take it apart",
            "Divide the purpose into the functions and quantities that are really needed.",
            ("What is it for?", "Of what does it consist?"),
            "the functions needed, each with its measure",
            ("Name the conventions", "Find what is certain"),
        ),
        Step(
            "Build it up",
            "Make an answer from these parts alone, and reckon it through.",
            ("What is at hand?", "What does it come to?"),
            "an answer with its reckoning, each number with its source",
            ("Take it apart",),
        ),
        Step(
            "Hold it against the usual",
            "Compare with what is customary, and explain the difference.",
            ("How far is it from what is usual?", "What good reason could custom have?"),
            "what custom adds for a reason, and what can go",
            ("Build it up",),
        ),
    ),
)  # fmt: skip

SCENARIO_PLANNING = Framework(
    "scenario-planning",
    "Scenario Planning",
    "Several futures that differ where it matters, and what holds in all of them",
    "a decision under a future that nobody can know",
    (
        Step(
            "Fix the decision",
            "Say what has to be decided, by when, and for how long it binds.",
            ("What has to be decided?", "By when, and for how long?"),
            "decision, date and horizon",
        ),
        Step(
            "Find the driving forces",
            "Say what may go one way or the other and matters most to the decision.",
            ("What may come, and what else instead?", "Who can turn it?"),
            "the two uncertainties that matter most, with their extremes",
            ("Fix the decision",),
        ),
        Step(
            "Set apart what is certain",
            "Say what will hold in every future.",
            ("What is already fixed?", "What cannot be changed?"),
            "what every future has in common",
            ("Fix the decision",),
        ),
        Step(
            "Write the scenarios",
            "Tell three or four futures that differ in these forces, and how each comes about.",
            ("Which futures are spoken of?", "What follows from each?"),
            "three or four consistent futures, the unwelcome one among them",
            ("Find the driving forces", "Set apart what is certain"),
        ),
        Step(
            "Try the options",
            "Put each option into each scenario.",
            ("Which options are there?", "What can be kept open, and at what price?"),
            "which option does in which scenario, and the one that is good in most",
            ("Write the scenarios",),
        ),
        Step(
            "Name the signposts",
            "Say what will tell early which future is coming, and what to do then.",
            ("Where would it show first?", "When has one to look again?"),
            "early signs, each with what it triggers",
            ("Write the scenarios",),
        ),
    ),
)  # fmt: skip
