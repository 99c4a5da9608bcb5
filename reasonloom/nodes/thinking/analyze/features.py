"""Textual features that indicate a framework, those of the investigating ones first."""

from reasonloom.nodes.thinking.analyze.frameworks.framework import Feature

FEATURES: tuple[Feature, ...] = (
    Feature.of(
        "scientific-method", 2.2, "it asks for an experiment or a hypothesis to be tested",
        r"hypothes\w*|experiment\w*|control group|placebo\w*|empiric\w*|a/b|randomi[sz]e\w*",
        r"statistic\w*|correlat\w*|blindfold\w*",
        r"test (?:whether|if|this|that|it|which|my|our|the)\b|put (?:it|this|that) to the",
        r"(?:my|our|a|the) theory\b|disentangle|fair (?:test|comparison)|settle it",
        r"measur(?:e|ed|ing) (?:whether|if|the (?:effect|difference))|side by side",
        r"experimentell\w*|messreihe\w*|kontrollgruppe\w*|versuchsreihe\w*",
    ),
    Feature.of(
        "scientific-method", 1.4, "it asks whether something has an effect",
        r"(?:does|do|did) (?:\w+ ){1,6}(?:improve|help|reduce|increase|affect|work|lower)\b",
        r"how (?:can|could|would|do) (?:i|we) find out",
        r"(?:does|do|did|is|are|has|have|will) (?:\w+ ){1,6}(?:really|actually)\b",
        r"whether (?:it|the|this|that|my|our|a|she|he|they)\b[^.?!]{0,60}\b(?:makes?|helps?"
        r"|works?|matters?|affects?|reduces?|improves?|causes?|spoils?)",
        r"or (?:is it|was it|it's|it is) (?:just|merely|only|the)\b|or just (?:the|a|luck)",
        r"what effect|(?:an?|any|no) effect (?:of|on)|make(?:s)? a difference",
        r"find out (?:whether|if|which)|know (?:whether|if|which of)|check (?:it|whether)",
        r"how do i find out|how (?:can|could|would|do|should) (?:i|we) (?:test|tell|prove|show)",
        r"is there (?:any(?:thing)? (?:in|to) it|a link)|wirkt\b|einen effekt",
        r"ob (?:das|es|die|der) .{0,60}\b(?:wirklich|tats\u00e4chlich|besser|schneller)\b",
    ),
    Feature.of(
        "scientific-method", 2.0, "somebody believes or suspects what could be tried out",
        r"(?:thinks?|believes?|swears?|convinced|suspects?|bets?|reckons?|fanc(?:y|ies)|hunch"
        r"|guess|credits?|blames? it on|insists?|they tell)\b|it's said|old wives|superstition",
        r"folklore|word (?:is|in the)|there's a saying|am i kidding|vermute\w*|glaubt\b",
        r"behauptet\b",
    ),
    Feature.of(
        "scientific-method", 2.4, "it names what could be compared or recorded",
        r"(?:the|one|other|each) half\b|half (?:of )?(?:the|them|our|my)\b",
        r"two (?:\w+ )?(?:groups?|batches|beds|rows|plots|stacks|fields|rooms|branches"
        r"|greenhouses|pens|tanks|kilns|ovens)",
        r"(?:logs?|records?|diary|diaries|register|readings|logbook|stopwatch|thermometer|scale"
        r"|gauge|notebook|timings?) (?:goes?|go|back|of|for|from|since|and)\b",
        r"i (?:can|could) (?:toggle|switch|swap|measure|weigh|time|count|do one|try both|route"
        r"|split)",
        r"we (?:can|could) (?:route|split|measure|weigh|time|show|leave one|try both|switch)",
        r"than the other\b",
        r"(?:faster|slower|longer|better|worse|more|less|fewer|earlier|quicker|calmer) (?:than"
        r"|when|if|with|on|after|near|under|in)\b|samples? (?:from|of) both",
    ),
    Feature.of(
        "scientific-method", 2.4, "it speaks of what a fair trial takes",
        r"with(?:out)? and with(?:out)?\b|same (?:\w+, same|\w+ and the same)\b|evidence\b",
        r"(?:no|with) figures\b|settle (?:the|it|this)|looked into\b|swap(?:ped|ping)?\b",
        r"leave all else|how many (?:runs|times|cases|weeks|trials|tries|nights|days)",
        r"enough to (?:tell|show|prove|say)|(?:makes?|made) (?:no|any) (?:odds|difference)",
        r"in? doubts?\b|not convinced",
        r"(?:bring|brings|set|grow|last|cast|sleep|rise|ring|sell|run|eat|clean|warp|brush"
        r"|come)s? (?:in )?(?:more|longer|farther|better|faster|earlier|deeper|sooner|less"
        r"|quicker)|(?:it|that) may be the\b|taste\b|compar(?:e|ed|ison)\b|one (?:can|could|i)\b",
        r"or (?:just|simply|is it|was it|the|since)\b",
    ),
    Feature.of(
        "systems-thinking", 2.2, "it asks how parts of a whole act on each other",
        r"feedback\b|vicious|knock-on|ripple\w*|interconnect\w*|interact\w*|interdepend\w*",
        r"(?:influence|affect|feed|drive|push|reinforce)s? each other|each other (?:around|up|on)",
        r"spiral\w*|side[- ]effects?|unintended|ecosystem\w*",
        r"whole (?:web|system|picture|thing hangs)|leverage|loops?\b|the others move",
        r"drives? the (?:other|next)|chain reaction|wechselwirk\w*|teufelskreis",
        r"r\u00fcckkopplung\w*|zusammenh\u00e4ng\w*|as a whole\b",
        r"(?:how|where) (?:it all|everything|these things) (?:hangs?|fits?|connects?)",
    ),
    Feature.of(
        "systems-thinking", 2.3, "one thing leads to the next and back again",
        r"(?<=, )(?:so|and now|which|then|and then) (?:the|they|we|more|fewer|less|even|it|our|he"
        r"|she|i|there|people|nobody|everyone|makes?|means?|drives?|brings?)\b",
        r"and the (?:\w+ ){1,4}(?:more|less|fewer|worse|higher|dearer|longer)\b",
        r"the more\b[^.?!]{0,80}\bthe (?:more|less|fewer|worse|longer)",
        r"so (?:the|they|more|fewer|we)\b",
        r"which (?:is why|makes|means|brings|drives|pushes|in turn)",
        r"(?:since|because) (?:\w+ ){0,10}\w+, so\b",
        r"(?:and|then) (?:so )?(?:up|round|back) (?:again|it goes|we go)|whenever\b|each time\b",
        r"je (?:mehr|weniger)\b",
    ),
    Feature.of(
        "systems-thinking", 1.7, "things rise and fall together over time",
        r"(?:gets?|got|getting|grows?|goes|went|going|falls?|fell|rises?|rose|shrinks?"
        r"|climbs?) (?:even |still )?(?:worse|dirtier|dearer|quieter|up|down|bigger|smaller"
        r"|longer|fewer|thinner|emptier|more|less)\b",
        r"(?:more|fewer|less) \w+,? (?:so |and |means? |turn up )?(?:more|fewer|less)\b",
        r"(?:\w+ ){1,3}(?:up|down), (?:\w+ ){1,4}(?:up|down)|pull on one",
        r"(?:ends? up|pops? up|turns? up|comes? back) (?:in|on|further|elsewhere|somewhere|next)",
        r"(?:the next|another) (?:\w+ )?(?:village|town|ward|one|street|farm)\b|there's no slack",
        r"(?:years?|winters?|decades?) (?:on|later)\b|leave,|left,|quit,",
    ),
    Feature.of(
        "systems-thinking", 0.9, "the same things come back in it",
        r"([a-z\u00e4\u00f6\u00fc]{5})\w*\b(?=.{0,300}?\b\1)",
    ),
    Feature.of(
        "systems-thinking", 1.0, "a remedy is overtaken by what it sets off",
        r"(?:led|leads|leading) to\b|so they\b|hence\b|as (?:before|it was|ever)\b|pays? for\b",
        r"word gets round|took over\b",
        r"(?:each|every) (?:\w+ ){1,4}(?:makes?|raises?|brings?|forces?|leaves?|needs?)",
        r"(?:which|and that) (?:raises|forces|lowers|makes)|more and more|earlier and earlier",
        r"less and less|fewer and fewer|hangs together|pulling on|if i \w+|the harder\b",
        r"(?:nobody|no one) (?:dares|bothers|wants)|(?:left|leave|leaves|leaving|quit)\b",
        r"(?:now|again|by autumn)\b[^.]*\.$",
    ),
    Feature.of(
        "critical-thinking", 2.2, "it asks to judge an argument, a source or a claim",
        r"argument\w*|claim(?:s|ed)?\b|fallac\w*|credib\w*|evaluat\w*|valid\b|biased?\b",
        r"convinc(?:ing|ed by)|persua(?:de|sive)\w*|assess\w*|sceptic\w*|skeptic\w*",
        r"sound (?:reasoning|argument|logic)|is (?:it|this|that) sound|trustworth\w*",
        r"hold(?:s)? (?:up|water)|follow(?:s)? from (?:it|this|that)\b|(?:he|she|they) argues?",
        r"pick (?:it|this|that) apart|what(?:'s| is) (?:missing|wrong with|left out)|argumente?\b",
        r"glaubw\u00fcrdig\w*|stichhaltig\w*|beurteil\w*|behauptung\w*",
    ),
    Feature.of(
        "critical-thinking", 2.4, "it doubts what somebody says or has published",
        r"(?:is|are) (?:that|this|it|he|she|they) (?:true|right|so|sound|fair|enough|proof"
        r"|evidence)",
        r"(?:do|should|can|may|could|must) (?:i|we) (?:believe|trust|buy|call|conclude|sign"
        r"|swallow|accept|take (?:it|this|that|his|her|their))",
        r"what (?:may|can|should) (?:be|i|we) conclude|what questions",
        r"i (?:don't|can't) (?:quite )?(?:buy|believe|say why|trust)|how far can",
        r"anything in (?:that|it)|going? (?:through|over) it with me|weigh (?:it|this|that)",
        r"how (?:good|strong|solid|sure|seriously|much)\b[^.?!]{0,30}\b(?:evidence|proof|case"
        r"|take|trust)|which, if either|worth (?:believing|anything)|where does this come from",
        r"who (?:wrote|paid|says|funded)|running in a circle|am i being|sleight of hand",
    ),
    Feature.of(
        "critical-thinking", 1.7, "a text, an expert or a seller makes a case",
        r"(?:study|studies|paper|report|brochure|leaflet|article|petition|editorial|op-?ed|book"
        r"|essay|letter|brief|memo|pitch|chart|documentary|website|blog|ad|review|survey|poll"
        r"|podcast|headline|column|speech|sermon|video|press release|trial|assessment)\b",
        r"(?:says?|writes?|wrote|cites?|quotes?|concludes?|reasons|maintains?|argues?|proves?"
        r"|shows?) (?:that|he|she|it|they|the|we|because|since|there|in|so|i|my|our|you)\b",
        r"according to|'(?:the )?(?:research|science|experts?|studies|everyone|evidence)\b",
        r"'[^']{3,40}'",
        r"(?:lobbyist|vendor|salesman|rep|agent|lawyer|consultant|guru|expert|columnist|homeopath"
        r"|astrologer|politician|minister|spokesman|influencer)(?:'s|s)?\b",
    ),
    Feature.of(
        "root-cause-analysis", 2.2, "it asks why something goes wrong",
        r"root cause|causes?\b|caused\b",
        r"what(?:'s| is| was) (?:causing|making|behind|going on|killing|wrong|eating|draining)",
        r"why (?:is|are|does|do|did|has|have|was|were) (?:the|our|my|it|this|that"
        r"|they)\b[^.?!]{0,80}\b(?:fail\w*|crash\w*|break\w*|slow\w*|drop\w*|los\w+|leak\w*"
        r"|stop\w*|error\w*|late|down|wrong|die\w*|dying|again)|fail(?:s|ed|ing|ures?)?\b",
        r"crash\w*|outages?|bugs?\b|debug\w*|diagnos\w*|troubleshoot\w*|intermittent\w*|errors?\b",
        r"post-?mortem|incident\b|ursachen?\b",
        r"warum\b.{0,60}\b(?:nicht|ausf\w+|st\u00fcrzt|immer wieder|langsam)|fehler\b",
        r"st\u00fcrzt\b|ausf\u00e4ll\w*",
    ),
    Feature.of(
        "root-cause-analysis", 1.6, "it wants to trace back how something came about",
        r"went (?:wrong|amiss|off)|go(?:es|ne)? wrong|happened\b",
        r"came (?:from|about|back|out|home)",
        r"how (?:it|they|she|he|we|this|that) (?:got|came|ended|could)|trace\b|reconstruct",
        r"what (?:let|tipped|sets?|lies|changed|had)\b",
        r"look(?:ing)? (?:for|into) (?:what|whatever|the)|dig (?:down|into)|get to the bottom",
        r"human error|scapegoat|(?:patch|fix|replac)\w* (?:it|them|that|the)\b|isn't the answer",
        r"not the answer|know what'?s? |to blame|understand (?:it|how|what|why)",
        r"before (?:we|i) (?:sail|apply|order|do|try|go|replace|buy) ",
    ),
    Feature.of(
        "root-cause-analysis", 1.4, "it tells of a fault that returns, and when",
        r"(?:keeps?|kept) (?:\w+ )?(?:com|fall|break|fail|go|los|stopp|leav|trip|blow|burst"
        r"|return|gett)\w*|(?:again|twice|thrice)\b(?![^.?!]*\?)",
        r"(?:second|third|fourth|fifth|sixth) (?:time|one|in a|this|since|week|month)",
        r"(?:times|days|nights|weeks|sundays|mondays|years) running",
        r"every (?:\w+ )?(?:night|morning|week|time|month|monday|tuesday|wednesday|thursday"
        r"|friday|sunday)|at \d+[:.]\d\d",
        r"(?:on|since|last|until) (?:\w+ )?(?:monday|tuesday|wednesday|thursday|friday|saturday"
        r"|sunday|january|february|march|april|may \d|june|july|august|september|october|november"
        r"|december|easter|christmas|\d)|(?:only|always) (?:on|at|in|when|the)\b",
        r"out of (?:the )?(?:twelve|ten|a hundred|\d+|\w+ty)|(?:had|has) been\b",
        r"never (?:before|used to)|not before|(?:new|same) \w+, (?:new|same)\b",
        r"the same (?:\w+ )?(?:thing|way|spot|place|hill|day|three|two|people)|though|yet the",
        r", but (?:the|it|not|this|only|our)\b",
    ),
    Feature.of(
        "root-cause-analysis", 0.5, "it tells in the past tense what happened",
        r"was\b|were\b|had\b|did\b|didn't\b|came\b|went\b|fell\b|lost\b|got\b|lay\b|\w{3,}ed\b",
    ),
    Feature.of(
        "root-cause-analysis", 1.5, "it asks for the reason, link by link",
        r"same \w+",
        r"(?:know|see|understand|find out|learn|tell us) (?:the reason|why|where|how it|what was"
        r"|what's)\b|whole chain|link by link|underneath|walk (?:me|us) back",
        r"trouble (?:start|began)|what was different",
        r"(?:not|n't) (?:interested in|believe in|want to hear|after) |although\b|should have\b",
        r"why (?:it|they|we|nobody|no one|this) (?:could|can|did|happened|wasn't|weren't)",
        r"safeguards?|start(?:ing)? from the|the other (?:\w+ )?(?:didn't|did not|is|was|are)",
    ),
    Feature.of(
        "design-thinking", 2.2, "it asks for something made for the people who use it",
        r"(?:customer|user|client|patient|kunden|nutzer)\w* ?(?:churn|satisf\w+|zufriedenheit)",
        r"user[- ](?:cent\w+|experience|research|journey|needs?)|(?:re)?design(?:ing|ed)?\b",
        r"prototyp\w*|usab\w*|ux\b|empath\w*|onboarding|persona\b|customer (?:journey|experience)",
        r"accessib\w*|easier (?:for|to use)|more (?:intuitive|welcoming|usable|accessible)",
        r"nutzerfreundlich\w*|gestalt\w+|bedienbar\w*|entwerfen\b|nutzerinnen|\w*nutzer\b",
    ),
    Feature.of(
        "design-thinking", 2.4, "it wants to hear or watch the people concerned first",
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
    Feature.of(
        "design-thinking", 2.2, "people do not take to what was made for them",
        r"(?:don't|won't|doesn't|didn't|never|nobody|no one|hardly anyone|hate[sd]?|ignore[sd]?"
        r"|refuse[sd]?|avoid[sd]?) (?:use|uses|used|wear|wears|open|opens|read|reads|attend|come"
        r"|touch|fill|carry|it|them|the)\b",
        r"can't (?:read|see|hear|hold|kneel|reach|speak|tap|find|use)",
        r"goes? (?:straight|right) in(?:to)? the bin|drop out|give up (?:half|on|at|after)",
        r"get lost|confus(?:ed|ing)|was a (?:flop|failure)|gets? kicked",
    ),
    Feature.of(
        "design-thinking", 2.4, "it is to be made for certain people",
        r"(?:make|making|build|building|shape|sketch|draw|planning|rethink) (?:a|an|one|it"
        r"|something|the|them|this)\b",
        r"for (?:people|those|kids|children|women|men|families|patients|the deaf|the blind"
        r"|refugees|nurses|someone|somebody|lads|girls|parents|grandparents|teenagers) (?:who"
        r"|with|that|whose|in|can)|first[- ](?:time|sketch|page|line|version)",
    ),
    Feature.of(
        "design-thinking", 2.0, "it wants to learn how it is for them before anything is drawn",
        r"i(?:'d| would)? (?:like|love|want|ought|begin|need"
        r"|should)\w* (?:\w+ ){0,2}(?:to )?(?:sit|follow|walk|learn|listen|find out|be there"
        r"|know what|make them|start|go|see how|hear|meet|watch|shadow|understand)",
        r"what (?:they|she|he|it|that|carrying|goes|runs)\b[^.?]{0,30}\b(?:reach for|go through"
        r"|want|feels?|mean|through|need)|made by people",
        r"less (?:frightening|confusing|lonely|humiliating)|pleasant|dignified|welcoming",
        r"friendly to|people with\b",
        r"for (?:autistic|blind|deaf|old|elderly|anxious|nervous|new|young|small|visually)",
        r"(?:have|has) a say|let (?:us|me) (?:try|live|watch|come)",
        r"from (?:his|her|their) (?:chair|side|seat|eyes)|must be many like|wonder what",
        r"why they (?:put up|do|don't)|what sort of\b|willing to (?:talk|try|help)",
        r"something (?:they|of their|people)\b",
    ),
    Feature.of(
        "creative-problem-solving", 2.2, "it asks for new ideas, many of them",
        r"brainstorm\w*|ideas?\b|creativ\w*|invent\w*|come up with|outside the box|novel\b",
        r"unconventional|unusual|weird|wild(?:est)?\b|crazy|mad\b|think (?:up|of)\b",
        r"surpris(?:e|ing)|imaginative|alternatives? to|fresh\b|original\b|slogans?|what else\b",
        r"(?:how|where|who|what) else\b|else could|other (?:ways?|uses?) (?:to|of|for)",
        r"uses? for\b|ways? (?:to|of) \w+|how might we|(?:dream|cook) up|let rip|hold back",
        r"no one would dream|ideen?\b|einf\u00e4lle|kreativ\w*|ungew\u00f6hnlich\w*|erfind\w*",
        r"verr\u00fcckt\w*",
    ),
    Feature.of(
        "creative-problem-solving", 2.2, "what is usual has been tried, or is not wanted",
        r"(?:been|be|was|were|it's) (?:done|tried)(?: to death)?\b",
        r"(?:already|all) (?:tried|done|used)",
        r"(?:we've|i've|he's|she's|they've) (?:had|done|tried|used|set|been through|sunk)",
        r"nobody(?:'s| has|)? (?:ever )?(?:tried|heard|seen|thought|done|put|has)\b|same old",
        r"(?:no|nothing|anything|none|not|without) (?:but|with|from (?:films|a)|usual|boring"
        r"|please|too silly|lame)\b|isn'?t (?:lame|already|boring|a)\b",
        r"(?:no|not) \w+, (?:no|not) \w+",
        r"what (?:could|can|might|would) (?:i|we|you|one|it|that|a|the|be|this)\b|what might\b",
        r"somewhere else entirely|never been|free hand|anything (?:at all|goes|but)",
    ),
    Feature.of(
        "creative-problem-solving", 1.3, "it says how many it wants, or whom to amaze",
        r"(?:give|feed|show|throw|send|hit|surprise|tell) (?:me|us)\b",
        r"i (?:want|need|'d like) (?:\w+ )?(?:ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty"
        r"|a dozen|dozens|a hundred|\d+|many)\b|please\b|including bad ones|stop dead|laugh",
        r"what do you do with|something (?:nobody|no|that|else|new|to)\b|(?:wants?|needs?) a\b",
    ),
    Feature.of(
        "first-principles", 2.2, "it asks to start from what is certain, not from custom",
        r"first principles?|from (?:scratch|zero|the ground|nothing)|ground up|fundamental\w*",
        r"(?:start|begin|build|work|derive|count|reckon|go)\w* (?:\w+ ){0,3}(?:from|up from"
        r"|with) (?:that|there|zero|the|what|just|only|it|those|how)\b|deriv(?:e|ed|ing)\b",
        r"(?:never|don't) (?:mind|tell me)\b|forget (?:the|what|how)|let'?s (?:see|recalculate)",
        r"take (?:it|the thing|this|that) (?:apart|to pieces)|strip\w* (?:away|down|it)",
        r"boil\w* down",
        r"(?:usual|customary|traditional\w*|everybody|everyone|they all|we all|always been"
        r"|others?|people say|rule of thumb|next door|competitors?)\b[^.?!]{0,60}[.?!,:]",
        r"rather than (?:copy|by)|copy(?:ing)?\b|grundprinzip\w*|von grund auf|grundlegend\w*",
        r"im kern\b",
    ),
    Feature.of(
        "first-principles", 2.0, "it asks what something is, does, needs or costs",
        r"what (?:does|do|has|is|are|would|must|will) (?:a|an|the|it|one|i|we|they|each|these|to"
        r"|people|someone|somebody|really|\w+ (?:really|actually|have to))\b[^.?]{0,80}",
        r"what'?s (?:a|an|the|it|in)\b|and what\b",
        r"why (?:(?:do|does|must|should|have) (?:we|a|an|they|every)|is (?:a|an|there))\b",
        r"what (?:makes|counts|remains|is left|follows|it takes)",
        r"how (?:much|many|big|long|loud|deep|far|thick|high|small|few|fast)\b|so (?:many|much)\b",
        r"really (?:need|cost|have|know|do|take)s?",
        r"ha(?:s|ve) to (?:be|do|have|hold|carry|know|happen|survive|cost|get|go|come)",
        r"the (?:least|smallest|cheapest|minimum|bare)\b|at all\?",
        r"was (?:muss|braucht|kostet|ist) (?:ein|eine|man|das|der|die)\b|if (?:nobody|no one) had",
    ),
    Feature.of(
        "first-principles", 1.3, "it reckons with quantities",
        r"(?:watts?|kilos?|kilograms?|grams?|litres?|liters?|metres?|meters?|minutes?|hours?"
        r"|cents?|kwh|joules?|volts?|tons?|tonnes?|degrees|calories|newtons|decibels|square|cubic"
        r"|per (?:hour|day|person|year|kilo|metre|cup|head|piece))\b|physics|buoyancy|energy",
        r"force\b|weight\b|volume|material|labour|wages",
        r": (?:what|how|who|so many|the|glass|water|flour|bed)\b",
    ),
    Feature.of(
        "scenario-planning", 2.2, "it asks to prepare for futures that differ",
        r"scenarios?|contingen\w*|what if\b|worst[- ]case|forecast\w*|foresee\w*",
        r"(?:in|by|until|after) (?:20[2-9]\d)",
        r"(?:ten|twenty|five|fifteen|thirty|\d+) years (?:from now|ahead|out|hence|time)",
        r"years' time|in case\b|either way|in either case|whichever|whatever happens",
        r"prepar(?:e|ed) (?:for|me|us)|uncertain\w*|possible (?:worlds|futures)|future\b",
        r"before (?:anyone|anybody|we) (?:can|know)s?|can't know|szenari\w*|zukunft\w*",
        r"was w\u00e4re\b|vorbereit\w*|falls\b",
        r"next (?:\w+ )?(?:decade|ten years|five years|few years|year)|be (?:set|ready)\b",
        r"long[- ]term|imagine\b",
    ),
    Feature.of(
        "scenario-planning", 2.3, "it says what may come, one way or the other",
        r"(?:may|might|could) (?:\w+ )?(?:be|go|come|get|stop|close|leave|raise|shut|sell|stay"
        r"|break|freeze|recover|split|merge|double|move|become|renew|ban|fall|turn|win|lose|die"
        r"|drop|cut|sink)\w*",
        r", or (?:\w+ ){0,8}?(?:it|not|neither|both|never|stay|half|all|nothing|a|the|another|in"
        r"|to|only)\b|or (?:never|neither|hardly|not at all|not)\b",
        r"should (?:the|it|we|they)\b[^.?!]{3,60},",
        r"if (?:the|it|they|she|he|we)\b[^.?!]{3,80}(?:, or |; if|, if|and if)|perhaps\b|maybe\b",
        r"it's possible|depending on|rumour|rumor|will (?:\w+ ){1,6}(?:still|ever|be)\b",
        r"or (?:\d+|\w+ty|twice|half|three|two)\b",
        r"(?:gone|banned|closed|shut|open|renewed)[^.?!]{0,30}\bor\b",
        r"could (?:all )?be (?:over|gone|different)|k\u00f6nnte\w*\b.{0,60}\boder\b",
    ),
    Feature.of(
        "scenario-planning", 1.4, "a choice has to be made now that binds for years",
        r"(?:lease|loan|mortgage|licen[cs]e|contract|concession|deposit|tender|pension|permit)\b",
        r"(?:decide|choose|choosing|commit|sign|order|invest|renovate|rebuild|buy|hire|plant"
        r"|build)\b[^.?!]{0,40}\b(?:now|today|by|before|for (?:a|ten|fifteen|twenty))\b",
        r"(?:we're|i'm) (?:about to|choosing|to (?:sign|lease|buy|decide))",
        r"which (?:\w+ )?(?:first|should|make sense|to)|what should (?:we|our|i|the)\b",
        r"(?:for|in|within) (?:\w+ )?(?:ten|fifteen|twenty|thirty|five|\d+) years",
        r"(?:elections?|strike|war|drought|sanctions|ban|tariffs?|merger|law)\b",
        r"in all (?:of )?(?:these|them|three)|live with|plan(?:ning)? for\b",
    ),
)  # fmt: skip
