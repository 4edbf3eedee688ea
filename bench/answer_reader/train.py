"""Train the answer reader and write its adapter.

Belongs here: the network in torch, with the weights of the built-in cross-encoder, and the training. Not here: the
questions (`groups`, `tables`, `documents`), what the product does with the adapter
(`headwater.models_gateway.cross_encoder_adapter`).
Guarantee: the adapter fits the file of the cross-encoder that is installed, and no other.

    python -m bench.answer_reader.train --squad FILE:COUNT … --documents FILE … --out FILE [--start FILE] [--minutes 27]

README.md beside this file says what it needs, and which files the adapter of the product was made from.
"""

import argparse
import json
import random
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from safetensors.numpy import load_file, save_file
from transformers import BertConfig, BertForSequenceClassification

from bench.answer_reader.groups import Group, read_faq, read_groups, read_squad
from bench.answer_reader.tables import read_fetaqa, read_wikitables
from headwater.models_gateway.cross_encoder import find_weights
from headwater.models_gateway.onnx_encoder import open_tokenizer

RANK = 16
LEARNING_RATE = 3e-4
GROUPS_A_STEP = 8
_TOKENS = 144  # of question and window
_PAIRS_AT_ONCE = 12
_WARM_STEPS = 20
_REPORTED_STEPS = 20
_SEED = 3
_TITLED_FILES = ("dev-v2.0", "new_wiki", "dev", "test")  # collections whose titles say what an article is about
_MATRIX = re.compile(r"\.(?:Gemm_)?MatMul_quant$")


class LowRank(torch.nn.Module):
    """A matrix that stays as it is, and a change of low rank."""

    def __init__(self, base: torch.nn.Linear, rank: int = RANK) -> None:
        """Begin without a change."""
        super().__init__()
        self.base = base
        self.down = torch.nn.Parameter(torch.randn(base.in_features, rank) / base.in_features**0.5)
        self.up = torch.nn.Parameter(torch.zeros(rank, base.out_features))

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """The product with both."""
        product: torch.Tensor = self.base(values) + values @ self.down @ self.up
        return product


class Network:
    """The cross-encoder in torch, and where each of its matrices is in the ONNX file."""

    def __init__(self, folder: Path) -> None:
        """Read the weights."""
        self.file = (folder / "model.onnx").read_bytes()
        graph = onnx.load_from_string(self.file).graph
        self.tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        self.matrices = {
            _MATRIX.sub("", node.name.strip("/").replace("/", ".")): node.input[1]
            for node in graph.node
            if node.op_type == "MatMulInteger"
        }
        self.bert = BertForSequenceClassification(
            BertConfig(
                hidden_size=384,
                num_hidden_layers=12,
                num_attention_heads=12,
                intermediate_size=1536,
                num_labels=1,
                hidden_dropout_prob=0.0,
                attention_probs_dropout_prob=0.0,
            )
        )
        self.bert.load_state_dict({name: torch.tensor(values) for name, values in self._state().items()})
        self.changes = self._add_changes()

    def step_of(self, quantized: str) -> float:
        """What one step of a matrix's numbers is worth."""
        return float(self.tensors[f"{quantized.removesuffix('_quantized')}_scale"])

    def _state(self) -> dict[str, Any]:
        state = {
            name: np.array(values)
            for name, values in self.tensors.items()
            if values.dtype == np.float32 and name.startswith(("bert.", "classifier")) and not name.endswith("_scale")
        }
        for name, values in self.tensors.items():
            if name.endswith("embeddings.weight_quantized"):
                zero = self.tensors[f"{name.removesuffix('_quantized')}_zero_point"]
                plain = (values.astype(np.float32) - zero.astype(np.float32)) * self.step_of(name)
                state[name.removesuffix("_quantized")] = plain
        for matrix, quantized in self.matrices.items():
            state[f"{matrix}.weight"] = (self.tensors[quantized].astype(np.float32) * self.step_of(quantized)).T
        return state

    def _add_changes(self) -> dict[str, LowRank]:
        changes = {}
        for parameter in self.bert.parameters():
            parameter.requires_grad_(False)
        for matrix in self.matrices:
            parent, _, name = matrix.rpartition(".")
            module = self.bert.get_submodule(parent)
            changes[matrix] = LowRank(getattr(module, name), 1 if matrix == "classifier" else RANK)
            setattr(module, name, changes[matrix])
        self.bert.classifier.base.bias.requires_grad_(True)
        return changes

    def read(self, adapter: Path) -> None:
        """Begin with the changes of an adapter that `write` has written."""
        tensors = load_file(adapter)
        with torch.no_grad():
            self.bert.classifier.base.bias.copy_(torch.tensor(tensors["classifier.bias"]))
            for matrix, change in self.changes.items():
                change.down.copy_(torch.tensor(tensors[f"{self.matrices[matrix]}.down"]))
                change.up.copy_(torch.tensor(tensors[f"{self.matrices[matrix]}.up"]))

    def write(self, target: Path) -> None:
        """Write the adapter, as `headwater.models_gateway.cross_encoder_adapter` reads it."""
        tensors: dict[str, Any] = {"classifier.bias": self.bert.classifier.base.bias.detach().numpy()}
        places = {}
        for matrix, change in self.changes.items():
            name = self.matrices[matrix]
            numbers = self.tensors[name].tobytes()
            if self.file.count(numbers) != 1:
                raise SystemExit(f"{matrix} does not stand once in the file")
            places[name] = (self.file.index(numbers), self.step_of(name))
            for side, values in (("down", change.down), ("up", change.up)):
                tensors[f"{name}.{side}"] = np.ascontiguousarray(values.detach().numpy().astype(np.float16))
        save_file(tensors, target, metadata={"places": json.dumps(places)})


def main() -> None:
    """Read, train, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--squad", nargs="+", default=[], metavar="FILE:COUNT", help="as SQuAD; how many groups of it")
    parser.add_argument("--faq", nargs="+", type=Path, default=[], metavar="FOLDER", help="of markdown")
    parser.add_argument("--fetaqa", nargs="+", type=Path, default=[], metavar="FILE", help="of JSON lines")
    parser.add_argument("--wikitables", nargs="+", type=Path, default=[], metavar="FILE", help="its data/training.tsv")
    parser.add_argument("--documents", nargs="+", type=Path, default=[], metavar="FILE", help="of `documents`")
    parser.add_argument("--start", type=Path, metavar="FILE", help="the adapter that is trained further")
    parser.add_argument("--rate", type=float, default=LEARNING_RATE, help="of learning, at the beginning")
    parser.add_argument("--bfloat16", action="store_true", help="for processors that have it; others take far longer")
    parser.add_argument("--minutes", type=float, default=27.0)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    options = parser.parse_args()
    rng = random.Random(_SEED)  # noqa: S311 -- it chooses what is learnt from
    torch.manual_seed(_SEED)
    groups = [group for file_and_count in options.squad for group in _sample(file_and_count, rng)]
    groups += [group for folder in options.faq for group in read_faq(folder, rng)]
    groups += [group for file in options.fetaqa for group in read_fetaqa(file, rng)]
    groups += [group for file in options.wikitables for group in read_wikitables(file, rng)]
    groups += [group for file in options.documents for group in read_groups(file)]
    rng.shuffle(groups)
    print(f"{len(groups):,} groups, {sum(group.is_answered for group in groups):,} with an answer", flush=True)
    network = Network(find_weights())
    if options.start:
        network.read(options.start)
    with torch.autocast("cpu", torch.bfloat16, enabled=options.bfloat16):
        _train(network, groups, options.minutes, options.rate)
    network.write(options.out)


def _sample(file_and_count: str, rng: random.Random) -> Sequence[Group]:
    file, _, count = file_and_count.rpartition(":")
    path = Path(file)
    groups = list(read_squad(path, rng, is_titled=path.stem.startswith(_TITLED_FILES)))
    return rng.sample(groups, min(int(count), len(groups)))


def _train(network: Network, groups: Sequence[Group], minutes: float, rate: float) -> None:
    tokenizer = open_tokenizer(find_weights() / "tokenizer.json", _TOKENS, "")
    tokenizer.enable_padding()
    parameters = [parameter for parameter in network.bert.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, weight_decay=0.0)
    start, step, loss_sum = time.monotonic(), 0, 0.0
    while (elapsed := (time.monotonic() - start) / 60 / minutes) < 1:
        for settings in optimizer.param_groups:
            settings["lr"] = rate * min(1.0, (step + 1) / _WARM_STEPS) * (1 - elapsed)
        first = step * GROUPS_A_STEP % max(1, len(groups) - GROUPS_A_STEP)
        loss = _loss(network, tokenizer, groups[first : first + GROUPS_A_STEP])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        step, loss_sum = step + 1, loss_sum + float(loss.detach())
        if step % _REPORTED_STEPS == 0:
            print(f"{elapsed:5.0%} {step * GROUPS_A_STEP:6,} groups, loss {loss_sum / _REPORTED_STEPS:.3f}", flush=True)
            loss_sum = 0.0


def _loss(network: Network, tokenizer: Any, groups: Sequence[Group]) -> torch.Tensor:
    """How unlikely the right choice is, among the windows and "none", whose score is 0."""
    scores = _score(network, tokenizer, [(group.question, window) for group in groups for window in group.windows])
    losses = []
    for group, group_scores in zip(groups, scores.split([len(group.windows) for group in groups]), strict=True):
        chances = torch.log_softmax(torch.cat([torch.zeros(1), group_scores]), 0)
        losses.append(-chances[int(group.is_answered)])
    return torch.stack(losses).mean()


def _score(network: Network, tokenizer: Any, pairs: Sequence[tuple[str, str]]) -> torch.Tensor:
    """The score of each question with its window, those of like length together: what fills up takes time, too."""
    order = sorted(range(len(pairs)), key=lambda position: len(pairs[position][1]))
    scores = []
    for first in range(0, len(order), _PAIRS_AT_ONCE):
        batch = tokenizer.encode_batch([pairs[position] for position in order[first : first + _PAIRS_AT_ONCE]])
        inputs: Mapping[str, torch.Tensor] = {
            "input_ids": torch.tensor([pair.ids for pair in batch]),
            "attention_mask": torch.tensor([pair.attention_mask for pair in batch]),
            "token_type_ids": torch.tensor([pair.type_ids for pair in batch]),
        }
        scores.append(network.bert(**inputs).logits[:, 0].float())
    return torch.cat(scores)[torch.argsort(torch.tensor(order))]


if __name__ == "__main__":
    main()
