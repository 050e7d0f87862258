"""Whether a sentence with a date in it tells of something that is going to happen to the speaker or theirs."""

import re

from rapport_server.inference.kinds import BARE

# Events that concern somebody even where the sentence names nobody: "The scan is booked for Friday". Beginnings of words.
_EVENTS = re.compile(
    r"(?i)\b(?:surger|operat|op\b|ops\b|interview|exam|finals?\b|midterm|quiz|test\b|tests\b|scan|mri\b|ct\b|x-ray|biops|appointment|wedding|"
    r"funeral|hearing|trial\b|tribunal|audition|recital|performance|presentation|pitch|meeting|review|appraisal|marathon|"
    r"championship|flight|prom\b|homecoming|graduation|due date|chemo|radiotherap|therap|treatment|results?\b|decision|deciding|"
    r"deadline|audit\b|launch|go-live|migration|opening night|premiere|viewing|inspection|shift\b|first day|first date|"
    r"visa\b|scholarship|procedure|colonoscop|mammogram|root canal|stitches|cast\b|replacement|transplant|engagement|christening|baptism|"
    r"anniversar|birthday|reunion|conference|workshop|driving|thesis|dissertation|defen[cs]e|viva\b|custody|court\b|appeal|"
    r"move-in|moving|handover|electricity|wisdom (?:tooth|teeth)|birth\b|school|uni\b|gig\b|rehearsal|trip\b|vacation|holiday\b|"
    r"checkup|check-up|call with|game against|match against|game\b.*\bcoach|discharged?|date with|date w\b|conf\b|party|closing on)"
)
# Who come to one's home, or to whom one goes.
_SERVICES = re.compile(
    r"(?i)\b(?:plumber|surveyor|engineer|electrician|social worker|doctor|dentist|vet|lawyer|solicitor|movers?|midwife|surgeon|"
    r"inspector|landlord|bailiffs?|nurse|stairlift)\b"
)
_FIRST_PERSON = re.compile(r"(?i)(?<![\w'])(?:i|im|ive|ill|my|me|we|our|us|myself|ourselves)(?!\w)")
_SUBJECTLESS = re.compile(
    r"(?i)^(?:(?:today|tonight|tomorrow),? )?(?:got|going|starting|having|seeing|meeting|moving|flying|leaving|getting|asking|closing|"
    r"taking|giving|finally|picking|visiting|telling|driving|hosting|running|sitting|doing|travelling|traveling|signing)\b"
)
_QUESTION = re.compile(
    r"(?i)^(?:(?:and|but|so|hey|lol|ok|okay|well)[, ]+)?(?:what|when|where|which|who|whose|why|how|do|does|did|is|are|am|was|were|will|would|"
    r"could|can|should|shall|may|have you|has|any idea)\b"
)
_QUESTION_TAIL = re.compile(r"\?[\"'”’)]*\s*$")
_REQUEST = re.compile(
    r"(?i)^(?:please |can you |could you )?(?:write|make|give|tell|show|book|find|help|draft|plan|create|suggest|list|translate|explain|add|"
    r"set|put|schedule|compose|recommend|let's|imagine|suppose|pretend|say|summari[sz]e|check|look|send|order|play|what if|wish me)\b"
)
_HABIT = re.compile(
    r"(?i)\b(?:every|each|usually|always|normally|generally|daily|weekly|monthly|yearly|once an?|twice an?|never|on (?:mon|tues|wednes|thurs|"
    r"fri|satur|sun)days|often|sometimes|whenever|rarely|of the month)\b"
)
_HEDGE = re.compile(
    r"(?i)\b(?:maybe|perhaps|might|some day|someday|one of these days|one day|would|could|i['’]?d|we['’]d|i wish|wish (?:i|we)|wonder|hypothetical\w*|supposedly|"
    r"imagine|suppose|dreamt?|if only|hope|hoping|thinking (?:of|about)|(?:see|know) how)\b|['’]d (?:love|like|rather|be|want|have)\b"
)
_CONDITION = re.compile(r"(?i)\b(?:if|unless|what if|in case|when i was|when we were)\b")
_CANCELLED = re.compile(
    r"(?i)\b(?:cancel\w*|call(?:ed|ing) (?:\w+ )?off|postpon\w*|scrapp\w*|rescheduled from|fell through|backed out)\b"
)
_ELSEWHERE = re.compile(
    r"(?i)\b(?:on the (?:news|radio|tv|telly)|(?:news|radio|paper|papers|forecast) (?:say|said|says)|says the|in the papers?|over the papers|according to|"
    r"weather|(?:will|to) (?:rain|snow)|sunny|(?:in|of) (?:the|that|this|a) (?:\w+ )?(?:film|movie|book|novel|series|show|story|episode|play|game)|"
    r"world cup|super ?bowl|lottery|parliament|celebrity|they say on)\b"
)
_FAREWELL = re.compile(
    r"(?i)\b(?:see|call|text|talk to|speak to|chat with|catch|meet) (?:you|u|ya)\b|\b(?:talk|chat|speak|catch up|more|continue|come back) (?:again |more )?"
    r"(?:tomorrow|tonight|later|on monday)\b|\btill tomorrow\b|\bgood ?night\b"
)
_STRANGER = re.compile(r"(?i)^(?:some|a|an)\s+(?:[\w'-]+\s+){1,5}?(?:told|said|says|is|are|was)\b")
_NOT = re.compile(
    r"(?i)\b(?:not|no|never|nobody|no one|nothing|none|without|neither|nor|cannot)\b|n['’]t\b|\b(?:dont|doesnt|didnt|wont|cant|isnt|arent|wasnt)\b"
)
_STATE = re.compile(
    r"(?i)\b(?:feel|feels|feeling|want|wants|need|needs|think|love|loves|hate|like|know|look|looks|seem|seems|wish|believe|sleep|"
    r"sleeping|bed|nap|shower|breakfast|eat|eating|watch|watching|netflix|relax|relaxing|chill|chilling|tired|hungry|bored|craving|been)\b"
)
# With a day that may be past, a verb in the past decides.
_PAST = re.compile(
    r"(?i)\b(?:was|were|had|did|went|came|took|told|said|met|saw|sang|got|gave|made|left|ran|spoke|wrote|read|heard|found|lost|won|flew|drove|"
    r"bought|sold|paid|thought|felt|slept|ate|drank|began|broke|brought|built|chose|fell|held|kept|knew|let go|sent|sat|stood|taught|wore|woke|"
    r"passed|failed|started|finished|called|moved|visited|happened|died|ended|loved|liked|worked|stayed|played|watched|tried|arrived|"
    r"asked|talked|walked|opened|closed|helped|needed|wanted|decided|turned|missed|enjoyed|celebrated|received|"
    r"have been|has been (?!set|booked|scheduled|moved|fixed|planned|arranged))\b"
    r"|\b(?:i|we|he|she|they|it|you|who) (?:(?:\w+ly|just|also|already|even|once) )*(?!need|feed|speed|proceed|succeed|bed|wed\b)\w+ed\b"
    r"|^(?:the|my|our) \w+ (?!need)\w+ed\b"
)
_AHEAD = re.compile(
    r"(?i)\b(?:will|shall|going to|gonna|about to|have to|has to|had better|got to|gotta|must|due|scheduled|booked|set for|(?:i|we)['’]?ll)\b|['’]ll\b"
    r"|(?:\b(?:am|are|is|im)|['’](?:m|re|s)) (?:\w+ )?\w+ing\b"
)
# What "today" is said with when it is planned: "we meet the lawyer this afternoon".
_PLANNED = re.compile(
    r"(?i)\b(?:i|we|they|he|she|[a-z]+) (?:starts?|meets?|sings?|announces?|leaves?|fl(?:y|ies)|moves?|signs?|defends?|presents?|performs?|begins?|"
    r"travels?|gives?|sees?|goes|go|runs?|plays?|sits?|do|does|comes?|takes?|have a|have an|has a|has an|have to|has to|quit|hands?)\b"
)
_CHORE = re.compile(
    r"(?i)\b(?:check|listen|work|working|keeping|cook|cooking|dinner|supermarket|day off|day-off|reading|wake)\b"
)
_RELATIVES = BARE | frozenset("mums moms dads mother kids children".split())
_GOT_THING = re.compile(r"(?i)(?:^|['’]ve |\b(?:have|has) )got\b")


def may_tell_of_plans(sentence: str) -> bool:
    """False for questions, requests, news and fiction."""
    others = (_QUESTION, _QUESTION_TAIL, _REQUEST, _ELSEWHERE, _FAREWELL, _STRANGER)
    return not any(other.search(sentence) for other in others)


def tells_of_a_plan(clause: str, *, same_day: bool, surely_ahead: bool) -> bool:
    """Whether the clause around a date is about the speaker or theirs, not denied, called off or a habit, not only wished for, not past."""
    if any(doubt.search(clause) for doubt in (_NOT, _HEDGE, _CANCELLED, _HABIT)):
        return False
    condition = _CONDITION.search(clause)
    if condition and condition.start() < len(clause) // 2:
        return False
    event = names_an_event(clause)
    if not (event or concerns_the_speaker(clause)):
        return False
    if surely_ahead:
        return True
    ahead = _AHEAD.search(clause)
    past = _PAST.search(_GOT_THING.sub(" ", clause))
    if past and not ahead:
        return False
    if not same_day or event:
        return True
    planned = ahead or _PLANNED.search(clause)
    return bool(planned and not _STATE.search(clause) and not _CHORE.search(clause))


def names_an_event(text: str) -> bool:
    """Whether it names something that one would ask about."""
    return _EVENTS.search(text) is not None


def concerns_the_speaker(clause: str) -> bool:
    """Whether it speaks of the speaker, of somebody of theirs, or of who comes to their home."""
    return bool(
        _FIRST_PERSON.search(clause)
        or _SUBJECTLESS.search(clause)
        or _SERVICES.search(clause)
        or any(
            word.removesuffix("'s").removesuffix("’s") in _RELATIVES
            for word in clause.lower().split()
        )
    )
