"""Features of the investigating frameworks: experiment, systems, critique, root cause."""

from reasonloom.nodes.reasoning.routing.cues import any_of
from reasonloom.nodes.thinking.analyze.frameworks.framework import Feature

INVESTIGATION_FEATURES: tuple[Feature, ...] = (
    Feature(
        "scientific-method", 2.2, "it asks for an experiment or a hypothesis to be tested",
        any_of(
            r"hypothes\w*|experiment\w*|control group|placebo\w*|empiric\w*|a/b|randomi[sz]e\w*",
            r"statistic\w*|correlat\w*|blindfold\w*",
            r"test (?:whether|if|this|that|it|which|my|our|the)\b|put (?:it|this|that) to the",
            r"(?:my|our|a|the) theory\b|disentangle|fair (?:test|comparison)|settle it",
            r"measur(?:e|ed|ing) (?:whether|if|the (?:effect|difference))|side by side",
            r"experimentell\w*|messreihe\w*|kontrollgruppe\w*|versuchsreihe\w*",
        ),
    ),
    Feature(
        "scientific-method", 1.4, "it asks whether something has an effect",
        any_of(
            r"(?:does|do|did) (?:\w+ ){1,6}(?:improve|help|reduce|increase|affect|work|lower)\b",
            r"how (?:can|could|would|do) (?:i|we) find out",
            r"(?:does|do|did|is|are|has|have|will) (?:\w+ ){1,6}(?:really|actually)\b",
            r"whether (?:it|the|this|that|my|our|a|she|he|they)\b[^.?!]{0,60}\b(?:makes?|helps?"
            r"|works?|matters?|affects?|reduces?|improves?|causes?|spoils?)",
            r"or (?:is it|was it|it's|it is) (?:just|merely|only|the)\b|or just (?:the|a|luck)",
            r"what effect|(?:an?|any|no) effect (?:of|on)|make(?:s)? a difference",
            r"find out (?:whether|if|which)|know (?:whether|if|which of)|check (?:it|whether)",
            r"how do i find out",
            r"how (?:can|could|would|do|should) (?:i|we) (?:test|tell|prove|show)",
            r"is there (?:any(?:thing)? (?:in|to) it|a link)|wirkt\b|einen effekt",
            r"ob (?:das|es|die|der) .{0,60}\b(?:wirklich|tats\u00e4chlich|besser|schneller)\b",
        ),
    ),
    Feature(
        "scientific-method", 2.0, "somebody believes or suspects what could be tried out",
        any_of(
            r"(?:thinks?|believes?|swears?|convinced|suspects?|bets?|reckons?|fanc(?:y|ies)|hunch"
            r"|guess|credits?|blames? it on|insists?|they tell)\b|it's said|old wives",
            r"superstition|folklore|word (?:is|in the)|there's a saying|am i kidding|vermute\w*",
            r"glaubt\b|behauptet\b",
        ),
    ),
    Feature(
        "scientific-method", 2.4, "it names what could be compared or recorded",
        any_of(
            r"(?:the|one|other|each) half\b|half (?:of )?(?:the|them|our|my)\b",
            r"two (?:\w+ )?(?:groups?|batches|beds|rows|plots|stacks|fields|rooms|branches"
            r"|greenhouses|pens|tanks|kilns|ovens)",
            r"(?:logs?|records?|diary|diaries|register|readings|logbook|stopwatch|thermometer"
            r"|scale|gauge|notebook|timings?) (?:goes?|go|back|of|for|from|since|and)\b",
            r"i (?:can|could) (?:toggle|switch|swap|measure|weigh|time|count|do one|try both"
            r"|route|split)",
            r"we (?:can|could) (?:route|split|measure|weigh|time|show|leave one|try both|switch)",
            r"than the other\b",
            r"(?:faster|slower|longer|better|worse|more|less|fewer|earlier|quicker"
            r"|calmer) (?:than|when|if|with|on|after|near|under|in)\b|samples? (?:from|of) both",
        ),
    ),
    Feature(
        "scientific-method", 2.4, "it speaks of what a fair trial takes",
        any_of(
            r"with(?:out)? and with(?:out)?\b|same (?:\w+, same|\w+ and the same)\b|evidence\b",
            r"(?:no|with) figures\b|settle (?:the|it|this)|looked into\b|swap(?:ped|ping)?\b",
            r"leave all else|how many (?:runs|times|cases|weeks|trials|tries|nights|days)",
            r"enough to (?:tell|show|prove|say)|(?:makes?|made) (?:no|any) (?:odds|difference)",
            r"in? doubts?\b|not convinced",
            r"(?:bring|brings|set|grow|last|cast|sleep|rise|ring|sell|run|eat|clean|warp|brush"
            r"|come)s? (?:in )?(?:more|longer|farther|better|faster|earlier|deeper|sooner|less"
            r"|quicker)|(?:it|that) may be the\b|taste\b|compar(?:e|ed|ison)\b",
            r"one (?:can|could|i)\b|or (?:just|simply|is it|was it|the|since)\b",
        ),
    ),
    Feature(
        "systems-thinking", 2.2, "it asks how parts of a whole act on each other",
        any_of(
            r"feedback\b|vicious|knock-on|ripple\w*|interconnect\w*|interact\w*|interdepend\w*",
            r"(?:influence|affect|feed|drive|push|reinforce)s? each other",
            r"each other (?:around|up|on)|spiral\w*|side[- ]effects?|unintended|ecosystem\w*",
            r"whole (?:web|system|picture|thing hangs)|leverage|loops?\b|the others move",
            r"drives? the (?:other|next)|chain reaction|wechselwirk\w*|teufelskreis",
            r"r\u00fcckkopplung\w*|zusammenh\u00e4ng\w*|as a whole\b",
            r"(?:how|where) (?:it all|everything|these things) (?:hangs?|fits?|connects?)",
        ),
    ),
    Feature(
        "systems-thinking", 2.3, "one thing leads to the next and back again",
        any_of(
            r"(?<=, )(?:so|and now|which|then|and then) (?:the|they|we|more|fewer|less|even|it"
            r"|our|he|she|i|there|people|nobody|everyone|makes?|means?|drives?|brings?)\b",
            r"and the (?:\w+ ){1,4}(?:more|less|fewer|worse|higher|dearer|longer)\b",
            r"the more\b[^.?!]{0,80}\bthe (?:more|less|fewer|worse|longer)",
            r"so (?:the|they|more|fewer|we)\b",
            r"which (?:is why|makes|means|brings|drives|pushes|in turn)",
            r"(?:since|because) (?:\w+ ){0,10}\w+, so\b",
            r"(?:and|then) (?:so )?(?:up|round|back) (?:again|it goes|we go)|whenever\b",
            r"each time\b|je (?:mehr|weniger)\b",
        ),
    ),
    Feature(
        "systems-thinking", 1.7, "things rise and fall together over time",
        any_of(
            r"(?:gets?|got|getting|grows?|goes|went|going|falls?|fell|rises?|rose|shrinks?"
            r"|climbs?) (?:even |still )?(?:worse|dirtier|dearer|quieter|up|down|bigger|smaller"
            r"|longer|fewer|thinner|emptier|more|less)\b",
            r"(?:more|fewer|less) \w+,? (?:so |and |means? |turn up )?(?:more|fewer|less)\b",
            r"(?:\w+ ){1,3}(?:up|down), (?:\w+ ){1,4}(?:up|down)|pull on one",
            r"(?:ends? up|pops? up|turns? up|comes? back) (?:in|on|further|elsewhere|somewhere"
            r"|next)|(?:the next|another) (?:\w+ )?(?:village|town|ward|one|street|farm)\b",
            r"there's no slack|(?:years?|winters?|decades?) (?:on|later)\b|leave,|left,|quit,",
        ),
    ),
    Feature(
        "systems-thinking", 0.9, "the same things come back in it",
        any_of(
            r"([a-z\u00e4\u00f6\u00fc]{5})\w*\b(?=.{0,300}?\b\1)",
        ),
    ),
    Feature(
        "systems-thinking", 1.0, "a remedy is overtaken by what it sets off",
        any_of(
            r"(?:led|leads|leading) to\b|so they\b|hence\b|as (?:before|it was|ever)\b",
            r"pays? for\b|word gets round|took over\b",
            r"(?:each|every) (?:\w+ ){1,4}(?:makes?|raises?|brings?|forces?|leaves?|needs?)",
            r"(?:which|and that) (?:raises|forces|lowers|makes)",
            r"more and more|earlier and earlier|less and less|fewer and fewer|hangs together",
            r"pulling on|if i \w+|the harder\b|(?:nobody|no one) (?:dares|bothers|wants)",
            r"(?:left|leave|leaves|leaving|quit)\b|(?:now|again|by autumn)\b[^.]*\.$",
        ),
    ),
    Feature(
        "critical-thinking", 2.2, "it asks to judge an argument, a source or a claim",
        any_of(
            r"argument\w*|claim(?:s|ed)?\b|fallac\w*|credib\w*|evaluat\w*|valid\b|biased?\b",
            r"convinc(?:ing|ed by)|persua(?:de|sive)\w*|assess\w*|sceptic\w*|skeptic\w*",
            r"sound (?:reasoning|argument|logic)|is (?:it|this|that) sound|trustworth\w*",
            r"hold(?:s)? (?:up|water)|follow(?:s)? from (?:it|this|that)\b",
            r"(?:he|she|they) argues?|pick (?:it|this|that) apart",
            r"what(?:'s| is) (?:missing|wrong with|left out)|argumente?\b|glaubw\u00fcrdig\w*",
            r"stichhaltig\w*|beurteil\w*|behauptung\w*",
        ),
    ),
    Feature(
        "critical-thinking", 2.4, "it doubts what somebody says or has published",
        any_of(
            r"(?:is|are) (?:that|this|it|he|she|they) (?:true|right|so|sound|fair|enough|proof"
            r"|evidence)",
            r"(?:do|should|can|may|could|must) (?:i|we) (?:believe|trust|buy|call|conclude|sign"
            r"|swallow|accept|take (?:it|this|that|his|her|their))",
            r"what (?:may|can|should) (?:be|i|we) conclude|what questions",
            r"i (?:don't|can't) (?:quite )?(?:buy|believe|say why|trust)|how far can",
            r"anything in (?:that|it)|going? (?:through|over) it with me|weigh (?:it|this|that)",
            r"how (?:good|strong|solid|sure|seriously|much)\b[^.?!]{0,30}\b(?:evidence|proof|case"
            r"|take|trust)|which, if either|worth (?:believing|anything)",
            r"where does this come from|who (?:wrote|paid|says|funded)|running in a circle",
            r"am i being|sleight of hand",
        ),
    ),
    Feature(
        "critical-thinking", 1.7, "a text, an expert or a seller makes a case",
        any_of(
            r"(?:study|studies|paper|report|brochure|leaflet|article|petition|editorial|op-?ed"
            r"|book|essay|letter|brief|memo|pitch|chart|documentary|website|blog|ad|review|survey"
            r"|poll|podcast|headline|column|speech|sermon|video|press release|trial|assessment)\b",
            r"(?:says?|writes?|wrote|cites?|quotes?|concludes?|reasons|maintains?|argues?|proves?"
            r"|shows?) (?:that|he|she|it|they|the|we|because|since|there|in|so|i|my|our|you)\b",
            r"according to|'(?:the )?(?:research|science|experts?|studies|everyone|evidence)\b",
            r"'[^']{3,40}'",
            r"(?:lobbyist|vendor|salesman|rep|agent|lawyer|consultant|guru|expert|columnist"
            r"|homeopath|astrologer|politician|minister|spokesman|influencer)(?:'s|s)?\b",
        ),
    ),
    Feature(
        "root-cause-analysis", 2.2, "it asks why something goes wrong",
        any_of(
            r"root cause|causes?\b|caused\b",
            r"what(?:'s| is| was) (?:causing|making|behind|going on|killing|wrong|eating|draining)",
            r"why (?:is|are|does|do|did|has|have|was|were) (?:the|our|my|it|this|that"
            r"|they)\b[^.?!]{0,80}\b(?:fail\w*|crash\w*|break\w*|slow\w*|drop\w*|los\w+|leak\w*"
            r"|stop\w*|error\w*|late|down|wrong|die\w*|dying|again)|fail(?:s|ed|ing|ures?)?\b",
            r"crash\w*|outages?|bugs?\b|debug\w*|diagnos\w*|troubleshoot\w*|intermittent\w*",
            r"errors?\b|post-?mortem|incident\b|ursachen?\b",
            r"warum\b.{0,60}\b(?:nicht|ausf\w+|st\u00fcrzt|immer wieder|langsam)|fehler\b",
            r"st\u00fcrzt\b|ausf\u00e4ll\w*",
        ),
    ),
    Feature(
        "root-cause-analysis", 1.6, "it wants to trace back how something came about",
        any_of(
            r"went (?:wrong|amiss|off)|go(?:es|ne)? wrong|happened\b",
            r"came (?:from|about|back|out|home)",
            r"how (?:it|they|she|he|we|this|that) (?:got|came|ended|could)|trace\b|reconstruct",
            r"what (?:let|tipped|sets?|lies|changed|had)\b",
            r"look(?:ing)? (?:for|into) (?:what|whatever|the)|dig (?:down|into)|get to the bottom",
            r"human error|scapegoat|(?:patch|fix|replac)\w* (?:it|them|that|the)\b",
            r"isn't the answer|not the answer|know what'?s? |to blame",
            r"understand (?:it|how|what|why)",
            r"before (?:we|i) (?:sail|apply|order|do|try|go|replace|buy) ",
        ),
    ),
    Feature(
        "root-cause-analysis", 1.4, "it tells of a fault that returns, and when",
        any_of(
            r"(?:keeps?|kept) (?:\w+ )?(?:com|fall|break|fail|go|los|stopp|leav|trip|blow|burst"
            r"|return|gett)\w*|(?:again|twice|thrice)\b(?![^.?!]*\?)",
            r"(?:second|third|fourth|fifth|sixth) (?:time|one|in a|this|since|week|month)",
            r"(?:times|days|nights|weeks|sundays|mondays|years) running",
            r"every (?:\w+ )?(?:night|morning|week|time|month|monday|tuesday|wednesday|thursday"
            r"|friday|sunday)|at \d+[:.]\d\d",
            r"(?:on|since|last|until) (?:\w+ )?(?:monday|tuesday|wednesday|thursday|friday"
            r"|saturday|sunday|january|february|march|april|may \d|june|july|august|september"
            r"|october|november|december|easter|christmas|\d)",
            r"(?:only|always) (?:on|at|in|when|the)\b",
            r"out of (?:the )?(?:twelve|ten|a hundred|\d+|\w+ty)|(?:had|has) been\b",
            r"never (?:before|used to)|not before|(?:new|same) \w+, (?:new|same)\b",
            r"the same (?:\w+ )?(?:thing|way|spot|place|hill|day|three|two|people)",
            r"though|yet the|, but (?:the|it|not|this|only|our)\b",
        ),
    ),
    Feature(
        "root-cause-analysis", 0.5, "it tells in the past tense what happened",
        any_of(
            r"was\b|were\b|had\b|did\b|didn't\b|came\b|went\b|fell\b|lost\b|got\b|lay\b",
            r"\w{3,}ed\b",
        ),
    ),
    Feature(
        "root-cause-analysis", 1.5, "it asks for the reason, link by link",
        any_of(
            r"same \w+",
            r"(?:know|see|understand|find out|learn|tell us) (?:the reason|why|where|how it"
            r"|what was|what's)\b|whole chain|link by link|underneath|walk (?:me|us) back",
            r"trouble (?:start|began)|what was different",
            r"(?:not|n't) (?:interested in|believe in|want to hear|after) |although\b",
            r"should have\b",
            r"why (?:it|they|we|nobody|no one|this) (?:could|can|did|happened|wasn't|weren't)",
            r"safeguards?|start(?:ing)? from the|the other (?:\w+ )?(?:didn't|did not|is|was|are)",
        ),
    ),
)  # fmt: skip
