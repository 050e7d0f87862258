"""The committed heads serve their own embedding model and no other."""

import numpy as np
import pytest

from rapport_server.analysis import load_analyser
from rapport_server.analysis.loading import FORMAT, HEADS, HeadFile
from rapport_server.domain.analysis import Intent

SIZE_BYTES_MAX = 6 * 1024 * 1024


def test_the_heads_belong_to_the_packaged_model(runtime):
    assert load_analyser(runtime.fingerprint, runtime.inner_dimension) is not None


def test_another_model_has_no_analyser(runtime):
    assert load_analyser("0" * 64, runtime.inner_dimension) is None


def test_a_model_that_shows_no_inner_states_has_no_analyser(runtime):
    assert load_analyser(runtime.fingerprint, 0) is None


def test_the_file_packs_to_the_same_bytes():
    content = HEADS.read_bytes()
    assert HeadFile.unpacked(content).packed() == content
    assert len(content) < SIZE_BYTES_MAX


def test_labels_are_those_of_the_contract():
    heads = HeadFile.unpacked(HEADS.read_bytes())
    assert len(heads.emotion_labels) == 28
    assert {Intent(label) for label in heads.intent_labels} == set(Intent) - {Intent.CRISIS}


def test_a_file_that_is_none_is_refused(tmp_path):
    broken = tmp_path / "heads.npz"
    broken.write_bytes(b"not a zip file")
    with pytest.raises(ValueError, match="pickle"):
        load_analyser("0" * 64, 384, broken)


def test_a_file_of_another_format_is_refused(tmp_path):
    other = tmp_path / "heads.npz"
    np.savez(other, format=np.array(FORMAT + 1), fingerprint=np.array("0" * 64))
    with pytest.raises(ValueError, match="version"):
        load_analyser("0" * 64, 384, other)


def test_the_same_message_is_read_the_same_twice(analyse):
    text = "I'm so angry that you forgot it, and I feel awful tonight"
    assert analyse(text) == analyse(text)
