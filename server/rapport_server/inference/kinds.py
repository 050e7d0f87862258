"""The words for what somebody is to the speaker, each with the kind that it stands for."""

from dataclasses import dataclass

# kind: the words that mean it. A plural in -s is made from each; what has hyphens is written without them, too.
_WORDS = {
    "mother": "mother mom mum mummy mommy mama mamma ma mam",
    "father": "father dad daddy papa pa",
    "parents": "parents folks",
    "stepmother": "stepmother stepmum stepmom",
    "stepfather": "stepfather stepdad",
    "grandmother": "grandmother grandma granny gran nan nana grandmum grandmom",
    "grandfather": "grandfather grandpa grandad granddad gramps",
    "grandparents": "grandparents",
    "great-grandmother": "great-grandmother great-grandma",
    "great-grandfather": "great-grandfather great-grandpa",
    "sister": "sister sis half-sister",
    "brother": "brother bro half-brother",
    "twin": "twin",
    "sibling": "sibling",
    "stepsister": "stepsister",
    "stepbrother": "stepbrother",
    "daughter": "daughter",
    "son": "son",
    "child": "child kid",
    "stepdaughter": "stepdaughter",
    "stepson": "stepson",
    "granddaughter": "granddaughter",
    "grandson": "grandson",
    "grandchild": "grandchild grandkid",
    "goddaughter": "goddaughter",
    "godson": "godson",
    "godmother": "godmother",
    "godfather": "godfather",
    "aunt": "aunt auntie aunty",
    "uncle": "uncle",
    "cousin": "cousin cuz",
    "niece": "niece",
    "nephew": "nephew",
    "mother-in-law": "mother-in-law",
    "father-in-law": "father-in-law",
    "sister-in-law": "sister-in-law",
    "brother-in-law": "brother-in-law",
    "son-in-law": "son-in-law",
    "daughter-in-law": "daughter-in-law",
    "parents-in-law": "parents-in-law in-laws",
    "husband": "husband hubby",
    "wife": "wife wifey missus",
    "partner": "partner spouse",
    "fiancé": "fiancé fiance",
    "fiancée": "fiancée fiancee",
    "boyfriend": "boyfriend bf",
    "girlfriend": "girlfriend gf",
    "ex": "ex ex-husband ex-wife ex-boyfriend ex-girlfriend ex-partner",
    "crush": "crush",
    "friend": "friend mate bestie bff pal buddy",
    "neighbour": "neighbour neighbor",
    "roommate": "roommate roomie flatmate housemate",
    "landlord": "landlord",
    "landlady": "landlady",
    "boss": "boss manager supervisor superior",
    "colleague": "colleague coworker co-worker workmate",
    "classmate": "classmate",
    "teammate": "teammate",
    "apprentice": "apprentice",
    "intern": "intern",
    "teacher": "teacher schoolteacher",
    "professor": "professor",
    "tutor": "tutor",
    "mentor": "mentor",
    "coach": "coach",
    "trainer": "trainer",
    "doctor": "doctor gp physician",
    "surgeon": "surgeon",
    "dentist": "dentist",
    "cardiologist": "cardiologist",
    "neurologist": "neurologist",
    "oncologist": "oncologist",
    "dermatologist": "dermatologist",
    "gynaecologist": "gynaecologist gynecologist",
    "psychiatrist": "psychiatrist",
    "psychologist": "psychologist",
    "therapist": "therapist counsellor counselor psychotherapist shrink",
    "physiotherapist": "physiotherapist physio",
    "midwife": "midwife",
    "nurse": "nurse",
    "carer": "carer caregiver",
    "babysitter": "babysitter nanny",
    "lawyer": "lawyer solicitor attorney",
    "accountant": "accountant",
    "hairdresser": "hairdresser barber",
    "pastor": "pastor priest vicar",
    "dog": "dog doggo puppy pup",
    "cat": "cat kitten kitty",
    "horse": "horse pony",
    "parrot": "parrot",
    "rabbit": "rabbit bunny",
    "hamster": "hamster",
}
_PHRASES = {
    "team lead": "boss",
    "team leader": "boss",
    "line manager": "boss",
    "other half": "partner",
    "significant other": "partner",
    "social worker": "social worker",
    "former husband": "ex",
    "former wife": "ex",
    "step mother": "stepmother",
    "step father": "stepfather",
    "step mum": "stepmother",
    "step mom": "stepmother",
    "step dad": "stepfather",
}
_PLURALS = {
    "children": "child",
    "grandchildren": "grandchild",
    "wives": "wife",
    "puppies": "dog",
    "bosses": "boss",
    "coaches": "coach",
    "sisters-in-law": "sister-in-law",
    "brothers-in-law": "brother-in-law",
    "exes": "ex",
}
_ALWAYS_PLURAL = frozenset({"parents", "grandparents", "parents-in-law"})

# Said of those who serve many: "our teachers' union" is not about one's own.
PROFESSIONS = frozenset("teacher professor doctor nurse lawyer dentist pastor".split())
# Used as a name, without "my": "Mum called". The second sort only with a capital letter.
BARE = frozenset(
    "mom mum mummy mommy dad daddy grandma grandpa granny grandad granddad gran nana hubby wifey bf gf".split()
)
BARE_CAPITAL = frozenset("mother father ma pa nan mama papa auntie".split())
# Stand before a first name: "Aunt Bea".
TITLES = frozenset(
    "aunt auntie aunty uncle grandma granny gran nana nan grandpa grandad granddad cousin".split()
)


@dataclass(frozen=True, slots=True)
class KindWord:
    """What a word stands for."""

    kind: str
    plural: bool


def _table() -> dict[str, KindWord]:
    table = {}
    for kind, forms in _WORDS.items():
        for form in forms.split():
            if kind in _ALWAYS_PLURAL:
                table[form] = KindWord(kind, True)
                continue
            table[form] = table[form.replace("-", " ")] = KindWord(kind, False)
            if form not in ("boss", "ma", "pa", "bf", "gf", "sis", "ex"):
                table[form + "s"] = KindWord(kind, True)
    table |= {form: KindWord(kind, True) for form, kind in _PLURALS.items()}
    table |= {form: KindWord(kind, False) for form, kind in _PHRASES.items()}
    return table


KIND_WORDS = _table()
PHRASE_WORDS_MAX = 3
