"""How somebody treats the speaker, by what a sentence says they do or are: told soberly it sounds like no emotion at all."""

import re

_UNKIND_ACTS = (
    r"shout(?:s|ed|ing)? at|yell(?:s|ed|ing)? at|scream(?:s|ed|ing)? at|l(?:ies|ied|ying) to|cheat(?:s|ed|ing)? on|hits?|hitting|slap(?:s|ped)|"
    r"pushe[sd]|threaten(?:s|ed)|insult(?:s|ed|ing)?|bull(?:ies|ied|ying)|ignor(?:es|ed|ing)|betray(?:s|ed)|mock(?:s|ed|ing)?|humiliat(?:es|ed)|"
    r"abus(?:es|ed)|blam(?:es|ed)|fired|dumped|hurts?|hurting|rob(?:s|bed)|laugh(?:s|ed)? at|pick(?:s|ed)? on|snap(?:s|ped) at|scold(?:s|ed)|hates?|"
    r"left|abandon(?:s|ed)|belittl(?:es|ed)|patroni[sz](?:es|ed)"
)
_KIND_ACTS = (
    r"help(?:s|ed|ing)?|prais(?:es|ed)|hug(?:s|ged)|thank(?:s|ed)|support(?:s|ed|ing)?|forg(?:ives|ave)|cheer(?:s|ed)|comfort(?:s|ed)|encourag(?:es|ed)|"
    r"loves?|believ(?:es|ed) in|surpris(?:es|ed)|car(?:es|ed) (?:for|about)|stood by|stands by|look(?:s|ed) after|compliment(?:s|ed)|defend(?:s|ed)"
)
_UNKIND = (
    r"bully|mean|rude|cruel|unfair|toxic|horrible|awful|nasty|selfish|abusive|impossible|jerk|liar|monster|dishonest|jealous|"
    r"unkind|annoying|insufferable|idiot|nightmare"
)
_KIND = (
    r"kind|lovely|great|wonderful|amazing|sweet|best|supportive|generous|brilliant|adorable|patient|gentle|angel|fantastic|caring|"
    r"helpful|awesome|treasure|darling"
)


def _pattern(acts: str, traits: str) -> re.Pattern[str]:
    being = r"(?:(?:is|are|was|were|has been|can be)|['’]s)"
    return re.compile(
        rf"(?i)\b(?:{acts}) (?:me|us)\b|{being} (?:(?:so|really|very|such|always|just|the|an?|being|absolutely) ){{0,3}}(?:{traits})\b"
    )


_UNKIND_PATTERN = _pattern(_UNKIND_ACTS, _UNKIND)
_KIND_PATTERN = _pattern(_KIND_ACTS, _KIND)
_DENIED = re.compile(r"(?i)\b(?:not|never|no longer|hardly|if|would|wish)\b|n['’]t\b")


def conduct(sentence: str) -> int:
    """−1 when it tells of unkindness towards the speaker, 1 of kindness, 0 of both, of neither, or when it is denied."""
    return bool(_told(_KIND_PATTERN, sentence)) - bool(_told(_UNKIND_PATTERN, sentence))


def _told(pattern: re.Pattern[str], sentence: str) -> bool:
    found = pattern.search(sentence)
    return found is not None and not _DENIED.search(sentence, 0, found.end())
