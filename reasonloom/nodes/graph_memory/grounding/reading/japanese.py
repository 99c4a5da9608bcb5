"""Splits Japanese and Chinese into clauses at punctuation; words are runs of one script."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from reasonloom.nodes.graph_memory.grounding.reading.clause import Clause, Reading, Term
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import concept_of
from reasonloom.nodes.graph_memory.grounding.reading.matching import Found, find_term
from reasonloom.nodes.graph_memory.grounding.reading.values import Value, blanked, values_in

PARTICLE = re.compile(
    "(?:さん|さま|くん|ちゃん|たち)?(?P<told>"
    "によって|により|から|まで|より|が(?![るっりられろ])|と(?![しすさせ])|は|を|に|へ|で|も|の)"
)
SAME = {"も": "は", "へ": "に", "より": "から", "により": "によって"}
PASSIVE = re.compile("[らかさたまわがばなべ]れ(?:[るたてばな]|ま[しす])")

TOPIC, SUBJECT = "は", "が"
SUBJECTS = frozenset((TOPIC, SUBJECT))
AGENTS = frozenset(("に", "によって", "から"))
ENDS = frozenset(("から", "まで"))
LOOSE = frozenset((
    ("が", "を"), ("は", "を"), ("は", "の"), ("の", "は"), ("の", "が"), ("が", "の"),
    ("で", "の"), ("の", "で"), ("は", "で"), ("で", "は"), ("が", "で"), ("で", "が"),
    ("に", "で"), ("で", "に"), ("の", "を"), ("を", "の"),
))  # fmt: skip
"""Particles (claim, memory) that may replace each other if nothing else has moved."""

AHEAD = 2


def particle_of(kana: str) -> str:
    """Return the particle at the start of the kana after a word; empty for an ending or none."""
    found = PARTICLE.match(kana)
    return SAME.get(found["told"], found["told"]) if found else ""


def misplaced(clause: Clause, nearest: Clause, memory: Reading) -> tuple[str, bool] | None:
    """Return which words of a clause have another role in the memory, and whether two are swapped.

    None if all have the same role.
    """
    passive = ("passive" in clause.marks) != ("passive" in nearest.marks)
    moved: list[Found] = []
    kept: set[str] = set()
    for term, held in _pairs(clause, nearest, memory):
        fitting = [each for each in held if _fits(clause, term, nearest, each, passive=passive)]
        if not fitting:
            moved.append(Found(term, held[0], flipped=False))
        elif any(each.marker in SUBJECTS for each in fitting) and term.marker in SUBJECTS:
            kept.add(term.text)
    moved = [hit for hit in moved if not (_object(hit) and kept)]
    if not moved:
        return None
    moved_words = "”, “".join(dict.fromkeys(hit.claimed.text for hit in moved))
    if _turned(moved):
        return f"“{moved_words}” have changed places", True
    return f"the memory puts “{moved_words}” in another place", False


def _pairs(clause: Clause, nearest: Clause, memory: Reading) -> Iterator[tuple[Term, list[Term]]]:
    for term in clause.terms:
        for terms in (nearest.terms, memory.terms):
            held = [each for each in terms if find_term(term, (each,)) or _part_of(each, term)]
            if held:
                yield term, held
                break


def _part_of(held: Term, term: Term) -> bool:
    return not (held.value or term.value) and held.text in term.text


def _fits(clause: Clause, term: Term, nearest: Clause, held: Term, *, passive: bool) -> bool:
    """Return whether two words have the same particle, or interchangeable ones."""
    mine, other = term.marker, held.marker
    if not mine or not other:
        return True
    if term.value:
        return mine == other or not {mine, other} & ENDS
    if mine == other == "の":
        ours, theirs = _following(clause.terms, term), _following(nearest.terms, held)
        return not ours or not theirs or any(find_term(each, theirs) for each in ours)
    if passive and (
        (mine in SUBJECTS and other in {"を", "に"}) or (mine in AGENTS and other in SUBJECTS)
    ):
        return True
    if mine == other or {mine, other} == SUBJECTS:
        return not (passive and mine in SUBJECTS and _person(clause, nearest))
    return (mine, other) in LOOSE


def _person(clause: Clause, nearest: Clause) -> bool:
    """Return whether the passive clause names an agent."""
    terms = clause.terms if "passive" in clause.marks else nearest.terms
    return any(term.marker in AGENTS and not term.value for term in terms)


def _following(terms: Sequence[Term], term: Term) -> list[Term]:
    at = next((n for n, each in enumerate(terms) if each is term), len(terms))
    return list(terms[at + 1 : at + 1 + AHEAD])


def _object(hit: Found) -> bool:
    """Return whether a word only stopped being the topic: `milk, Ken buys it`, `Ken buys milk`."""
    return hit.claimed.marker == "を" and hit.held.marker in SUBJECTS


def _turned(moved: Sequence[Found]) -> bool:
    return any(
        (one.claimed.marker, other.claimed.marker) == (other.held.marker, one.held.marker)
        for one, other in permutations(moved, 2)
    )


PART = re.compile("[^。！？\uff1b、!?;,]+[。！？\uff1b、!?;,]?")
RUN = re.compile(r"\0+|[\u3400-\u9fff々]+|[\u30a1-\u30ff]+|[^\W\d_\u3040-\u9fff]+|[\u3041-\u309f]+")
DENIAL = re.compile(
    r"(?:では|じゃ|に|く|し|さ|ら|か|わ|た|ま|ば|が|れ|け|べ|え|め|て|き|来)?"
    r"(?:ない|なかった|ません|ずに|禁止|禁じ)|[かがさたなばまらわせべけれめえ]なくな[っり]"
    r"|(?<=[\u3400-\u9fff])[かがさたなばまらわせべけれめえきみし]ず(?=に?[、。]|$)"
    r"|(?:の|こと)を(?:や|止|辞|拒|断|避|控|忘|怠)|を(?:中止|拒否|断念|廃止|禁止|やめ|取りや)"
)
NO_DENIAL = re.compile(
    "なければ(?:なら|なり|いけ)|なくては(?:なら|いけ)|ねばなら|ないといけな|かもしれな"
    "|(?:間違い|違い|まちがい|ちがい)な|ても(?:構|かま)わな|(?:だけ|ばかり)でな|のみならず"
)
"""Negative forms that deny nothing: must, may, without doubt, not only."""

FORMS = (
    (re.compile("教わ"), "習わ"),
    (re.compile("預か(?=[らりるっれろ])"), "受預か"),
    (re.compile("((?:[えけげせてねべめれ]ば|なら(?![なばず])|たら(?!な)|場合[はに]|とき[はに]))(?!、)"),
     r"\1、"),
    (re.compile("(?:を)?することが?は?でき"), "ができ"),
    (re.compile("(?:不要|不必要|必要[がはも]な(?:い|し)|必要(?:あり|が?あり)ません"
                "|(?:いら|要ら)ない|(?:いり|要り)ません)(?:だ|です|である)?"), "必要ない"),
    (re.compile("([てで])は(?:ならない|なりません|いけない|いけません|だめ)"), r"\1禁止"),
    (re.compile("なければ(?:ならない|なりません|いけない)|なくては(?:ならない|いけない)|ねばならない"),
     "なければなら"),
)  # fmt: skip
"""Synonymous expressions, each with its canonical form."""

CONTRAST = re.compile(r"^(?:から|まで|に|へ|と)?(?:では|じゃ|で)なく")
NEGATIVE = re.compile("[不没沒无]|未(?![来來満满知])|[别勿](?!的|人)")
"""Chinese negations; in Japanese they occur within words, in claim and memory alike."""

CONTRASTS = re.compile(r"(?:では|じゃ|で)なく")
MARKS = {
    "only": re.compile("だけ|のみ|しか|只"),
    "condition": re.compile("(?:[えけげせてねべめれ]ば|なら|たら|場合[はに]|とき[はに])、?$"),
    "all": re.compile("全|すべて|みな|みんな|毎|でも|每|都"),
    "hedge": re.compile("かもしれ|たぶん|おそらく|らしい|可能|也许"),
}
MOODS = {
    "question": re.compile(
        "[?？吗嗎]|か(?:な|しら)?[。!]?$|かどうか|是否|[是有]没[是有]|[是]不是|呢[。]?$"
    ),
    "order": re.compile(
        "(?:ください|下さい|なさい|してくれ)[。!]?$|^(?:请|請|記得|记得|待办)|TODO"
    ),
    "must": re.compile("なければなら|なくてはなら|ねばなら|必须|必須|必要があ|需要"),
    "need": re.compile("べき|应该|應該|应当"),
    "wish": re.compile("たい(?:です|と|。|$)|つもり|予定|計画|希望|打算|计划|想要|だろう|でしょう"),
    "think": re.compile("と(?:思|考え|信じ)|ようだ|みたい|认为|認為|觉得|覺得|以为|相信"),
    "say": re.compile("と(?:言|いう|述べ|主張|話)|そうです|によると|によれば|声称|说|說|据"),
    "doubt": re.compile("疑|怀疑|懷疑|否认|否定|否認"),
    "pretend": re.compile("ふりを|嘘|冗談|假装|夢を"),
    "choice": re.compile("または|あるいは|もしくは|或者|还是|還是"),
}
"""Moods other than assertion; the end of a sentence shows them, so they apply to all of it."""
SENTENCE = re.compile("[^。！？\uff1b!?;]+[。！？\uff1b!?;]?")
LIGHT = frozenset(
    "事 時 訂正 為 様 方 物 言 考 思 現在 今 今後 約 中 上 下 者 誰".split()  # noqa: SIM905
)
LIMITS = {"以上": 1, "超": 1, "以降": 1, "以下": -1, "未満": -1, "以内": -1, "以前": -1}
EXCEPT = frozenset(("以外", "除"))
LISTING = "と"
LEAST = 2


def japanese_clauses(text: str) -> list[Clause]:
    """Split a text into clauses; single terms join the clause before them."""
    for form, rewritten in FORMS:
        text = form.sub(rewritten, text)
    starts = {value.start: value for value in values_in(text, "ja")}
    words = blanked(text, starts.values())
    out: list[Clause] = []
    spoken = [(each.end(), _moods(each[0])) for each in SENTENCE.finditer(words)]
    for part in PART.finditer(words):
        terms = _terms(part, text, starts)
        mood = next((moods for end, moods in spoken if part.end() <= end), frozenset[str]())
        denials, marks = _denials(part[0]), _marks(part[0]) | mood
        if out and (len(terms) < LEAST or len(out[-1].terms) < LEAST):
            out[-1] = _joined(out[-1], Clause(tuple(terms), denials, marks))
        elif terms:
            out.append(Clause(tuple(terms), denials, marks))
    return out


def _joined(last: Clause, clause: Clause) -> Clause:
    """Join two clauses; if only one is denied, its terms except a shared topic become denied."""
    marks = last.marks | clause.marks
    if not (last.terms and clause.terms) or last.denials % 2 == clause.denials % 2:
        terms = (*last.terms, *clause.terms)
        return Clause(terms, max(last.denials, clause.denials), marks)
    place = len(last.terms)
    own = last.terms if last.denials % 2 else clause.terms
    denied = {id(term) for term in own if term.marker != TOPIC or own is clause.terms}
    terms = tuple(
        replace(term, denied=place) if id(term) in denied else term
        for term in (*last.terms, *clause.terms)
    )
    return Clause(terms, 0, marks)


def _terms(part: re.Match[str], text: str, starts: Mapping[int, Value]) -> list[Term]:
    terms: list[Term] = []
    for run in RUN.finditer(part[0]):
        place = part.start() + run.start()
        if run[0][0] == "\0":
            figures = (starts[p] for p in range(place, place + len(run[0])) if p in starts)
            terms += [Term(text[v.start : v.end], f"#{v.kind}", value=v) for v in figures]
        elif "\u3041" <= run[0][0] <= "\u309f":
            _after(terms, run[0])
        elif run[0] in LIMITS and terms and terms[-1].value:
            terms[-1] = replace(terms[-1], bound=LIMITS[run[0]])
        elif run[0] in EXCEPT and terms:
            terms[-1] = replace(terms[-1], denied=len(terms))
        elif run[0].endswith("以外") and run[0] != "以外":
            terms.append(replace(_term(run[0][:-2]), denied=len(terms) + 1))
        elif run[0] not in LIGHT:
            terms.append(_term(run[0]))
    return _listed(terms)


def _listed(terms: list[Term]) -> list[Term]:
    """Give the terms of a list the particle of its last term: `AとBを`."""
    for at in range(len(terms) - 2, -1, -1):
        if terms[at].marker == LISTING and terms[at + 1].marker:
            terms[at] = replace(terms[at], marker=terms[at + 1].marker)
    return terms


def _denials(part: str) -> int:
    rest = NO_DENIAL.sub("", CONTRASTS.sub("", part))
    japanese = 0 if "しか" in rest else len(DENIAL.findall(rest))
    return (japanese + len(NEGATIVE.findall(rest))) % 2


def _marks(part: str) -> frozenset[str]:
    return frozenset(mark for mark, form in MARKS.items() if form.search(part))


def _moods(sentence: str) -> frozenset[str]:
    rewritten = sentence.strip()
    moods = {mood for mood, form in MOODS.items() if form.search(rewritten)}
    return frozenset(moods | {"passive"} if PASSIVE.search(rewritten) else moods)


def _after(terms: list[Term], kana: str) -> None:
    """Apply the kana after a word to it: `AではなくB` denies A, `Aを` makes A an object."""
    if not terms:
        return
    terms[-1] = replace(terms[-1], marker=particle_of(kana))
    if CONTRAST.match(kana):
        terms[-1] = replace(terms[-1], denied=len(terms))
    elif kana.startswith(("だけ", "のみ", "しか")):
        terms[-1] = replace(terms[-1], only=True)


def _term(run: str) -> Term:
    concept, sign = concept_of(run.casefold()) or (run.casefold(), 1)
    return Term(run, concept, sign, name=run[0].isupper() and run.isascii())
