"""Readings of messages."""

from collections.abc import Iterable

from rapport.v1 import analysis_pb2
from rapport_server.domain.analysis import Analysis, Emotion
from rapport_server.rpc.convert.enums import ANALYSIS_ORIGIN, INTENT


def emotions(given: Iterable[Emotion]) -> list[analysis_pb2.DetectedEmotion]:
    """Emotions in the order given."""
    return [analysis_pb2.DetectedEmotion(label=e.label, score=e.score) for e in given]


def analysis(given: Analysis) -> analysis_pb2.Analysis:
    """A full reading with its origins."""
    return analysis_pb2.Analysis(
        detected_emotions=emotions(given.detected_emotions),
        intent=INTENT.to(given.intent),
        mood_delta=given.mood_delta,
        shouting=given.shouting,
        crisis=given.crisis,
        crisis_phrase=given.crisis_phrase,
        origin=ANALYSIS_ORIGIN.to(given.origin),
        field_origins={
            name: ANALYSIS_ORIGIN.to(origin) for name, origin in given.field_origins.items()
        },
    )
