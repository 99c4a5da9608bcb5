"""Checks of reasoning: confidence, biases, emotions, quality (reference: ThoughtMCP)."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from reasonloom.contracts.base import CamelAnswer, CamelRequest, Content
from reasonloom.contracts.brief import Brief

Bias = Literal[
    "confirmation",
    "anchoring",
    "availability",
    "recency",
    "representativeness",
    "framing",
    "sunk_cost",
    "attribution",
]
Emotion = Literal[
    "joy", "sadness", "anger", "fear", "disgust", "surprise",
    "pride", "shame", "guilt", "gratitude", "awe",
]  # fmt: skip
Primary = Emotion | Literal["none"]
Intensity = Literal["high", "moderate", "low"]
By = Literal["words", "llm", "both"]
MOST_EVIDENCE = 50

Background = Annotated[Content | None, Field(description="What it is about, where that matters")]


class AssessConfidence(CamelRequest):
    """Tell how far a piece of reasoning can be relied on, and what would make it firmer.

    Looks at evidence, coherence, completeness, uncertainty and bias, claim by claim.
    """

    reasoning: Annotated[Content, Field(description="Reasoning to assess")]
    evidence: Annotated[
        list[Content] | None,
        Field(max_length=MOST_EVIDENCE, description="What it rests on, one item each"),
    ] = None
    context: Background = None


class DetectBias(CamelRequest):
    """Find cognitive biases in reasoning, with the words that show them and a correction.

    Eight types: confirmation, anchoring, availability, recency, representativeness, framing,
    sunk cost, attribution.
    """

    reasoning: Annotated[Content, Field(description="Reasoning to check")]
    context: Background = None
    monitor_continuously: Annotated[
        bool, Field(description="Compare with your earlier monitored calls")
    ] = False


class DetectEmotion(CamelRequest):
    """Tell what a text's writer feels: valence, arousal, dominance, and eleven emotions.

    Denied and ironically named feelings are distinguished from felt ones where possible.
    """

    text: Annotated[Content, Field(description="Text to read")]
    include_discrete: Annotated[bool, Field(description="Name the emotions too")] = True
    context: Background = None


class Evaluate(CamelRequest):
    """Judge the quality of a piece of reasoning: coherence, completeness, logic, evidence.

    Names strengths, weaknesses and what to do; adds confidence, biases and emotion if wanted.
    """

    reasoning: Annotated[Content, Field(description="Reasoning to judge")]
    context: Background = None
    include_confidence: bool = True
    include_bias: bool = True
    include_emotion: bool = False


class Span(CamelAnswer):
    """Words of the given text; `start` and `end` count its characters from 0, end excluded."""

    text: str
    start: int
    end: int


class Claim(CamelAnswer):
    """A sentence that claims something.

    `support` (0..1) is how far evidence or other sentences speak of it; `supported_by` quotes
    them. `hedged` where it limits itself, `absolute` where it allows no exception.
    """

    brief = Brief(main="text", text=("support", "hedged", "absolute"), drop=("supported_by",))

    text: str
    start: int
    end: int
    support: float
    supported_by: list[str]
    hedged: bool
    absolute: bool


class Dimensions(CamelAnswer):
    """Five sides of confidence, 0..1; of `uncertainty_level` higher is less certain."""

    evidence_quality: float
    reasoning_coherence: float
    completeness: float
    uncertainty_level: float
    bias_freedom: float


class Confidence(CamelAnswer):
    """How far reasoning can be relied on (0..1), by what, and what to do."""

    brief = Brief(
        main="interpretation",
        text=("overall_confidence", "dimensions", "warnings", "recommendations"),
        few={"claims": 3},
    )

    overall_confidence: float
    dimensions: Dimensions
    interpretation: str
    warnings: list[str]
    recommendations: list[str]
    claims: list[Claim]


class FoundBias(CamelAnswer):
    """One bias; `evidence` are words of the text, `spans` tell where they stand.

    `severity` is how much rests on it, `confidence` how sure it is, both 0..1. `lenses` are
    the views of the language model that saw it.
    """

    brief = Brief(
        main="correction",
        text=("type", "severity", "confidence", "evidence"),
        drop=("spans", "lenses"),
    )

    type: Bias
    severity: float
    evidence: list[str]
    correction: str
    confidence: float
    spans: list[Span]
    by: By
    lenses: list[str] | None = None


class JudgedBias(FoundBias):
    """One bias, which `count` of the language model's views saw in the same words.

    `also` are other names that they gave it, `reason` is how the words show it.
    """

    count: int | None = None
    also: list[Bias] | None = None
    reason: str | None = None


class Circumplex(CamelAnswer):
    """Russell's circumplex with dominance: valence and dominance -1..1, arousal 0..1."""

    valence: float
    arousal: float
    dominance: float
    confidence: float


class FeltEmotion(CamelAnswer):
    """One emotion: score 0..1; high from 0.66, moderate from 0.33."""

    brief = Brief(text=("emotion", "score"))

    emotion: Emotion
    score: float
    intensity: Intensity


class Discrete(CamelAnswer):
    """The emotions found, strongest first; `primary` is `none` where nothing shows one."""

    primary: Primary
    emotions: list[FeltEmotion]
    confidence: float


class EmotionCue(CamelAnswer):
    """Words that count for an emotion; `negated` where the text denies it, which counts against."""

    text: str
    start: int
    end: int
    emotion: Emotion
    negated: bool


class Feeling(CamelAnswer):
    """What a text's writer feels; `discrete` is null where it was not asked for."""

    brief = Brief(text=("circumplex", "discrete"), few={"cues": 3})

    circumplex: Circumplex
    discrete: Discrete | None
    cues: list[EmotionCue]


class QualityOfReasoning(CamelAnswer):
    """Four sides of quality, 0..1."""

    coherence: float
    completeness: float
    logical_validity: float
    evidence_support: float


class Finding(CamelAnswer):
    """Something to mend, or a strength: its kind, what it is, and the words that show it."""

    brief = Brief(main="told", text=("kind",), drop=("spans",))

    kind: str
    told: str
    spans: list[Span]


class JudgedFinding(Finding):
    """Something to mend or a strength, which `count` of the language model's views named."""

    count: int | None = None


class Checked(CamelAnswer):
    """What every check says of itself.

    `language` is the text's (ISO 639-1, `und` if unknown). `supported` is whether
    words can be judged in it. `lenses_heard` of the language model's answered, of `lenses_asked`;
    `agreement` (0..1) is how near they come to each other, pair by pair. `recorded` is false where
    the database was down: the run is in no list, and no language model was asked.
    """

    brief = Brief(drop=("lenses_asked", "lenses_heard"))

    language: str
    supported: bool
    llm: str
    run_id: str
    lenses_asked: int | None = None
    lenses_heard: int | None = None
    agreement: float | None = None
    partial: bool | None = None
    suggestion: str | None = None
    recorded: bool | None = None


class ConfidenceAssessed(Confidence, Checked):
    """How far reasoning can be relied on."""

    brief = Brief(
        main="interpretation",
        text=(
            "overall_confidence",
            "dimensions",
            "warnings",
            "recommendations",
            "partial",
            "suggestion",
        ),
        few={"claims": 3},
        drop=("lenses_asked", "lenses_heard"),
    )


class Shift(CamelAnswer):
    """A bias seen now and before: its confidence in the last call, and now."""

    type: Bias
    before: float
    now: float


class Monitored(CamelAnswer):
    """How this call compares with the caller's earlier monitored ones, the last of `calls`.

    `repeated` counts for each bias of now in how many of them it was.
    """

    calls: int
    since: str | None = None
    appeared: list[Bias]
    gone: list[Bias]
    shifted: list[Shift]
    repeated: dict[str, int]
    told: str


class BiasesDetected(Checked):
    """Biases, the surest first; `detection_time` in milliseconds."""

    brief = Brief(
        text=("biases", "changes", "partial", "suggestion"), drop=("lenses_asked", "lenses_heard")
    )

    biases: Sequence[FoundBias]
    detection_time: float
    monitoring_active: bool
    changes: Monitored | None = None


class BiasesJudged(BiasesDetected):
    """Biases, the surest first; `detection_time` in milliseconds."""

    biases: Sequence[JudgedBias]


class EmotionDetected(Feeling, Checked):
    """What a text's writer feels; `detection_time` in milliseconds."""

    brief = Brief(
        text=("circumplex", "discrete", "partial", "suggestion"),
        few={"cues": 3},
        drop=("lenses_asked", "lenses_heard"),
    )

    detection_time: float


class Evaluated(Checked):
    """How good a piece of reasoning is, and what to do about it.

    `confidence` and `biases` are null where they were not asked for, `emotion` is absent.
    """

    brief = Brief(
        text=(
            "quality",
            "strengths",
            "weaknesses",
            "recommendations",
            "confidence",
            "biases",
            "emotion",
            "partial",
            "suggestion",
        ),
        drop=("findings", "lenses_asked", "lenses_heard"),
        within={
            "confidence": Brief(
                main="interpretation",
                text=("overall_confidence",),
                drop=("claims", "warnings", "recommendations"),
            )
        },
    )

    quality: QualityOfReasoning
    strengths: list[str]
    weaknesses: list[str]
    recommendations: list[str]
    findings: Sequence[Finding]
    confidence: Confidence | None
    biases: Sequence[FoundBias] | None
    emotion: Feeling | None = None


class Judged(Evaluated):
    """How good a piece of reasoning is, and what to do about it.

    `confidence` and `biases` are null where they were not asked for, `emotion` is absent.
    """

    findings: Sequence[JudgedFinding]
    biases: Sequence[JudgedBias] | None
