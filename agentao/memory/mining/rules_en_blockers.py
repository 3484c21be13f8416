"""English blockers: what takes the lasting sense away, idioms that only look like cues, and voices of others."""

# ruff: noqa: E501 - a pattern is one line, so that a rule can be read as one row
from __future__ import annotations

_LEAD = r"^(?:(?:and|so|but|ok|okay|hmm+|hey|hi|hello|also|well|btw|wait|then|now|no|nope|yes|yep|sorry|quick question|question|first|next|great|thanks|thank you|cool|right|actually|please|pls|plz|kindly|just|ah|oh|alright|again|for now|after that|finally|great|good|nice|perfect|one more thing|q for you),?:? ?)*"
_TASK_VERB = (
    r"(?:add|write|create|make|build|implement|generate|fix|refactor|rename|move|change|update|remove|delete|replace|convert|"
    r"translate|summari[sz]e|list|find|look|open|investigate|compare|draft|scaffold|port|extract|split|revert|"
    r"undo|patch|review|grep|count|print|import|install|set up|bump|rewrite|rephrase|proofread|search|turn|design|"
    r"produce|prepare|plot|draw|parse|sketch|debug|profile|benchmark|optimi[sz]e|clean|migrate|copy|paste|simulate|"
    r"calculate|compute|estimate|outline|render|return|raise|throw|handle|support|allow|let (?:the|users?)|ensure|enforce|validate|"
    r"reword|shorten|(?:two|three|four|five|six|ten|some|a few|\d+) (?:more |other )?(?:example|sample|possible|funny|good|short)|come up with|think of|invent|brainstorm|fill in|fill out|suggest (?:a|some|three)|propose (?:a|some)|quiz|guess|insert|append|swap|tweak|adjust|correct|apply|attach|upload|download|fetch|drop the|hide|"
    r"disable|enable|expose|merge (?:the|this|these)|rebase (?:the|this|it)|document (?:the|this|how)|test (?:the|this|if|whether|that)|"
    r"run (?:the|this|it|pytest|npm)|check (?:the|this|if|whether|that|why|out)|show (?:the|a|all)|read (?:the|this)|"
    r"deploy (?:the|this|it)|wrap (?:the|this)|try|help|finish|continue|go ahead|tell me (?:how|why|what|which|if|whether|about)|"
    r"explain (?:the|this|that|why|how|what)|describe (?:the|this|how)|give me (?:a|an|the|some|\d|two|three|five) (?!plan|conclusion|short|answer|summary|heads)|put it|send)"
)
_PERSON = r"(?:boss|manager|clients?|customers?|designers?|lead|leads|colleagues?|coworkers?|co-workers?|teammates?|friends?|reviewers?|vendors?|cto|ceo|cfo|vp|pm|po|product owner|professor|teacher|wife|husband|partner|users?|folks|guys?|interns?|contractors?|consultants?|marketing|sales|stakeholders?|predecessors?|authors?|maintainers?|landlord|roommate|brother|sister|kids?|mom|dad|students?|admins?|recruiter|supplier|agency|architect|neighbou?rs?|linter|compiler|formatter|type ?checker|parser|optimi[sz]er|scheduler|planner|bundler|docs?|documentation|readme|spec|rfc|article|post|blog|book|tutorial|video|talk|framework|library|tool|bot|assistant|model|script|competitors?|copilot|chatgpt|claude|gemini|gpt|(?:old|other|previous|former|backend|frontend|mobile|data|infra|platform|security|qa|ops|design|sister|neighbou?ring|product|support|legal|hr) (?:team|people|guys|folks|dev|devs|department))"
_OPINION = r"(?:likes?|loves?|hates?|dislikes?|prefers?|wants?|decided|decides?|chose|chooses?|picked|picks?|says?|said|told|thinks?|thought|insists?|insisted|claims?|claimed|believes?|swears?|recommends?|recommended|suggests?|suggested|liked|loved|hated|preferred|wanted|wrote|states?|stated|went with|agreed|favou?rs?|votes?|voted|asked|keeps? (?:asking|saying)|complains?|expects?|argues?|argued|proposes?|proposed|would (?:like|love|prefer|rather)|is (?:a fan|fond|used|moving|switching|going)|are (?:fans|fond|used|moving|switching|going)|uses?|used|use|has decided|have decided|can't stand|cannot stand|switched|moved|settled|opted|standardi[sz]ed|adopted|always (?:uses?|wants?|says?|writes?)|never (?:uses?|writes?|wants?)|usually \w+|tends? to)"

ROWS = (
    # idioms
    (
        "idiom-never",
        "idiom",
        0,
        r"^steps: |\bnever[ -]?mind(?:ed)?\b|\bas (?:always|ever|usual|never before)\b|\b(?:now or never|never say never|better late than never|never a dull moment|always a pleasure|always something|never-ending|never ending|never again|always welcome|happily ever after|almost always fails)\b",
        "never mind, found it",
        "never push to main",
    ),
    (
        "idiom-must",
        "idiom",
        0,
        r"\bmust(?:'ve| have)(?: been)?\b|\b(?:this|that|it|there|you|they|he|she|something|someone|i|we|which|what) must be\b|\bmust be (?:a |an |some |the |due|because|related|wrong|missing|my |your |in here|somewhere|something|me\b|coming)|\b(?:a|the|total|absolute|real) must(?:-have)?\b|\bmust (?:say|admit|confess)\b|^must (?:dash|go|run|rush|leave|be off|sleep)\b|^(?:probably |surely |ah,? |hmm,? |ok,? )?must be\b|(?:\b(?:to|as|is|called|named|value|option|flag|keyword|word|token)|=|改成|设为|设成|叫|名为|值为|等于|写成|换成|返回) ?'?(?:always|never|must|only|prefer)'?$",
        "this must be a caching problem",
        "network IO must be async",
    ),
    (
        "idiom-prefer",
        "idiom",
        0,
        r"\bi (?:would |'d )?prefer not to\b|\bif you (?:\w+ )?(?:prefer|like|want|must|insist)\b|\bwhichever you (?:prefer|like)\b|\bas you (?:prefer|like|wish)\b|\bi like to think\b|\bfeel like\b|\blooks? like\b|\bi hate to (?:ask|say|admit|break|bother)\b|\bwhat do i prefer\b|\bi (?:hate|love|like|dislike) (?:mondays?|fridays?|meetings?|the weather|rain|winter|summer|mornings|traffic|my (?:job|life|boss|cat|dog)|life|people|coffee|cats|dogs|pizza|cake|music|weekends|coming|working (?:late|weekends)|waiting|bugs|deadlines|paperwork|computers|printers|surprises)\b",
        "I prefer not to say why",
        "I prefer tabs",
    ),
    (
        "idiom-only",
        "idiom",
        0,
        r"\b(?:if only|only just|not only|only wish|only kidding|only problem|the only thing|only because|only saw|read[- ]only (?:error|file ?system|mode|flag))\b|\bi'm only\b",
        "if only it worked",
        "only tagged commits go out",
    ),
    (
        "idiom-no",
        "idiom",
        0,
        r"\bno (?:idea|luck|worries|problem|need|rush|hurry|doubt|wonder|thanks|way out|big deal|clue|such|longer sure)\b|\bnothing (?:works|happens|changed|new|else|special|helps|to do|matters|fancy|urgent)\b|\bdecision[- ](?:tree|table|making|maker)s?\b|\bprocess(?:es)? (?:is|are|was) (?:running|killed|stuck|dead|gone|hanging|blocked)\b|\bflow ?chart\b|\bpipeline (?:is|was) (?:red|stuck|broken|failing|down|green|slow)\b",
        "no idea why",
        "no new dependencies without an ADR",
    ),
    (
        "idiom-always",
        "idiom",
        0,
        r"\b(?:not|isn't|aren't|doesn't|don't|won't) always\b|\balways (?:been|had|wanted|wondered|thought|on the|the case|fun|great|nice)\b|\bi (?:can|could) always\b|\bcan always\b|\bthere(?:'s| is) always\b|\bit(?:'s| is) always\b",
        "it is not always the case",
        "always run the linter",
    ),
    # questions
    (
        "question-lead",
        "question",
        0,
        rf"{_LEAD}(?:(?:is|are|am|was|were|does|did|has|isn't|aren't|wasn't|doesn't|didn't|hasn't|wouldn't|shouldn't|couldn't|can't|won't|haven't) (?:i|we|you|he|she|it|they|this|that|these|those|there|the|a|an|my|our|your|any|anyone|someone|everyone|all|every|each|using|[a-z0-9.+#-]+)\b|(?:do|don't|have|had|can|could|will|would|should|shall|may|might|must) (?:i|we|you|he|she|it|they|this|that|these|those|there|the|anyone|someone|everyone|people|our|my|your|all|any|every|each|most|both)\b(?! to\b)|(?:should|could|would|shall|can|may) (?!not\b|only\b|never\b|be\b|always\b)\w+|why\b|who\b|whose\b|whom\b|whether\b|which (?!means|is why|we)|when (?:do|does|did|is|are|was|will|should|can|could|would)\b|how (?!(?:we|i) (?!can|could|should|would|do i|get)\w+)\w+|what (?!(?:we|i) (?:agreed|decided|prefer|like|want|always|usually|do\b))\w+|what's\b|how's\b|where (?!possible|practical|sensible|it makes)\w+|any (?:idea|reason|chance|way|thoughts|news|objections?|clue|tips|suggestions?)\b|i wonder\b|wondering\b|i'm (?:wondering|curious)\b|curious\b|(?:can you |please )?(?:tell|remind) me (?:if|whether|why|how|what|which|who|when)\b|explain (?:how|what|why)\b|not sure (?:if|whether)\b|is there\b|are there\b|does (?:it|this|that)\b|what if\b|how come\b|how about\b|what about\b)",
        "is it true that pnpm never hoists",
        "what we agreed: pnpm",
    ),
    (
        "question-tag",
        "question",
        0,
        r"\b(?:or not|right|correct|isn't it|don't we|aren't we|do we|shouldn't we|you think|is that (?:right|true|so|correct)|or should (?:we|i)|does that make sense|any thoughts|thoughts|what do you (?:think|say|prefer))[?!. ]*$",
        "we always squash, right",
        "the tags are right here: v1",
    ),
    # hypotheticals
    (
        "hypothetical",
        "hypothetical",
        0,
        r"\b(?:suppose|supposing|imagine|hypothetically|theoretically|what if|let's (?:say|pretend|assume|imagine|suppose)|lets (?:say|pretend|assume|imagine)|say we|say i|(?<!don't )(?<!not )(?<!never )assume (?:that )?(?:we|i|the|everyone)|assuming (?:we|i|that)|pretend|in theory|were we to|if we were|had we|in a world where|for the sake of argument|thought experiment|what happens if|what would happen|would happen if|wish we|i wish|if only|would be (?:nice|cool|great|better|worse|easier|fun)|it'd be (?:nice|cool|great)|playing devil's advocate|would it|how would)\b",
        "suppose the team decided to drop REST",
        "if a test fails, never merge",
    ),
    (
        "if-past",
        "hypothetical",
        0,
        r"\bif (?:we|i|they|the team|someone|somebody|you|everyone|management|the company|one|it|all \w+|nobody|the \w+) (?:\w+ )?(?:decided|chose|picked|used|were|had|went|dropped|switched|moved|wanted|could|adopted|agreed|made|preferred|did|ran|put|kept|allowed|stopped|started|banned|required|settled|forbade|followed|standardi[sz]ed|migrated|must|ever (?:decide|switch|move)|should ever|decide|move to|switch to|go with|choose|was|opted|always|never|prefer|like)\b",
        "if we decided to go serverless, what would break first",
        "if CI is red, never merge",
    ),
    # undecided, rejected, withdrawn
    (
        "undecided",
        "undecided",
        0,
        r"\b(?:maybe|perhaps|possibly|not sure|unsure|undecided|not certain|(?:haven't|have not|hasn't|has not|hadn't|(?<!are )(?<!is )(?<!be )never)(?: \w+)? (?:yet )?(?:decided|settled|chosen|picked|agreed|made up|made (?:a|the|any) (?:decision|choice|call)|concluded|committed)|(?:isn't|is not|aren't|not|nothing is|nothing's|wasn't|nothing)(?: \w+)? (?:yet )?(?:decided|settled|agreed|final|finali[sz]ed|set in stone|carved in stone|official|fixed yet)|no (?:decision|final decision|consensus|agreement|conclusion|strong (?:opinion|preference|view|feelings?)|preference)|made up my mind|thinking (?:of|about)|considering|leaning (?:toward|towards|to)|lean towards|on the fence|torn (?:between|on)|tbd|tbc|to be decided|up in the air|up for (?:debate|discussion|grabs)|still (?:debating|discussing|open|deciding|arguing|thinking|weighing|evaluating|comparing|undecided|split|looking|not)|open question|we could|i could|we may|we might|i might|i guess|i suppose|wonder|wondering|tempted|toying with|debating|contemplating|weighing|pros and cons|can't decide|cannot decide|could not decide|couldn't (?:decide|agree)|can't agree|we'll see|under discussion|being discussed|in two minds|one option|option [ab1-3]\b|remains to be seen|some (?:of us |people |folks )?(?:want|think|prefer|say|argue)|half (?:of )?(?:the team|us)|either .{2,60} or|don't (?:really )?(?:know|care)|do not (?:really )?(?:know|care)|no idea|draft proposal|proposal|exploring|evaluating|if anything|i could see us|someone (?:suggested|proposed)|there(?:'s| is) talk|rumou?r|might (?:switch|move|go|use|drop|adopt|be worth)|decide later|decide (?:next|tomorrow|on monday)|until we decide|before we decide|need to decide|have to decide|has to decide|yet to (?:decide|agree|choose|settle)|not (?:yet )?(?:made|ready to decide)|pending|waiting for (?:a |the )?decision|deciding between|whether (?:we|to|it))\b",
        "maybe we should use feature flags",
        "we decided to use feature flags",
    ),
    (
        "doubt-clause",
        "undecided",
        0,
        r"\b(?:might|probably|likely|could|would)\b",
        "we might always squash",
        "we always squash",
        "clause",
    ),
    (
        "rejected",
        "rejected",
        0,
        r"\b(?:i (?:don't|do not|doubt|never) (?:think|believe|want us|feel|agree|see why)(?! in\b)|i doubt|not convinced|i disagree|i'd rather not (?:switch|use|move|adopt)|not worth|no point in|no reason (?:to|for|why)|don't see (?:why|the point|a reason)|doesn't make sense to|bad idea|i'm against|i am against|makes no sense|we shouldn't (?:switch|move|adopt|migrate)|not a good idea|no need (?:to|for)(?! (?:explain|thank|apologi|praise|repeat|remind|introduce|summari|recap|spell|justify|narrate|announce|ask me|tell me))|(?<!you )don't have to|doesn't have to|do not have to|needn't|not necessary|isn't necessary|not required|isn't required)\b",
        "I don't think we should switch to Bun",
        "we decided against Bun",
    ),
    (
        "withdrawn",
        "withdrawn",
        0,
        r"\b(?:scratch that|strike that|forget (?:that|it|what i|the rule|about (?:that|the|my)|my|everything)|ignore (?:that|what i|my|the (?:rule|last|above))|(?:i )?take (?:that|it) back|take back what|no longer (?:require|enforce|insist|demand|mandate|have to|must|applies|apply|holds?|true|valid|the case|relevant|in force|a rule|a thing|needed|necessary|required|want|do that|how we)|any ?more|anymore|changed (?:my|our) minds?|change of (?:mind|plans?)|(?:but )?that(?:'s| has| is)? changed|that was (?:before|then)|was going to say|were going to|was about to|i was wrong|revoked|reversed|rolled back|withdrawn|withdraw|disregard|obsolete|outdated|out of date|is history|was scrapped|got scrapped|been scrapped|been dropped|is gone now|been abolished|been lifted|called off|cancel(?:l)?ed|reconsidering|having second thoughts|second thoughts|backtrack|undo that rule|correction:)\b(?! (?:support|use|maintain|ship|use it))",
        "scratch that, use spaces",
        "we dropped IE support",
    ),
    # past
    (
        "past",
        "past",
        0,
        r"(?<!am )(?<!'m )(?<!are )(?<!get )(?<!got )\bused to\b|\b(?:previously|formerly|back then|back when|back in|in the past|once upon|at the time|in those days|originally|initially|at first|(?:years|months|ages) ago|in (?:19|20)\d\d|when (?:we|i) (?:started|began|were|was|joined)|until (?:last|recently)|in my (?:last|old|previous|former)|at my (?:last|old|previous|former)|my (?:last|old|previous|former) (?:team|company|job|employer|project)|before the (?:rewrite|migration|merger|acquisition|move|switch)|was once|were once|once had|(?:the|our|my) (?:plan|idea|rule|policy|intention|goal) was|had a (?:rule|policy|convention)|not anymore|in the old (?:days|repo|project|system|codebase)|the old (?:rule|policy|convention|process|days)|historically|long ago|earlier (?:versions?|this year))\b",
        "we used to use Redux",
        "we use Redux",
    ),
    (
        "past-tense",
        "past",
        0,
        r"\b(?:we|i|they|it|that|there) (?:were|was|had|did|always (?:used|had|did|went|wrote|kept|ran)|never (?:used|had|did|went|wrote|kept|ran))\b(?! (?:decided|agreed|settled))",
        "we always used SVN",
        "we always use git",
    ),
    # for now only
    (
        "temporary",
        "temporary",
        0,
        r"^(?:and |so |but )?(?:until|till|while|as long as|during)\b(?! further notice)|\b(?:for now|for the (?:moment|time being)|for the next (?:few|couple|hour|two|\d)|at the moment|for the (?:demo|meeting|call|presentation|screenshot|video|test run|experiment)\b|(?:just|only) for (?:this|the|today|a)|(?:just|only) (?:this once|once|this time)|this (?:once|time|one time)\b|temporar(?:y|ily)|for a (?:minute|second|sec|moment|bit|while|few|day|short)|(?:i'm|i am|we're|we are) (?:away|on (?:holiday|vacation|leave)|out of office|offline)|for (?:today|tonight|tomorrow|this (?:one|pr|session|task|demo|week|sprint|commit|change|release|branch|file|ticket|call|chat|conversation|message|question|script|time|round|run|experiment|test))|while (?:i|we|you|they)(?:'re|'m| are| am)?\b|as a (?:workaround|stopgap|one-?off|quick|placeholder)|one[- ]off|interim|in the meantime|meanwhile|short[- ]term|stop-?gap|band-?aid|during this (?:session|chat|call|sprint|task)|(?:during|for) the demo|as long as (?:i'm|we're|the)|no longer than (?:today|this)|i'll (?:change|fix|revert|undo|switch) (?:it|that|this) (?:back|later)|we'll (?:change|fix|revert|undo|switch|clean) (?:it|that|this) (?:up |back )?later|change (?:it|that) back|clean (?:it|that) up later|remove it later|quick and dirty|just to (?:test|see|check|try|unblock|get)|this afternoon only)\b|\bin this (?:one|pr|session|task|commit|change|branch|file|ticket|chat|conversation|message|script|run|function|method|class|module|test|readme|notebook|patch|diff|example|demo|answer|reply|component|endpoint|migration)\b",
        "for now, always mock the API",
        "this project always mocks the API",
    ),
    (
        "until",
        "temporary",
        0,
        r"\buntil (?:i|we|you|he|she|the|it|qa|monday|tuesday|wednesday|thursday|friday|tomorrow|next|then|that|after|my)\b",
        "we use a stub until the contract is signed",
        "until further notice we use a stub",
        "clause",
    ),
    (
        "dated",
        "dated",
        0,
        r"\b(?:today(?!'s)|tonight|tomorrow|right now|just now|(?<!from )(?<!until )(?<!starting )(?<!as of )now(?! on| and (?:in|for)|adays)|yet|next (?:week|month|monday|tuesday|wednesday|thursday|friday)|this (?:morning|afternoon|evening|week|sprint|month|release)|till|while (?:i|we|you|the|it)|(?:before|by) (?:lunch|noon|tonight|tomorrow|monday|friday|the (?:meeting|demo|call|release))|after (?:lunch|the (?:meeting|demo|call))|this (?:one|pr|commit|branch|file|readme|script|task|ticket|patch|message|question|function|method|test|conversation|chat|answer|reply|table|diff|fix|bug|call|module|component|page|button|endpoint|class|loop|line|block|section))\b",
        "please do not commit yet",
        "do not commit secrets",
    ),
    # other people, tools and documents
    (
        "third-person",
        "others",
        0,
        rf"\b(?:(?:my|our|the|their|his|her|your|a|an|some|one|that|this|these|those|most|many|other|all)(?: of (?:our|the|my))? (?:[\w-]+ )?(?:[\w-]+'s )?{_PERSON}|he|she|they|people|everyone else|everybody else|others|somebody|someone|some people|most people|customers|clients|users|designers|marketing|management upstairs|google|facebook|meta|microsoft|airbnb|amazon|netflix|uber|apple|stripe|github|linus|guido|uncle bob|hr|legal|sales|qa|ops|chatgpt|copilot|claude|gemini|eslint|prettier|git|npm|docker|nobody else|the other \w+|another \w+|the \w+ next door)(?: (?:over there|upstairs|at \w+|in \w+|from \w+|on \w+|there|who \w+))?(?: (?:also|really|just|always|usually|still|all|both|now|strongly|apparently|clearly|probably|actually|personally|never|only|has|have|had|would|will|might|may|seems? to|likes? to|keeps?))* {_OPINION}\b",
        "my boss likes Java",
        "our team decided on Java",
    ),
    (
        "third-verb",
        "others",
        0,
        r"(?<!team )(?<!group )(?<!squad )(?<!crew )(?<!board )\b(?:likes|prefers|loves|hates|dislikes|wants|thinks|says|insists|believes|claims|swears|favou?rs|complains|argues|recommends|suggests)\b",
        "Bob prefers tabs",
        "the team prefers tabs",
    ),
    (
        "third-name",
        "others",
        0,
        r"^(?!(?:the |our )?(?:team|group|board|squad|crew|majority|committee)\b|(?:everyone|everybody|all of us|management)\b)(?!(?:we|i|team|they|and|just|also|finally|never|already|everyone|it|all|so|who|nobody)\b)(?:the |our |my )?[a-z]+(?: and [a-z]+)? (?:decided|chose|picked|opted|agreed|told me|voted|wants|wrote|said|asked)\b",
        "Alice decided to take Friday off",
        "we decided to ship on Friday",
    ),
    (
        "attributed",
        "others",
        0,
        r"(?<!\bi )(?<!\bwe )(?<!i've )(?<!i have )(?<!as i )\b(?:says?|said|wrote|writes|states?|stated|reads|told (?:me|us|him|her)|claims?|claimed|complains?|according to|as the saying goes|as they say|old saying|proverb|murphy|mentions?|(?<!you )mentioned|reported|recommends|warns?|warned|insists?|printed|the error (?:is|was|reads)|error message|i read (?:that|somewhere)|i heard|i've heard|rumou?r has it|apparently|supposedly|allegedly)\b(?! (?:before|it before|so))",
        "the readme says you must install Node 20",
        "as I said, never push",
        "after",
    ),
    (
        "you-person",
        "others",
        0,
        r"\byou (?:always|never|keep|kept|constantly|still|again|only ever|usually|like|love|prefer|hate|decided|chose|picked|used|said|told|wrote|suggested|proposed|promised|agreed|just|seem|tend)\b",
        "you always forget the closing bracket",
        "you must always close the bracket",
    ),
    # irony
    (
        "evaluation",
        "others",
        0,
        r"\bi (?:don't |do not |really |quite )*(?:like|love|hate) the \w+(?: \w+)?[,;] ?(?:try|make|change|can|could|please|use|give|let|but|though)\b|^(?:yes|yep|yeah|exactly|right|correct|sure|indeed|true)[,.]? (?:always|exactly|like|that|as|just|never|the way)\b",
        "I don't like the color, try green",
        "I like the command line",
        "sentence",
    ),
    (
        "sarcasm",
        "sarcasm",
        0,
        r"^(?:great|wonderful|fantastic|perfect|lovely|awesome|brilliant|super|amazing|cool|nice|wow|yay|ah|oh),? .{0,40}\b(?:love|enjoy|adore|must|every time|yet another|just what|as always)\b|^(?:nice|great|cool|awesome),? (?:another|yet another|又)|\b(?:love|enjoy|adore) (?:\w+ )?(?:debugging|waiting|fixing|getting|being|having to|reading through|spending|chasing|guessing|when)\b|\b(?:at (?:3|4|2|three|two|four) ?(?:am|a\.m\.|in the morning))\b|\b(?:oh,? (?:great|joy|wonderful|perfect|lovely|sure|good|fantastic|brilliant|fun)|yeah,? (?:sure|right)|(?:just|simply|really|absolutely|so) (?:love|adore|enjoy) (?:it )?(?:when|how|that)|(?:love|adore) (?:it )?(?:when|how)\b|how lovely|thanks a lot|wow,|brilliant,|fantastic,|lovely,|marvell?ous|who doesn't love|slow clap|gotta love|nothing like|nothing says|my favou?rite (?:part|thing|hobby|pastime)|what could (?:possibly )?go wrong|pure genius|genius move|because (?:who|that always|nothing)|said no one ever|of course it|definitely not (?:going|at)|as if|living the dream|just what i (?:needed|wanted)|i just adore|sure, (?:let's|why not)|clearly the best|that will (?:definitely|surely)|truly inspired|next time (?:let's|just))|[🙄🙃]|/s$",
        "oh great, I just love it when CI is red",
        "I love short functions",
    ),
    # faults
    (
        "fault",
        "fault",
        0,
        r"\b(?:always|never|only|still|keeps?|sometimes|constantly) (?:\w+ ){0,4}?(?:fails?|failing|failed|crash(?:es)?|hangs?|breaks|throws|threw|errors|times out|timed out|stuck|flak(?:y|es)|leaks|disappears?|returns? (?:null|none|undefined|500|404|nothing|empty|an error|false|the (?:wrong|same|old))|segfaults?|freezes|lags|goes red|red|broken|empty|wrong|null|late|slow|slower|down|goes down|resets?|get (?:a|an|the) \w+ ?(?:error|exception)|get (?:stuck|an? )|see (?:a|an|the|this)|ends? up|comes back|fires?|triggers? twice|takes? (?:ages|forever|\w+ (?:seconds|minutes|hours))|loads?|renders?|reaches|arrives|resolves|returns?|responds?|works|completes|finishes|connects|updates)\b|\b(?:whenever|every time|each time) (?![^,]*\b(?:we|please|always|run|add)\b)[^,]{1,60}, ?(?:it|the|this|that|my|there|nothing|everything|i get|i see|i have|i lose|we get|we see|all|a)\b",
        "the build always fails on the second run",
        "always squash",
    ),
    (
        "fault-state",
        "fault",
        0,
        r"\b(?:every|each|after|always|still|again)\b[^,;]{1,40}\b(?:is|are|gets?|goes|stays?) (?:always |again |still |often )?(?:dead|down|stale|broken|stuck|corrupt(?:ed)?|wrong|missing|blank|unreachable|out of sync|unresponsive|garbled)\b",
        "every morning the container is dead",
        "IE is dropped",
    ),
    (
        "fault-since",
        "fault",
        0,
        r"\bsince (?:monday|tuesday|wednesday|thursday|friday|yesterday|today|this morning|last \w+|the (?:update|upgrade|deploy|release|last|merge|migration|rebase)|(?:i|we) (?:updated|upgraded|deployed|merged|moved|changed))\b",
        "all users get logged out since Monday",
        "since we rebase, history is linear",
        "sentence",
    ),
    (
        "fault-report",
        "fault",
        0,
        r"\b(?:error(?:s|ed)?|exception|stack ?trace|crash(?:es|ed|ing)?|bug|regression|broken|fails|failing|doesn't work|not working|won't (?:start|work|build|compile|load)|for no reason|reproduc\w+|repro|steps to|flaky|hangs|timing out|segfault)\b(?=[^;]*\b(?:i use|i'm on|i run|i am on)\b)|\b(?:i use|i'm on|i run|i am on)\b[^;]*\b(?:error|crash(?:es|ed)?|fails|hangs|breaks|doesn't|broken|won't|bug|not working)\b",
        "I use node 18 and it crashes",
        "I use fish",
    ),
    # the task at hand
    ("task-verb", "task", 0, rf"{_LEAD}{_TASK_VERB}\b", "add an input that never accepts letters", "always add a test"),
    (
        "task-ask",
        "task",
        0,
        r"\b(?:i (?:want|need|would like|'d like) (?:you to|this|these|the|a|an|it|that|help)\b(?! (?:always|never|stop))|i'd (?:like|love) (?:you to|this|the|a|an|to see)|(?:can|could|would|will) you (?:please |maybe |just |also |now |quickly )?(?!always|never|stop|from now|in future|remember|keep your|please (?:always|never|stop))\w+|(?:can|could|would|will|please|to|just|you) help me|^help me|your task|the task is|what i need|todo|to-do|please (?:add|fix|write|make|create|remove|rename|change|update|move|check|run|look|build|implement|delete|refactor|review|generate|translate|summari[sz]e|show me the|explain)|(?:when|if|once|after) (?:the|a|an) (?:user|visitor|customer|player|admin|guest|button|page|form|request|modal|dialog|session|timer|upload)\b|(?:two|three|four|five|six|\d|some|a few|a couple of) (?:\w+ )?(?:changes|tweaks|fixes|requests|edits|improvements|adjustments)\b|make sure (?:the|this|that the|it)|so that the|let's (?:fix|add|write|try|see|do|start|look|refactor|make|build|rewrite|get|debug|test|find|check))\b",
        "I want you to fix this bug",
        "I want you to always ask first",
    ),
    (
        "payload",
        "payload",
        0,
        r"\b(?:translate|rewrite|rephrase|proofread|summari[sz]e|shorten|write|generate|create|draft|reword|polish|correct|fix|convert|add|implement|make|compare|explain|implement|print|show|display|prompt|user stor(?:y|ies)|acceptance(?: criteria)?|requirements?|spec|task|title|headline|slogan|example|sample|e\.g\.|error|message|text|lyrics|song|joke|cv|bio|tweet|post|blurb|slogan|poem|haiku|joke|story|motto|announcement|e-?mail|letter|question|interview question|exercise|quiz|homework|subject|caption|label|tooltip|docstring|comment|commit message|test case|scenario|given|story|criteria|definition of done|todo|goal|input|output|expected|actual)\b[^:\n]{0,60}: ",
        "translate to German: we decided to close",
        "note: we never squash",
    ),
    (
        "in-story",
        "payload",
        0,
        r"\b(?:docstring|comment|message|sentence|test|story|stories|scenario|paragraph|text|banner|label|tooltip|error|page|form|button|field|validator|function|method|script|regex|query|class) (?:that |which |where |saying |to )(?:says?|said|states?|tells?|the|checks?|ensures?|explains?|shows?|asserts?|users?|\w+s)\b",
        "a docstring that says the caller must hold the lock",
        "test names must say what they check",
        "after",
    ),
    # secrets
    (
        "secret",
        "secret",
        0,
        r"\b(?:password|passwd|passphrase|pwd|token|secret|api[ -]?key|access[ -]?key|private key|credentials?|auth key|login|pw) ?(?:for \w+ ?)?(?:is|=|:|是|为|：|are|for \w+ is) ?(?!in\b|only|never|always|stored|not|kept|read|for|from|must|managed|rotated|forbidden|required|mandatory|compulsory)(?=\S*[\d_!@#$%^&*-])\S{4,}",
        "my password is swordfish9",
        "the token is never logged",
    ),
)
