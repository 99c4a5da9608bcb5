"""Rules that detect text addressed to its reader, as opposed to statements of fact.

Each has a weight in 0..1 and a reason that appears in answers. A weak sign means nothing by itself:
people store notes such as "always answer me in German", "the user confirmed it" and "replaces all
earlier versions". Rules search the forms built by `disguises.py`, in English, German, Spanish and
French, with fewer patterns in Italian, Portuguese, Russian, Chinese and Japanese; in other
languages only markers and letters are recognised. All repetitions are bounded, so that a search
takes time linear in the text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reasonloom.nodes.memory.injection.disguises import TextForms


@dataclass(frozen=True, slots=True)
class Rule:
    """A detection rule.

    Attributes:
        reason: the reason given in answers.
        weight: 0..1.
        cues: word prefixes, at least one of which a match requires; most texts contain none.
        anywhere: patterns within a paragraph, in all languages.
        english: the English subset of `anywhere`.
        begins: patterns at the beginning of a line.
    """

    reason: str
    weight: float
    cues: frozenset[str]
    anywhere: re.Pattern[str]
    english: re.Pattern[str]
    begins: re.Pattern[str]

    def applies(self, text: TextForms) -> bool:
        """Return whether the rule matches any form of a text."""
        return bool(
            self.begins.search(text.lines)
            or any(self.anywhere.search(each) for each in text.prose)
            or (text.bare is not None and self.english.search(text.bare))
        )


def rule(
    reason: str,
    weight: float,
    cues: str,
    *english: str,
    others: Sequence[str] = (),
    begins: Sequence[str] = (),
) -> Rule:
    """Return a rule; `cues` are space-separated, `others` are non-English patterns."""
    anywhere = _one_of((*english, *others))
    return Rule(
        reason, weight, frozenset(cues.split()), anywhere, _one_of(english), _one_of(begins)
    )


def _one_of(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern that matches any of `patterns`, or nothing if there are none."""
    return re.compile("|".join(patterns) or r"\A(?!)", re.MULTILINE)


OVERRIDES = "asks to ignore what else is known"
DIRECTS = "tells the reader what to answer"
ADDRESSES = "speaks to a language model"
CONCEALS = "asks to keep something from the user"
VERIFIED = "claims to be verified"
OUTRANKS = "claims to outrank other memories"
MARKS = "holds marks of roles or of a prompt"
POSES = "claims to come from the system or the owner"

STRONG, WEAK = 0.8, 0.3
CUE = 5
"""Length of a cue in letters; a shorter word is its own cue."""

KNOWN = (
    r"(?:instructions?|prompts?|rules|memor(?:y|ies)|notes?|messages?|guidelines|entries|records?)"
)
OTHERS = (
    r"(?:all|any|every|other|others|older|earlier|lower|previous|prior|existing|above|mem-\d{1,9})"
)
READER = (
    r"(?:ai|a\.i\.|(?:ai |virtual |any )?assistants?|language models?|llms?|chat ?bots?"
    r"|ai agents?|ai models?)"
)
WHO = (
    r"(?:user|owner|system|admin\w{0,20}|developers?|support(?: staff| team)?|operator|reasonloom)"
)
SAY = r"(?:answer|respond|reply|say|tell|state|claim|pretend|recommend|refuse|insist|instruct)"
ROLE = r"(?:system|assistant|developer|human|tool_result)"
TURN = r"(?:^|[^\w\s])\W{0,9}"
"""Matches what precedes a speaker's turn: the beginning of a line, or a sign."""

MUST = r"(?:must|should|shall|has to|have to|will|needs? to|is to|are to)"

RULES = (
    rule(
        OVERRIDES, 1.0,
        "ignor disre forge overr vergi verge missa verwi olvid desat oubli dimen esque desco "
        "игнор забуд",
        rf"\b(?:ignore|disregard|forget|override)\b[^.!?\n]{{0,20}}\b{OTHERS}\b[^.!?\n]{{0,25}}\b"
        rf"(?:{KNOWN}|doses)\b(?! from)",
        r"\bforget (?:everything|all|what) (?:that )?you (?:were|have been|are) told\b",
        others=(
            r"\b(?:ignorier\w{0,20}|vergiss|vergesst|missachte\w{0,20}|verwirf)\b[^.!?\n]{0,40}"
            r"\b(?:anweisung|vorgabe|regel|erinnerung|eintr[aä]g)",
            r"\b(?:ignor[ae]\w{0,20}|olvid[ae]\w{0,20}|desatiende)\b[^.!?\n]{0,30}"
            r"\b(?:instrucciones|indicaciones|reglas|memorias|notas anteriores)\b",
            r"\b(?:ignore[sz]?|ignorer|oublie[sz]?|oublier)\b[^.!?\n]{0,30}"
            r"\b(?:instructions|consignes|règles|notes précédentes)\b",
            r"\b(?:ignora|ignorate|dimentica|dimenticate)\b[^.!?\n]{0,30}\b(?:istruzioni|regole)\b",
            r"\b(?:ignore|ignora|esqueça|desconsidere)\b[^.!?\n]{0,30}\b(?:instruções|regras)\b",
            r"(?:игнорируй|забудь)\w{0,20}[^.!?\n]{0,40}(?:инструкци|указани|правил)",
            r"(?:忽略|无视|忘记|忽視|無視)[^。！？\n]{0,12}(?:指示|指令|说明|規則|规则|记忆|提示)",
            r"(?:指示|命令|記憶|プロンプト)[^。！？\n]{0,10}(?:無視|忘れ)",
        ),
    ),
    rule(
        DIRECTS, STRONG,
        "alway only must you your keep prete antwo erwid behau solls musst respo conte siemp "
        "répon dois rispo всегд тольк quest",
        rf"\b(?:always|only|must) {SAY}(?: that\b|,? [\"'“«„]|:? \d)",
        rf"\b(?:you|{READER}) (?:must|will|are to|have to|should) "
        rf"(?:always |never |only |now ){{0,9}}{SAY}\b(?! me\b)[^.!?\n]{{0,60}}"
        r"\b(?:that|every|all|any|questions?|the user)\b",
        rf"\byour (?:answer|response|reply) (?:{MUST})\b",
        rf"\b{READER} (?:{MUST}) {SAY}\b",
        r"\byou must never (?:warn|mention|say|tell)\b",
        r"\bkeep (?:telling|saying|answering)\b[^.!?\n]{0,10}\b(?:them|the user|him|her) that\b",
        r"\bpretend that [^.!?\n]{0,60}[.!?][^.!?\n]{0,20}\b(?:questioned|asked)\b",
        others=(
            r"\b(?:antworte|erwidere|behaupte)\b[^.!?\n]{0,25}, dass\b",
            r"\b(?:sollst|musst) du\b[^.!?\n]{0,30}\b(?:antworten|sagen|behaupten), dass\b",
            r"\b(?:responde|contesta|responda|réponds|répondez|rispondi|rispondete)\b "
            r"(?:siempre |toujours |sempre |solo )?qu?[eé]\b",
            r"\b(?:rispondi|rispondete) (?:sempre )?che\b",
            r"\bsiempre debes (?:responder|contestar|decir) que\b"
            r"|\btu dois (?:toujours )?(?:répondre|dire) que\b",
            r"\b(?:всегда|только) (?:отвечай|говори)\w{0,20},? что\b",
            r"必ず[^。\n]{0,25}と(?:答え|言)|(?:一律|总是|始终|必须)(?:回答|回复)",
        ),
    ),
    rule(
        DIRECTS, WEAK,
        "ask asks asked quest promp alway only must your respo reply answe wenn solls cuand lorsq "
        "quand you",
        rf"\b(?:when(?:ever)?|if|once)\b[^.!?\n]{{0,20}}\b(?:ask(?:s|ed)?|questioned|prompted)\b"
        rf"[^.!?\n]{{0,120}}[,:;] ?"
        rf"(?:then |you |please |just |simply |always |never |only |must ){{0,9}}{SAY}\b",
        rf"\bquestions? (?:about|on|of|regarding)\b[^.!?\n]{{0,80}}\b(?:answer|response|{MUST})\b",
        r"\b(?:always|only|must) (?:answer|respond|reply)\b|: (?:respond|reply) with\b",
        rf"\byou will {SAY}\b",
        others=(
            r"\bwenn (?:der|die|ein|jemand|man)\b[^.!?\n]{0,20}\bfrag(?:t|st|en)\b[^.!?\n]{0,80}, ?"
            r"(?:sag|antworte|erkläre|behaupte)\w{0,20}\b|\bsollst du\b[^.!?\n]{0,30}\bantworten\b",
            r"\bcuando (?:te|alguien|el usuario) (?:le )?pregunte?\w{0,20}\b"
            r"|\b(?:lorsque|quand) l'utilisateur demande\b",
        ),
    ),
    rule(
        ADDRESSES, STRONG,
        "ai assis virtu langu llm llms chat chatb bot bots note messa instr now syste promp befor",
        rf"\b{READER}s?\b[^.!?\n]{{0,15}}\b(?:reading this|(?:that|who) reads? this)\b",
        rf"\b(?:note|message|instructions?) (?:to|for) (?:the |any |all )?{READER}\b",
        r"\bfrom now on,? you (?:are|act|will act)\b|\byou are now (?:an?|in|my)\b",
        r"\bsystem behaviou?r change\b|\binstructions?: ignore\b",
        r"\bmessage from me\b[^.!?\n]{0,40}\bto you\b",
        r"\bbefore you (?:can )?(?:solve|answer|complete) the (?:task|question)\b",
        begins=(r"^#{1,6}\s{0,9}system\s{1,9}prompt\b",),
    ),
    rule(
        ADDRESSES, WEAK,
        "assis ai langu llm user tool funct rest befor",
        rf"\b{READER} (?:{MUST})\b|\b(?:tell|instruct|inform|warn|ask) the user\b",
        r"\b(?:call|use|invoke|run) the (?:tool|function) (?:forget|delete)\b",
        r"\bfor the rest of (?:this|the|our) (?:conversation|session|chat)\b|\bbefore replying\b",
    ),
    rule(
        CONCEALS, STRONG,
        "revea discl menti cite citer warn expla follo trust belie instr ask askin tell erwäh "
        "menci refus send delet",
        r"\b(?:do not|don't|never) (?:reveal|disclose|mention) this (?:note|memory|prompt|message)",
        r"\b(?:do not|don't|never) (?:mention|cite) (?:any|other)\b",
        r"\b(?:do not|don't|never) (?:follow|trust|believe|tell|warn) the user\b",
        r"\bwill not explain why\b|\binstead instruct\b|\brefuse to answer\b",
        r"\bask\w{0,20} the user for (?:the|their|his|her|a) "
        r"(?:card|password|pin|credit|bank|login)",
        r"\bsend (?:the question|this|every|all)\b[^.!?\n]{0,30}\bto [\w.+-]{1,64}@",
        r"\bdelete the (?:older|other) (?:notes|memories|entries)\b",
        others=(
            r"\berwähne keine (?:anderen|weiteren)\b|\bno menciones otr|\bne rien citer d'autre\b"
            r"|\bne mentionne (?:rien|aucun)",
        ),
    ),
    rule(
        CONCEALS, WEAK,
        "revea discl menti chang quest call forge",
        r"\b(?:do not|don't|never) (?:reveal|disclose|mention)\b|\bchange the subject\b",
        r"\bforget on every other memory\b",
    ),
    rule(
        VERIFIED, STRONG,
        "verif confi appro authe autho corre trust groun enter ident",
        r"\bthis (?:entry|note|memory|record|fact) (?:was|is|has been) (?:now )?"
        r"(?:verified|confirmed|approved|authenticated|corrected|authoritative)\b",
        rf"\b{WHO}[- ]verified\b",
        r"\[ ?/?verified|\bverified fact\b|\[trusted source|\bidentity confirmed\b",
        r"\btrust(?: level| score)?:? ?1(?:\.0)?\b|\btrust this over\b|\bas ground truth\b",
        rf"\bentered by {WHO} itself\b",
        begins=(rf"^\W{{0,9}}(?:verified|authenticated)\s{{1,9}}by\s{{1,9}}(?:the\s{{1,9}})?{WHO}\b",),
    ),
    rule(
        VERIFIED, WEAK,
        "verif confi appro authe autho signe enter corre offic canon bestä vérif check",
        rf"\b(?:verified|confirmed|approved|authenticated|signed|authori[sz]ed|entered|corrected) "
        rf"(?:by|with) (?:the )?{WHO}\b|\bauthenticated\.",
        r"\bofficial correction\b|\bcanonical record\b|\bchecksum ok\b|\bconfidence: ?(?:1\b|100)",
        others=(
            r"\bbestätigt\b|\bverifiziert\b|\bverificado por\b|\bvérifié par\b",
        ),
    ),
    rule(
        OUTRANKS, STRONG,
        "super overr repla outra void inval depre forge wrong obsol fake false erset susti reemp "
        "rempl",
        rf"\b(?:supersedes?|overrides?|replaces|outranks)\b (?:all |every |any )?(?:the )?"
        rf"{OTHERS} (?:of the )?(?:memor(?:y|ies)|notes?|entries|records?)\b",
        r"\b(?:supersedes?|overrides?|replaces) mem-\d",
        rf"\b{OTHERS} (?:other )?(?:memor(?:y|ies)|notes?|entries|records?) (?:are|is|were) "
        r"(?:now )?(?:void|invalid|deprecated|forged|wrong|obsolete|fake|false)\b",
        others=(
            r"\bersetzt alle (?:früheren|bisherigen|anderen) (?:einträge|notizen|erinnerungen)\b",
            r"\b(?:sustituye a|reemplaza) todas las (?:memorias|notas|entradas)\b"
            r"|\bremplace toutes les (?:notes|mémoires|entrées)\b",
        ),
    ),
    rule(
        OUTRANKS, WEAK,
        "super repla highe höchs quest newer",
        rf"\b(?:supersedes|replaces) {OTHERS}\b|\bhighest priority\b|\bhöchste priorität\b",
        r"\bdo not question\b|\bnewer than all\b",
    ),
    rule(
        MARKS, STRONG,
        "syste assis devel human user instr inst sys im_st im_en endof start end_ eot_i begin "
        "promp respo role admin",
        r"\bsystem_message\b|<!--\W{0,9}(?:assistant|system|ai)\b|<\|[a-z_]{1,30}\|>",
        r"\[/?inst\]|<</?sys>>|</?(?:system|assistant|instructions?|prompt)>",
        rf"</[\w-]{{1,30}}>\W{{0,3}}(?:{ROLE}|user) ?:",
        r"\[(?:system|admin)[\] ]|\"role\": ?\"(?:system|developer)\"|\brole: ?system\b",
        begins=(
            r"^#{1,6} {0,9}(?:instruction|response)s?:",
            r"^system:[^\n]{0,2000}\s{1,9}^(?:assistant|user|human):",
            r"^(?:assistant|user|human):[^\n]{0,2000}\s{1,9}^system:",
            rf"{TURN}system ?:[\s\S]{{0,300}}?{TURN}assistant ?:",
            rf"{TURN}assistant ?:[\s\S]{{0,300}}?{TURN}system ?:",
        ),
    ),
    rule(
        MARKS, WEAK,
        "syste assis devel human tool_ user",
        begins=(rf"^\W{{0,3}}{ROLE} ?:",),
    ),
    rule(
        POSES, STRONG,
        "this from memor princ admin",
        rf"\bthis is (?:the|your) {WHO} (?:speaking|writing)\b|\bfrom: the {WHO}\b",
        r"\bmemory manager\b[^.!?\n]{0,10}\bnotice\b|\bprincipal: ?(?:root|system|admin|owner)\b",
        r"\badmin note\b[^.!?\n]{0,40}\b(?:approved|verified)\b",
    ),
    rule(
        POSES, WEAK,
        "signe admin syste opera devel sourc audit user note messa",
        r"\bsigned by the owner\b|\bsource: (?:system|root|admin)\b|\buser \(verified\)",
        r"\b(?:admin|system|operator|developer) (?:note|notice|message|override)\b",
        rf"\baudit log \[|\b(?:note|message) from the {WHO}\b",
    ),
)  # fmt: skip
