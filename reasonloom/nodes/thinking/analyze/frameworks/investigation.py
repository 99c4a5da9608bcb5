"""Frameworks that investigate: scientific method, systems, critical thinking, root cause."""

from reasonloom.nodes.thinking.analyze.frameworks.framework import Framework, Step

SCIENTIFIC_METHOD = Framework(
    "scientific-method",
    "Scientific Method",
    "Rival hypotheses, what each predicts, and the test that tells them apart",
    "whether something is so or works, where it could be tried out or measured",
    (
        Step(
            "Observe",
            "State what has been observed and by whom, apart from what is made of it.",
            ("What has been observed or measured?", "What is only believed or said?"),
            "the observations, each with how far it can be relied on",
        ),
        Step(
            "Hypothesise",
            "Put up rival explanations, one of them that there is no effect at all.",
            ("Which explanation is proposed?", "What else could explain it?"),
            "two to four hypotheses that exclude each other",
            ("Observe",),
        ),
        Step(
            "Predict",
            "Derive from each hypothesis what should be seen if it holds, and not if another does.",
            ("Where would the hypotheses lead to different results?",
             "How large a difference would count?"),
            "for each hypothesis a result that would refute it",
            ("Hypothesise",),
        ),
        Step(
            "Weigh what is there",
            "Hold the observations given against each hypothesis. Invent none.",
            ("Which records or data exist already?", "What confounds them?"),
            "what the evidence given says for and against each hypothesis",
            ("Hypothesise",),
        ),
        Step(
            "Design the test",
            "Plan the cheapest test that tells the hypotheses apart; do not claim its result.",
            ("What can be varied, and what kept equal?",
             "How long, and how many cases, does it take?"),
            "a test with its comparison, measure, size and rule of decision",
            ("Predict", "Weigh what is there"),
        ),
    ),
)  # fmt: skip

SYSTEMS_THINKING = Framework(
    "systems-thinking",
    "Systems Thinking",
    "The parts, how they drive each other, and where a small change carries far",
    "many things drive each other, effects return, or a remedy shifts the trouble",
    (
        Step(
            "Draw the boundary",
            "Name the parts that act on each other, and what is left outside.",
            ("Who and what belongs to it?", "What rises, falls or piles up?"),
            "the parts and the quantities that change, with what is outside",
        ),
        Step(
            "Trace the links",
            "Say what drives what, in which direction, by what is given.",
            ("What leads to what?", "What is it a reaction to?"),
            "the links: more of A gives more, or less, of B",
            ("Draw the boundary",),
        ),
        Step(
            "Find the loops",
            "Follow the links until they return: which loops feed themselves, which hold in check?",
            ("What comes back to where it began?", "Which remedy feeds what it is to cure?"),
            "each loop as a closed chain, reinforcing or balancing",
            ("Trace the links",),
        ),
        Step(
            "Look for delays and side effects",
            "Say what shows late or elsewhere, and who bears it.",
            ("What shows only later?", "Who bears what others cause?"),
            "delays, shifted burdens, and what is wrongly blamed for them",
            ("Trace the links",),
        ),
        Step(
            "Choose where to act",
            "Find where a small change turns a loop, and say how the whole would push back.",
            ("What can be changed by those who ask?", "What is the whole to bring about?"),
            "one to three places to act, with what each sets off",
            ("Find the loops", "Look for delays and side effects"),
        ),
    ),
)  # fmt: skip

CRITICAL_THINKING = Framework(
    "critical-thinking",
    "Critical Thinking",
    "What is claimed, what it rests on, and how far that carries",
    "a claim, an argument, a source or a text is to be judged",
    (
        Step(
            "State the claim",
            "Put what is claimed, by whom, into its strongest plain form.",
            ("What exactly is claimed?", "Who claims it, and what do they gain?"),
            "the claim with its reasons, and the conclusion that it is to support",
        ),
        Step(
            "Examine the evidence",
            "Say of each piece of evidence where it comes from and what it can carry.",
            ("Where does the evidence come from?", "How many cases, compared with what?"),
            "each piece of evidence with its worth, and what is missing",
            ("State the claim",),
        ),
        Step(
            "Test the reasoning",
            "Find what is assumed unsaid, and whether the conclusion follows.",
            ("By which reasons does the conclusion follow?", "What is taken for granted?"),
            "the unsaid assumptions, and each gap by its name",
            ("State the claim",),
        ),
        Step(
            "Hear the other side",
            "Make the best case against the claim, and the best other explanation.",
            ("What else would explain the same facts?", "What speaks against it?"),
            "the best objection, and what would settle it",
            ("State the claim",),
        ),
        Step(
            "Judge",
            "Say how far the claim carries, and what would change that.",
            ("What is to be decided by it?", "Within which bounds does it hold?"),
            "accept, reject or suspend, with the decisive reason and the next question",
            ("Examine the evidence", "Test the reasoning", "Hear the other side"),
        ),
    ),
)  # fmt: skip

ROOT_CAUSE_ANALYSIS = Framework(
    "root-cause-analysis",
    "Root Cause Analysis",
    "From what was seen to the cause behind it, and to what keeps it from coming back",
    "something went or goes wrong and the cause is not known",
    (
        Step(
            "Describe the failure",
            "Say what fails, where, when and how much; and where it could fail and does not.",
            ("What exactly goes wrong?", "When does it happen, and when not?"),
            "what is and what is not affected, in facts",
        ),
        Step(
            "Reconstruct the changes",
            "Put in order what happened and changed before it began.",
            ("What changed before it?", "Since when?"),
            "a timeline, with what differs between good and bad",
            ("Describe the failure",),
        ),
        Step(
            "List possible causes",
            "Collect causes of different kinds: things, people, procedure, surroundings.",
            ("Which causes are suspected?", "What else could it be?"),
            "four to seven causes, none of them `human error`",
            ("Describe the failure",),
        ),
        Step(
            "Test the causes",
            "Hold each cause against what is affected and what is not; ask why until one can act.",
            ("Which facts speak against a cause?", "Which records could show it?"),
            "the cause that explains most with its chain of whys, and what would prove it",
            ("Reconstruct the changes", "List possible causes"),
        ),
        Step(
            "Prevent",
            "Say what takes the cause away, and how one will see that it is gone.",
            ("What can be changed?", "What must a remedy keep to?"),
            "remedy, stopgap, and the sign by which success shows",
            ("Test the causes",),
        ),
    ),
)  # fmt: skip
