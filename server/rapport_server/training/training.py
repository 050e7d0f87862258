"""The whole training: data to heads, measured on what was held out."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from rapport_server.analysis.head import Head
from rapport_server.analysis.loading import HeadFile
from rapport_server.analysis.tokens import KINDS
from rapport_server.domain.analysis import Intent
from rapport_server.embedding import load_encoder
from rapport_server.training import crisis, data, emotions, intents, scores
from rapport_server.training.vectors import embed

Floats = NDArray[np.float32]

# The share of the training sentences' crises that the threshold must find when each is judged by a head that did not see it.
CRISIS_RECALL_MIN = 0.88
SEED = 1
# Two networks per case instead of five: the differences are what counts.
ABLATION_FOLDS = 2


@dataclass(frozen=True, slots=True)
class Score:
    """One figure of the report; `target` as it is written in the card, "" when there is none."""

    head: str
    measure: str
    value: float
    target: str = ""


@dataclass(slots=True)
class Outcome:
    """The head file, its scores, and the per-label F1 of the emotion and intent heads."""

    heads: HeadFile
    model_name: str
    scores: list[Score]
    per_emotion: dict[str, float] = field(default_factory=dict)
    per_intent: dict[str, tuple[float, float]] = field(default_factory=dict)
    per_kind: dict[str, float] = field(default_factory=dict)
    ablations: list[tuple[str, float, float, float]] = field(default_factory=list)
    licences: dict[tuple[str, str], int] = field(default_factory=dict)


def train(
    path: Path,
    cache: Path | None = None,
    *,
    ablate: bool = False,
    tell: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """Train all heads on the packaged default model; the same data and versions give the same bytes.

    Raises StartupError when files are missing.
    """
    data.check(path)
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    return _Training(path, cache, tell).run(ablate=ablate)


class _Training:
    def __init__(self, path: Path, cache: Path | None, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._train = data.emotions(path, "train")
        self._dev = data.emotions(path, "dev")
        rows = data.utterances(path)
        own = data.own_sentences("intents") + data.own_sentences("memory_request")
        self._own_test = [one for one in data.split_of(own, "test") if one.label != "other"]
        own_train = data.split_of(own, "train")
        self._intents = intents.gather(rows, own_train)
        self._rows = rows
        self._crisis_test = data.split_of(data.own_sentences("crisis"), "test")
        self._look_alikes = data.look_alikes(path)[1]
        chance = np.random.default_rng(3)
        background = [
            *_some(chance, self._train.texts, crisis.BACKGROUND_EMOTIONS),
            *_some(
                chance,
                [row.text for row in rows if row.label != "emotional_support"],
                crisis.BACKGROUND_INTENTS,
            ),
        ]
        sentences = data.split_of(data.own_sentences("crisis"), "train")
        self._crisis = crisis.gather(
            sentences + data.own_sentences("crisis_more"),
            [one.text for one in own_train],
            background,
        )
        self._embed(cache)

    def _embed(self, cache: Path | None) -> None:
        texts = [
            *self._train.texts,
            *self._dev.texts,
            *self._intents.texts,
            *(row.text for row in self._intents.held_out),
            *(one.text for one in self._own_test),
            *self._crisis.texts,
            *(one.text for one in self._crisis_test),
            *self._look_alikes,
        ]
        self._tell(f"embedding {len(set(texts)):,} texts")
        runtime = load_encoder()
        torch.set_num_threads(1)
        self._fingerprint, self._model_name = runtime.fingerprint, runtime.model_name
        self._vectors = embed(runtime, texts, cache)

    def _of(self, texts: list[str]) -> Floats:
        return np.stack([self._vectors[text] for text in texts])

    def run(self, *, ablate: bool) -> Outcome:
        self._tell("training emotions")
        emotion = emotions.train_emotions(self._train, self._of(self._train.texts))
        self._tell("training intents")
        intent = intents.train_intents(self._intents, self._of(self._intents.texts))
        self._tell("training crisis")
        crisis_head, outside = crisis.train(self._crisis, self._of(self._crisis.texts))
        judged = slice(0, self._crisis.judged)
        limit = crisis.threshold(outside[judged], self._crisis.wanted[judged], CRISIS_RECALL_MIN)
        # Measured as they will be read from the file, in half precision.
        heads = HeadFile.unpacked(
            HeadFile(
                fingerprint=self._fingerprint,
                emotions=emotion.head,
                emotion_labels=self._train.labels,
                emotion_thresholds=emotion.thresholds,
                intents=intent,
                intent_labels=tuple(Intent(name.upper()) for name in self._intents.labels),
                crisis=crisis_head,
                crisis_threshold=limit,
            ).packed()
        )
        outcome = Outcome(heads, self._model_name, [])
        for row in self._rows:
            key = (row.source, row.licence)
            outcome.licences[key] = outcome.licences.get(key, 0) + 1
        self._score_emotions(outcome)
        self._score_intents(outcome)
        self._score_crisis(outcome, outside)
        if ablate:
            self._ablate(outcome)
        return outcome

    def _score_emotions(self, outcome: Outcome) -> None:
        trained = emotions.Trained(outcome.heads.emotions, outcome.heads.emotion_thresholds)
        each, groups = self._emotion_scores(trained)
        outcome.scores += [
            Score(
                "emotions", "macro-F1 of 28 labels, goemotions_dev", float(each.mean()), "≥ 0.41"
            ),
            Score("emotions", "macro-F1 of 7 Ekman classes, goemotions_dev", groups, "≥ 0.56"),
        ]
        outcome.per_emotion = dict(zip(self._dev.labels, map(float, each), strict=True))

    def _emotion_scores(
        self, trained: emotions.Trained, kinds: frozenset[str] | None = KINDS
    ) -> tuple[Floats, float]:
        found = emotions.detect(
            trained, self._of(self._dev.texts), emotions.surfaces(self._dev.texts, kinds)
        )
        wanted = self._dev.targets > 0
        labels = self._dev.labels
        groups = scores.f1(scores.ekman(found, labels), scores.ekman(wanted, labels))
        return scores.f1(found, wanted), float(groups.mean())

    def _intent_scores(
        self, head: Head, texts: list[str], names: list[str], kinds: frozenset[str] | None = KINDS
    ) -> Floats:
        labels = self._intents.labels
        wanted = np.array([labels.index(name) for name in names])
        found = intents.answers(head, texts, self._of(texts), kinds)
        return scores.f1(scores.one_hot(found, len(labels)), scores.one_hot(wanted, len(labels)))

    def _score_intents(self, outcome: Outcome) -> None:
        head, held_out = outcome.heads.intents, self._intents.held_out
        each = self._intent_scores(
            head, [row.text for row in held_out], [row.label for row in held_out]
        )
        mine = self._intent_scores(
            head, [one.text for one in self._own_test], [one.label for one in self._own_test]
        )
        outcome.per_intent = {
            label: (float(a), float(b))
            for label, a, b in zip(self._intents.labels, each, mine, strict=True)
        }
        outcome.scores += [
            Score(
                "intent", "macro-F1 of 11 classes, balanced held-out", float(each.mean()), "≥ 0.90"
            ),
            Score("intent", "F1 farewell, held-out", outcome.per_intent["farewell"][0], "≥ 0.82"),
            Score(
                "intent",
                "F1 emotional_support, held-out",
                outcome.per_intent["emotional_support"][0],
                "≥ 0.82",
            ),
            Score(
                "intent", "macro-F1 of 11 classes, test half of our sentences", float(mine.mean())
            ),
        ]

    def _score_crisis(self, outcome: Outcome, outside: Floats) -> None:
        head, limit = outcome.heads.crisis, outcome.heads.crisis_threshold
        wanted = np.array([one.label == "crisis" for one in self._crisis_test])
        found = self._alarms(head, limit, [one.text for one in self._crisis_test])
        precision, recall = scores.precision_recall(found, wanted)
        judged = slice(0, self._crisis.judged)
        precision_cv, recall_cv = scores.precision_recall(
            outside[judged] > limit, self._crisis.wanted[judged]
        )
        kinds = sorted({one.kind for one in self._crisis_test})
        for kind in kinds:
            of_kind = np.array([one.kind == kind for one in self._crisis_test])
            outcome.per_kind[kind] = float((found == wanted)[of_kind].mean())
        ordinary = [text for text in self._dev.texts if not crisis.RISKY.search(text)]
        support = [one.text for one in self._own_test if one.label == "emotional_support"]
        others = [one.text for one in self._own_test if one.label != "emotional_support"]
        outcome.scores += [
            Score("crisis", "recall, test half of our sentences", recall, "≥ 0.92"),
            Score("crisis", "precision, test half of our sentences", precision, "≥ 0.85"),
            Score(
                "crisis",
                f"false alarms on the {len(self._look_alikes)} look-alikes",
                float(self._alarms(head, limit, self._look_alikes).sum()),
                "0",
            ),
            Score("crisis", "recall, training sentences, cross-validated", recall_cv),
            Score("crisis", "precision, training sentences, cross-validated", precision_cv),
            Score(
                "crisis",
                f"alarm rate on {len(ordinary):,} rows of goemotions_dev",
                float(self._alarms(head, limit, ordinary).mean()),
            ),
            Score(
                "crisis",
                f"alarm rate on our {len(support)} emotional_support test sentences",
                float(self._alarms(head, limit, support).mean()),
            ),
            Score(
                "crisis",
                f"alarm rate on our {len(others)} other intent test sentences",
                float(self._alarms(head, limit, others).mean()),
            ),
        ]

    def _alarms(self, head: Head, limit: float, texts: list[str]) -> NDArray[np.bool_]:
        logits = head.vector_logits(self._of(texts))[:, 0]
        surface = [head.word_logits(crisis.features(text))[0] for text in texts]
        alarms: NDArray[np.bool_] = logits + np.array(surface) > limit
        return alarms

    def _ablate(self, outcome: Outcome) -> None:
        """Every head again without one part of the surface."""
        cases: list[tuple[str, frozenset[str] | None]] = [("embedding alone", None)]
        cases += [("without " + kind, KINDS - {kind}) for kind in sorted(KINDS)]
        cases += [("everything", KINDS)]
        held_out = self._intents.held_out
        for name, kinds in cases:
            self._tell(f"ablation: {name}")
            trained = emotions.train_emotions(
                self._train,
                self._of(self._train.texts),
                kinds,
                replace(emotions.RECIPE, folds=ABLATION_FOLDS),
            )
            each, groups = self._emotion_scores(trained, kinds)
            head = intents.train_intents(
                self._intents,
                self._of(self._intents.texts),
                kinds,
                replace(intents.RECIPE, folds=ABLATION_FOLDS),
            )
            intent = self._intent_scores(
                head, [row.text for row in held_out], [row.label for row in held_out], kinds
            )
            outcome.ablations.append((name, float(each.mean()), groups, float(intent.mean())))


def _some(chance: np.random.Generator, texts: list[str], count: int) -> list[str]:
    return [texts[place] for place in chance.permutation(len(texts))[:count]]
