"""Features of the creating frameworks: design, creativity, first principles, scenarios."""

from reasonloom.nodes.reasoning.routing.cues import any_of
from reasonloom.nodes.thinking.analyze.frameworks.framework import Feature

CREATION_FEATURES: tuple[Feature, ...] = (
    Feature(
        "design-thinking", 2.2, "it asks for something made for the people who use it",
        any_of(
            r"(?:customer|user|client|patient|kunden|nutzer)\w* ?(?:churn|satisf\w+|zufriedenheit)",
            r"user[- ](?:cent\w+|experience|research|journey|needs?)|(?:re)?design(?:ing|ed)?\b",
            r"prototyp\w*|usab\w*|ux\b|empath\w*|onboarding|persona\b",
            r"customer (?:journey|experience)|accessib\w*|easier (?:for|to use)",
            r"more (?:intuitive|welcoming|usable|accessible)|nutzerfreundlich\w*|gestalt\w+",
            r"bedienbar\w*|entwerfen\b|nutzerinnen|\w*nutzer\b",
        ),
    ),
    Feature(
        "design-thinking", 2.4, "it wants to hear or watch the people concerned first",
        any_of(
            r"(?:talk|listen|speak) (?:to|with) (?:them|the|some|a few|people|whom)",
            r"watch(?:ing)? (?:them|people|how|the|readers|someone|a few|one)",
            r"sit (?:with|beside|next|in|down with)",
            r"spend (?:time|a day|a week|an afternoon|a night|a morning)|ride (?:with|along)",
            r"ask(?:ed|ing)? (?:them|those|the people|anyone|ten|six)|hear from (?:them|the)",
            r"none of (?:us|them|whom) ha|never (?:met|asked|been|watched|sat|spoken)",
            r"with (?:them|those|the (?:people|kids|children|patients|women|men|drivers"
            r"|nurses)) (?:in|at|who|doing|wearing|from|and not|rather)",
            r"(?:not one|none) of (?:us|those|them)|nobody(?:'s| has)? (?:ever )?asked",
            r"how they (?:really|cook|live|use|work|do|feel)",
            r"what (?:they|she|he|people) (?:\w+ )?(?:need|want|do all day|like|hate|feel|miss)",
            r"lives? they|shadow(?:ing)?\b|(?:their|her|his) (?:day|shoes|hands|lives|evenings)",
        ),
    ),
    Feature(
        "design-thinking", 2.2, "people do not take to what was made for them",
        any_of(
            r"(?:don't|won't|doesn't|didn't|never|nobody|no one|hardly anyone|hate[sd]?"
            r"|ignore[sd]?|refuse[sd]?|avoid[sd]?) (?:use|uses|used|wear|wears|open|opens|read"
            r"|reads|attend|come|touch|fill|carry|it|them|the)\b",
            r"can't (?:read|see|hear|hold|kneel|reach|speak|tap|find|use)",
            r"goes? (?:straight|right) in(?:to)? the bin|drop out|give up (?:half|on|at|after)",
            r"get lost|confus(?:ed|ing)|was a (?:flop|failure)|gets? kicked",
        ),
    ),
    Feature(
        "design-thinking", 2.4, "it is to be made for certain people",
        any_of(
            r"(?:make|making|build|building|shape|sketch|draw|planning|rethink) (?:a|an|one|it"
            r"|something|the|them|this)\b",
            r"for (?:people|those|kids|children|women|men|families|patients|the deaf|the blind"
            r"|refugees|nurses|someone|somebody|lads|girls|parents|grandparents|teenagers) (?:who"
            r"|with|that|whose|in|can)|first[- ](?:time|sketch|page|line|version)",
        ),
    ),
    Feature(
        "design-thinking", 2.0, "it wants to learn how it is for them before anything is drawn",
        any_of(
            r"i(?:'d| would)? (?:like|love|want|ought|begin|need"
            r"|should)\w* (?:\w+ ){0,2}(?:to )?(?:sit|follow|walk|learn|listen|find out|be there"
            r"|know what|make them|start|go|see how|hear|meet|watch|shadow|understand)",
            r"what (?:they|she|he|it|that|carrying|goes|runs)\b[^.?]{0,30}\b(?:reach for"
            r"|go through|want|feels?|mean|through|need)|made by people",
            r"less (?:frightening|confusing|lonely|humiliating)",
            r"pleasant|dignified|welcoming|friendly to|people with\b",
            r"for (?:autistic|blind|deaf|old|elderly|anxious|nervous|new|young|small|visually)",
            r"(?:have|has) a say|let (?:us|me) (?:try|live|watch|come)",
            r"from (?:his|her|their) (?:chair|side|seat|eyes)|must be many like|wonder what",
            r"why they (?:put up|do|don't)|what sort of\b|willing to (?:talk|try|help)",
            r"something (?:they|of their|people)\b",
        ),
    ),
    Feature(
        "creative-problem-solving", 2.2, "it asks for new ideas, many of them",
        any_of(
            r"brainstorm\w*|ideas?\b|creativ\w*|invent\w*|come up with|outside the box|novel\b",
            r"unconventional|unusual|weird|wild(?:est)?\b|crazy|mad\b|think (?:up|of)\b",
            r"surpris(?:e|ing)|imaginative|alternatives? to|fresh\b|original\b|slogans?",
            r"what else\b|(?:how|where|who|what) else\b|else could",
            r"other (?:ways?|uses?) (?:to|of|for)|uses? for\b|ways? (?:to|of) \w+|how might we",
            r"(?:dream|cook) up|let rip|hold back|no one would dream|ideen?\b|einf\u00e4lle",
            r"kreativ\w*|ungew\u00f6hnlich\w*|erfind\w*|verr\u00fcckt\w*",
        ),
    ),
    Feature(
        "creative-problem-solving", 2.2, "what is usual has been tried, or is not wanted",
        any_of(
            r"(?:been|be|was|were|it's) (?:done|tried)(?: to death)?\b",
            r"(?:already|all) (?:tried|done|used)",
            r"(?:we've|i've|he's|she's|they've) (?:had|done|tried|used|set|been through|sunk)",
            r"nobody(?:'s| has|)? (?:ever )?(?:tried|heard|seen|thought|done|put|has)\b|same old",
            r"(?:no|nothing|anything|none|not|without) (?:but|with|from (?:films|a)|usual|boring"
            r"|please|too silly|lame)\b|isn'?t (?:lame|already|boring|a)\b",
            r"(?:no|not) \w+, (?:no|not) \w+",
            r"what (?:could|can|might|would) (?:i|we|you|one|it|that|a|the|be|this)\b",
            r"what might\b|somewhere else entirely|never been|free hand",
            r"anything (?:at all|goes|but)",
        ),
    ),
    Feature(
        "creative-problem-solving", 1.3, "it says how many it wants, or whom to amaze",
        any_of(
            r"(?:give|feed|show|throw|send|hit|surprise|tell) (?:me|us)\b",
            r"i (?:want|need|'d like) (?:\w+ )?(?:ten|twelve|fifteen|twenty|thirty|forty|fifty"
            r"|sixty|a dozen|dozens|a hundred|\d+|many)\b|please\b|including bad ones|stop dead",
            r"laugh|what do you do with|something (?:nobody|no|that|else|new|to)\b",
            r"(?:wants?|needs?) a\b",
        ),
    ),
    Feature(
        "first-principles", 2.2, "it asks to start from what is certain, not from custom",
        any_of(
            r"first principles?|from (?:scratch|zero|the ground|nothing)|ground up|fundamental\w*",
            r"(?:start|begin|build|work|derive|count|reckon|go)\w* (?:\w+ ){0,3}(?:from|up from"
            r"|with) (?:that|there|zero|the|what|just|only|it|those|how)\b|deriv(?:e|ed|ing)\b",
            r"(?:never|don't) (?:mind|tell me)\b|forget (?:the|what|how)",
            r"let'?s (?:see|recalculate)|take (?:it|the thing|this|that) (?:apart|to pieces)",
            r"strip\w* (?:away|down|it)|boil\w* down",
            r"(?:usual|customary|traditional\w*|everybody|everyone|they all|we all|always been"
            r"|others?|people say|rule of thumb|next door|competitors?)\b[^.?!]{0,60}[.?!,:]",
            r"rather than (?:copy|by)|copy(?:ing)?\b|grundprinzip\w*|von grund auf|grundlegend\w*",
            r"im kern\b",
        ),
    ),
    Feature(
        "first-principles", 2.0, "it asks what something is, does, needs or costs",
        any_of(
            r"what (?:does|do|has|is|are|would|must|will) (?:a|an|the|it|one|i|we|they|each|these"
            r"|to|people|someone|somebody|really|\w+ (?:really|actually|have to))\b[^.?]{0,80}",
            r"what'?s (?:a|an|the|it|in)\b|and what\b",
            r"why (?:(?:do|does|must|should|have) (?:we|a|an|they|every)|is (?:a|an|there))\b",
            r"what (?:makes|counts|remains|is left|follows|it takes)",
            r"how (?:much|many|big|long|loud|deep|far|thick|high|small|few|fast)\b",
            r"so (?:many|much)\b|really (?:need|cost|have|know|do|take)s?",
            r"ha(?:s|ve) to (?:be|do|have|hold|carry|know|happen|survive|cost|get|go|come)",
            r"the (?:least|smallest|cheapest|minimum|bare)\b|at all\?",
            r"was (?:muss|braucht|kostet|ist) (?:ein|eine|man|das|der|die)\b",
            r"if (?:nobody|no one) had",
        ),
    ),
    Feature(
        "first-principles", 1.3, "it reckons with quantities",
        any_of(
            r"(?:watts?|kilos?|kilograms?|grams?|litres?|liters?|metres?|meters?|minutes?|hours?"
            r"|cents?|kwh|joules?|volts?|tons?|tonnes?|degrees|calories|newtons|decibels|square"
            r"|cubic|per (?:hour|day|person|year|kilo|metre|cup|head|piece))\b",
            r"physics|buoyancy|energy|force\b|weight\b|volume|material|labour|wages",
            r": (?:what|how|who|so many|the|glass|water|flour|bed)\b",
        ),
    ),
    Feature(
        "scenario-planning", 2.2, "it asks to prepare for futures that differ",
        any_of(
            r"scenarios?|contingen\w*|what if\b|worst[- ]case|forecast\w*|foresee\w*",
            r"(?:in|by|until|after) (?:20[2-9]\d)",
            r"(?:ten|twenty|five|fifteen|thirty|\d+) years (?:from now|ahead|out|hence|time)"
            r"|years' time|in case\b|either way|in either case|whichever|whatever happens",
            r"prepar(?:e|ed) (?:for|me|us)|uncertain\w*|possible (?:worlds|futures)|future\b",
            r"before (?:anyone|anybody|we) (?:can|know)s?|can't know|szenari\w*|zukunft\w*",
            r"was w\u00e4re\b|vorbereit\w*|falls\b",
            r"next (?:\w+ )?(?:decade|ten years|five years|few years|year)|be (?:set|ready)\b",
            r"long[- ]term|imagine\b",
        ),
    ),
    Feature(
        "scenario-planning", 2.3, "it says what may come, one way or the other",
        any_of(
            r"(?:may|might|could) (?:\w+ )?(?:be|go|come|get|stop|close|leave|raise|shut|sell"
            r"|stay|break|freeze|recover|split|merge|double|move|become|renew|ban|fall|turn|win"
            r"|lose|die|drop|cut|sink)\w*",
            r", or (?:\w+ ){0,8}?(?:it|not|neither|both|never|stay|half|all|nothing|a|the|another"
            r"|in|to|only)\b|or (?:never|neither|hardly|not at all|not)\b",
            r"should (?:the|it|we|they)\b[^.?!]{3,60},",
            r"if (?:the|it|they|she|he|we)\b[^.?!]{3,80}(?:, or |; if|, if|and if)",
            r"perhaps\b|maybe\b|it's possible|depending on|rumour|rumor",
            r"will (?:\w+ ){1,6}(?:still|ever|be)\b|or (?:\d+|\w+ty|twice|half|three|two)\b",
            r"(?:gone|banned|closed|shut|open|renewed)[^.?!]{0,30}\bor\b",
            r"could (?:all )?be (?:over|gone|different)|k\u00f6nnte\w*\b.{0,60}\boder\b",
        ),
    ),
    Feature(
        "scenario-planning", 1.4, "a choice has to be made now that binds for years",
        any_of(
            r"(?:lease|loan|mortgage|licen[cs]e|contract|concession|deposit|tender|pension"
            r"|permit)\b",
            r"(?:decide|choose|choosing|commit|sign|order|invest|renovate|rebuild|buy|hire|plant"
            r"|build)\b[^.?!]{0,40}\b(?:now|today|by|before|for (?:a|ten|fifteen|twenty))\b",
            r"(?:we're|i'm) (?:about to|choosing|to (?:sign|lease|buy|decide))",
            r"which (?:\w+ )?(?:first|should|make sense|to)|what should (?:we|our|i|the)\b",
            r"(?:for|in|within) (?:\w+ )?(?:ten|fifteen|twenty|thirty|five|\d+) years",
            r"(?:elections?|strike|war|drought|sanctions|ban|tariffs?|merger|law)\b",
            r"in all (?:of )?(?:these|them|three)|live with|plan(?:ning)? for\b",
        ),
    ),
)  # fmt: skip
