"""Shouting is heard in capitals, and not in acronyms, "OK" or one stressed word."""

import pytest

from rapport_server.analysis.shouting import is_shouting


@pytest.mark.parametrize(
    "text",
    [
        "WHY IS THIS STILL BROKEN",
        "LEAVE ME ALONE!",
        "I AM SO ANGRY",
        "STOP",
        "NOOOOO",
        "I have told you ten times DO NOT CALL ME AGAIN please",
        "this is SO ANNOYING!!!",
        "TERRIBLE CUSTOMER SUPPORT",
        "LEILA FLIES HOME TOMORROW AND I SPENT HER LAST DAY STARING AT A PHONE.",
        "MY API KEY DOES NOT WORK",
        "DON’T GIVE ME NUMBERS",
        "WARUM ANTWORTET NIEMAND AUF MEINE NACHRICHT",
    ],
)
def test_capitals_are_shouting(text):
    assert is_shouting(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "OK",
        "OK!!",
        "ok then",
        "NASA",
        "A",
        "I",
        "I I I",
        "USB, HDMI and VGA",
        "USB HDMI VGA",
        "The API of AWS is down, the SLA says 99 %",
        "My GP sent me to A&E for an MRI and a CT",
        "UNICEF and UNESCO",
        "they put onions in it AGAIN when i said no onions",
        "I REALLY like it",
        "AM or PM?",
        "Is it OK if I pay by IBAN? BIC is DEUTDEFF",
        "我很生气",
        "!!!",
        "123 456",
        "Dr. I. M. A. Smith",
        "TV or PC?",
    ],
)
def test_acronyms_and_single_stress_are_not(text):
    assert not is_shouting(text)


def test_a_message_of_32_kib_is_read_at_its_ends():
    assert is_shouting("GIVE ME MY MONEY BACK NOW! " * 1_300)
    assert not is_shouting("give me my money back now. " * 1_300)
