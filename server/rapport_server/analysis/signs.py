"""Signs of a crisis in the words: what speaks for it, and the company that usually makes it harmless.

The patterns are this project's own and in English. None decides alone: each is a feature whose weight is trained.
"""

import re
from dataclasses import dataclass

from rapport_server.analysis.tokens import clipped

_SELF = r"(?:my|him|her|your|them|our)(?:self|selves)"
_WHOSE = r"(?:my|his|her|their|your|our)"

_RISK = {
    "kill_self": rf"\b(?:kill|hang|shoot|drown|stab|poison|starv|end|hurt|harm|burn|cut|choke|strangl|throw|gas)(?:e|s|ing|ting|ed)?\s+{_SELF}\b"
    rf"|\b(?:tak|end)(?:e|es|ing|ed)?\s+{_WHOSE}\s+(?:own\s+)?li(?:fe|ves)\b|\btook\s+{_WHOSE}\s+own\s+life\b|\bend me\b|\bkms\b|\bunaliv\w+",
    "suicide": r"\bsuicid\w+",
    "wish_to_die": r"\b(?:want\w*|wish\w*|wanna|hop\w+|pray\w*|ready|prefer|rather|like|long\w*|glad|asked?|begg\w+|beg)\b[^.!?]{0,28}"
    r"\b(?:die|dying|dead|death|be gone|disappear|vanish|not wake|never wake|not exist|stop existing|cease|be taken|sleep forever|it over|it all to stop|everything to stop)\b",
    "not_live": r"(?:n't|\b(?:not|no|dont|wont|never|without|stop|tired of|sick of|done with|hate|cant|cannot|quit|give up|giving up))\b[^.!?]{0,24}"
    r"\b(?:li(?:ve|ving|fe)|alive|exist\w*|be(?:ing)? here|go(?:ing)? on|carry on|wak(?:e|ing) up|this world|around|be anymore|keep going)\b",
    "end_it": r"\b(?:end|ending|finish|finishing)\s+(?:it|this|everything|things|all of it)\b|\bdo(?:ing)? it\b[^.!?]{0,20}\b(?:tonight|today|now|midnight|this time)\b|\bgo(?:ing)? through with it\b",
    "self_harm": r"\b(?:self.?harm\w*|slit\w*|razor\w*|blades?|scratch\w* (?:my|until)|bleed\w*|cutting|(?:cut|burn|hit|bang|punch)\w* (?:my|her|his) (?:arm|wrist|leg|thigh|skin|head|hand|stomach)s?)\b|\bcuts?\b(?! the| back| down| off| onions| to| it)|\bself.?injur\w+|\bscars\b|\bnew (?:ones|cuts)\b|\btoo deep\b|\bcarv(?:e|ing)\b|\b(?:until|till) (?:i see blood|it bleeds)\b",
    "means": r"\b(?:pills?|tablets?|overdos\w+|od|rope|noose|knot|gun|pistol|bridge|viaduct|tracks|cliff|roof\w*|ledge|quarry|bleach|drain cleaner|insulin|morphine|paracetamol|sleeping|medicine cabinet|knife|antifreeze|exhaust|lorry|train|window|water|beam|painkillers|meds)\b",
    "dose": r"\b(?:how (?:many|much)|enough|stockpil\w+|sav(?:ed|ing) up|all of them|all together|lethal|painless|quick|count\w*)\b",
    "farewell": r"\b(?:good ?bye|farewell|last (?:message|time|day|night|one|words)|note|letters?|gave away|giv(?:en|ing) away|remember me|forgive me|tell (?:my|them|her|him)|loved (?:her|him|them|you all)|when i'?m (?:gone|not around)|after i'?m gone|sorry for)\b",
    "burden": r"\bbetter (?:off )?without (?:me|him|her)\b|\bbetter off\b|\bburden\b|\bweight (?:on|round)\b|\bin the way\b|\b(?:no ?body|no one|who)(?:'d| would| will)?\b[^.!?]{0,16}\b(?:miss|notice|care|cry)\w*|\bworth more\b|\bwaste of\b|\bproblem anymore\b",
    "no_future": r"\bno (?:point|way out|future|hope|reason|use)\b|\bpointless\b|\bcan'?t (?:go on|do this|take|keep|stand|carry|bear|live)\b|\bnothing left\b|\bwhat'?s the point\b|\bwon'?t be (?:here|around|needing|alive|back|there|coming)\b|\bnot (?:coming|be (?:here|around|back|alive))\b|\bgiven up\b|\bwould be easier\b",
    "method": r"\b(?:driv\w+|swerv\w+|steer\w*|crash\w*|turn of the wheel|go of the wheel)\b[^.!?]{0,24}\b(?:tree|wall|traffic|lorry|truck|bridge|cliff|wheel|oncoming)\b"
    rf"|\b(?:jump\w*|step\w*|walk\w*|throw\w* {_SELF}|lie down|lying)\b[^.!?]{{0,16}}\b(?:off|in front|into|onto|under|from|out of|on the)\b[^.!?]{{0,12}}\b(?:bridge|train|tracks|roof\w*|window|balcony|traffic|sea|river|lake|platform|cliff|road|bus|edge)\b"
    r"|\b(?:swallow\w*|took|tak(?:e|en|ing))\b[^.!?]{0,20}\b(?:all|whole|too many|bottle|packet|box|everything|something|overdose)\b|\bod'?d?\b",
    "set_date": r"\b(?:picked|chosen|set|decided on)\b[^.!?]{0,12}\b(?:day|date|night|place|time|method|spot)\b|\bthe date is\b|\bat midnight\b|\bi have decided\b|\bmade (?:my|peace|up my mind)\b",
    "affairs": r"\b(?:will is|rehomed|gave (?:my|away|her|his)|given (?:my|away|his|her)|cancel+ed|paid (?:up|off)|look after (?:my|the)|passwords|insurance|deleted all|my place|take my place)\b",
    "gone": r"\b(?:out of the picture|disappear\w*|be gone|no more me|not be\b(?= *[.!?]|$)|when i'?m not|not here|still here|not waking|stay under|long sleep|nobody needs me|no use to|reasons? (?:not )?to (?:stay|live|keep|be)|see a future|next year|in the ground|let me go|be free|wanting to\b(?= *[.!?]|$))",
    "out_of_here": r"\b(?:exhausted by|tired of|done with|finished with|had all the|had enough of|no more|stand(?: any)? more)\b[^.!?]{0,16}\b(?:exist\w*|li(?:fe|ving)|world|being)\b|\bleft this planet\b|\bmy (?:death|story is over|funeral|coffin|remaining years)\b"
    r"|\b(?:happier|easier|lighter|better)\b[^.!?]{0,24}\b(?:i'?ve left|i'?m gone|without me|(?:she|he|i) (?:were|was|am|is) (?:gone|dead))\b|\bwhere i'?m going\b|\balready decided\b|\bif it takes me\b|\bif it weren'?t for\b|\bnot in it\b|\bnever (?:have to )?open my eyes\b",
    "lethal_question": r"\b(?:fatal|deadly|kill me|bleed out|to be sure|be certain|without pain|be over (?:fast|quick\w*)|does it hurt to die|sleep forever|not to wake|enough to (?:die|kill))\b",
    "tools": r"\b(?:helium|hose|charcoal|shotgun|rifle|loaded|railings?|ligature|belt|digoxin|beta blockers|antidepressants|household chemicals|car park|cliffs)\b",
    "dark": r"\b(?:dead|die[sd]?|dying|death|alive|grave|buried|end)\b",
}
_COMPANY = {
    "definition": r"\b(?:what (?:is|are|was|were|does|do)|what'?s (?:the|an?)|define|definition|meaning of|explain|translate)\b",
    "first": r"\b(?:i|i'?m|i'?ve|i'?d|i'?ll|me|my|myself)\b",
    "someone": r"\b(?:my|our|a|the)\s+(?:\w+\s+)?(?:brother|sister|mum|mom|mother|dad|father|husband|wife|partner|girlfriend|boyfriend|gf|bf|friend|mate|pal|bestie|daughter|son|kid|child|uncle|aunt|cousin|gran\w*|nan|nephew|niece|roommate|flatmate|housemate|neighbour|neighbor|colleague|coworker|client|patient|student|pupil|employee|boss|tenant|lodger|customer|boy|girl|guy|man|woman|teammate)\b|\b(?:he|she|they)(?:'s|'ll|s)?\b",
    "says": r"\b(?:says?|said|told|keeps saying|texted|wrote|messaged|posted|sent|asked|threaten\w*|promised)\b",
    "fiction": r"\b(?:film|movie|novel|book|series|episode|season|character|game|level|boss|poem|song|lyrics|album|opera|play|theatre|drama|chapter|sims|dnd|exhibition|plot|scene|hero\w*|villain|protagonist|author|writer|reader|story|myth|legend|history|historian|century|painting|musical|anime|manga|show|netflix|podcast|documentary|actor|director|sequel|script|shakespeare|hamlet|essay|homework|museum|spoiler\w*|respawn\w*|npc|video|1[5-9]\d\d)\b",
    "work": r"\b(?:research\w*|paper|thesis|training|trained|trainer|workshop|course|class|module|campaign|charity|hotline|helpline|volunteer\w*|policy|statistics|prevention|awareness|moderat\w+|classifier|committee|conference|seminar|lecture|poster|leaflet|slides|report|study|survey|guideline\w*|curriculum|fundrais\w+|team|staff|manual|handbook|programme|barriers)\b",
    "past": r"\b(?:\w+ (?:years?|yrs|decades?) (?:ago|on|later|clean|since)|years ago|long ago|ages ago|back (?:then|in)|used to|in my (?:teens|twenties|thirties|forties|fifties)|recover\w+|surviv\w+|overcame|nineties|eighties|at (?:sixteen|seventeen|eighteen|nineteen|twenty\S*|thirty)|when i was|old me|younger me|that time|behind me|grateful|thriving|today i'?m|now i (?:have|am|run)|i love my life|in (?:19|20)\d\d)\b",
    "joke": r"\b(?:lol|lmao|lmfao|rofl|haha\w*|hehe\w*|omg|jk|bestie|literally|rip)\b|[😂🤣💀😅😆😭]",
    "idiom": r"\b(?:killing|killed|kills?) (?:me|us|it|time|the)\b|\bdying (?:to|for|of)\b|\bdead (?:on|tired|line|end|serious|gorgeous)\b|\bdie (?:for|hard|happy|laughing)\b|\bkill (?:me|two|for|a|an|the|him|off)\b|\bkill (?:\w+ )?(?:process|server|job|task)\b|\bsuicide (?:mission|squad|door|bomb\w*|note)\b|\b(?:phone|battery|laptop|car|plants?|roses|tomatoes|engine|wifi|server|line)\b[^.!?]{0,12}\b(?:died|dead|dies|dying)\b|\bshoot me\b(?! an)",
    "passed": r"\b(?:died|passed away|passed|funeral|eulogy|condolence\w*|obituar\w+|widow\w*|cremat\w+|grave|wake|mourning|anniversary|late (?:husband|wife|mother|father))\b",
    "medical": r"\b(?:side effects?|dosage|prescri\w+|doctor|gp|surgery|hospice|palliative|physio|nurse|survival|cancer|scan|leaflet|symptoms?|treatment|vet|pregnan\w+|diagnos\w+|normal|safe)\b",
    "not_serious": r"\b(?:not suicidal|never actually|wouldn'?t do|won'?t (?:do|act)|no intention|not (?:going|about) to|not saying)\b",
    "asks": r"\?\s*$",
    "now": r"\b(?:tonight|today|right now|now|tomorrow|soon|this (?:time|evening|morning|week)|by (?:monday|friday|sunday|easter|christmas)|lately|every (?:day|night|evening|morning|hour))\b",
}
_RISK_PATTERNS = {name: re.compile(pattern) for name, pattern in _RISK.items()}
_COMPANY_PATTERNS = {name: re.compile(pattern) for name, pattern in _COMPANY.items()}


@dataclass(frozen=True, slots=True)
class Sign:
    """A risk pattern and where it matched, in characters of the text."""

    name: str
    start: int
    end: int


def risk_signs(text: str) -> list[Sign]:
    """The first match of each risk pattern, in a text no longer than what `clipped` lets through."""
    plain = plain_form(text)
    found = ((name, pattern.search(plain)) for name, pattern in _RISK_PATTERNS.items())
    return [Sign(name, *match.span()) for name, match in found if match]


def marks(text: str) -> list[str]:
    """One feature per sign, per company, and per pair of the two."""
    plain = plain_form(clipped(text))
    risks = [name for name, pattern in _RISK_PATTERNS.items() if pattern.search(plain)]
    company = [name for name, pattern in _COMPANY_PATTERNS.items() if pattern.search(plain)]
    pairs = [f"<{risk}+{one}>" for risk in risks for one in company]
    together = [f"<{a}&{b}>" for i, a in enumerate(risks) for b in risks[i + 1 :]]
    alone = [] if risks else ["<no risk>"]
    return [*(f"<{name}>" for name in (*risks, *company)), *pairs, *together, *alone]


def plain_form(text: str) -> str:
    """Lower case, straight apostrophes; of the same length, so that places stay."""
    lowered = text.replace("’", "'").lower()
    return lowered if len(lowered) == len(text) else text.replace("’", "'")
