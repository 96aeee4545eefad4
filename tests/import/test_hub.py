#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations of a hub of models as workloads: totals, what a person can change, and what is wrong.

Usage: test_hub.py DSM
"""
import json
import pathlib
import random
import sys
import unittest

import cases
from hub_configs import CONFIGS, DERIVED, MACS, PARAMETERS, decoder_macs, gated_block


class Hub(cases.Case):
    def config(self, name="llama3_8b", **changes):
        """A configuration with some keys changed, or left out where they are `...`."""
        changed = {**CONFIGS[name], **changes}
        return self.write({key: value for key, value in changed.items() if value is not ...}, "config.json")

    def layers(self, path, *options):
        workload, said = self.made(path, *options)
        return {layer["name"]: layer for layer in flat(workload["layers"])}, said

    def blocks(self, path, *options):
        """Of each block whether its queries see a window, and whether it has experts."""
        workload, _ = self.made(path, *options)
        layers = [layer for layer in flat(workload["layers"], True) if layer["name"] in ("attention", "down")]
        return [("window" in attention, "experts" in down)
                for attention, down in zip(layers[::2], layers[1::2], strict=True)]


def flat(items, is_repeated=False):
    """Layers, each once or as often as blocks repeat it."""
    for item in items:
        times = int(str(item.get("repeat", "=1"))[1:]) if is_repeated else 1
        for _ in range(times):
            yield from flat(item["layers"], is_repeated) if "layers" in item else [item]


def ops(layer):
    return [one["op"] for one in layer.get("aux", [])]


class Totals(Hub):
    def test_derivations_are_what_is_published(self):
        self.assertEqual(DERIVED, PARAMETERS)

    def test_all_families(self):
        for name in CONFIGS:
            with self.subTest(name):
                totals = self.described(self.config(name))
                self.assertEqual(totals["parameters"], PARAMETERS[name])
                if name in MACS:
                    self.assertEqual(totals["macs_forward_per_sample"], MACS[name])

    def test_what_is_imported_is_what_is_read_at_once(self):
        path = self.config("gpt2")
        made = str(pathlib.Path(self.folder.name, "made.json"))
        ran = self.run_dsm("import", path, "-o", made)
        self.assertEqual(ran.returncode, cases.DONE, ran.stderr)
        steps = [self.run_dsm("explore", file, "torus64", "--minibatch", "64", "--format", "json").stdout
                 for file in (path, made)]
        self.assertEqual(*[json.loads(step)["result"] for step in steps])


class Choices(Hub):
    def test_sequence(self):
        for options in (["--sequence", "128"], ["--dimension", "sequence=128"]):
            workload, _ = self.made(self.config(), *options)
            self.assertEqual(workload["parameters"]["sequence"], 128)
        totals = self.described(self.config(), "--set", "workload.parameters.sequence=128")
        self.assertEqual(totals["macs_forward_per_sample"], decoder_macs(128, 4096, 14336, 32, 32, 8, 128256, 3))

    def test_a_long_sequence_is_bounded(self):
        workload, said = self.made(self.config("mistral_7b"))
        self.assertEqual(workload["parameters"]["sequence"], 8192)
        self.assertIn("$.max_position_embeddings: note: the sequence is assumed to be 8192", said)
        _, said = self.made(self.config("mistral_7b"), "--sequence", "32768")
        self.assertNotIn("the sequence is", said)

    def test_positions_that_are_learned(self):
        _, said = self.made(self.config("gpt2"), "--sequence", "128")
        self.assertIn("of the table of positions 128 rows are counted", said)
        _, said = self.made(self.config("gpt2"), "--sequence", "2048")
        self.assertIn("the sequence is given as 2048, and the model reads 1024", said)

    def test_minibatch_and_name(self):
        workload, _ = self.made(self.config(_name_or_path="owner/Model-8B"), "--minibatch", "7")
        self.assertEqual((workload["minibatch"], workload["name"]), (7, "Model-8B"))
        workload, _ = self.made(self.config())
        self.assertEqual(workload["name"], "llama")
        workload, _ = self.made(self.write(CONFIGS["gpt2"], "small.json"))
        self.assertEqual(workload["name"], "small")

    def test_dropout_where_the_configuration_has_it(self):
        with_it, _ = self.layers(self.config("bert_base"))
        without, _ = self.layers(self.config("bert_base", hidden_dropout_prob=0.0))
        self.assertEqual(ops(with_it["ff2"]), ["bias", "dropout", "residual", "layer_norm"])
        self.assertEqual(ops(without["ff2"]), ["bias", "residual", "layer_norm"])
        self.assertIn("dropout", ops(self.layers(self.config("bert_base", hidden_dropout_prob=...))[0]["token_types"]))

    def test_biases(self):
        for key, layer in (("attention_bias", "qkv"), ("attention_bias", "attention_out"), ("mlp_bias", "down")):
            self.assertIn("bias", ops(self.layers(self.config(**{key: True}))[0][layer]))
        self.assertNotIn("bias", ops(self.layers(self.config("vit_b16", qkv_bias=False))[0]["qkv"]))
        self.assertNotIn("bias", ops(self.layers(self.config("pythia_160m", attention_bias=False))[0]["qkv"]))

    def test_heads_of_their_own_size(self):
        totals = self.described(self.config(head_dim=64))
        self.assertEqual(PARAMETERS["llama3_8b"] - totals["parameters"], 32 * 4096 * 64 * (2 * 32 + 2 * 8))

    def test_tied_output(self):
        tied = self.described(self.config(tie_word_embeddings=True))["parameters"]
        self.assertEqual(PARAMETERS["llama3_8b"] - tied, 128256 * 4096)
        apart = self.described(self.config("gpt2", tie_word_embeddings=False))["parameters"]
        self.assertEqual(apart - PARAMETERS["gpt2"], 50257 * 768)

    def test_rotated_share(self):
        layers, _ = self.layers(self.config())
        self.assertEqual([one["share"] for one in layers["qkv"]["aux"] if one["op"] == "rotary"], [40 / 48])
        layers, _ = self.layers(self.config("pythia_160m"))
        self.assertEqual([one["share"] for one in layers["qkv"]["aux"] if one["op"] == "rotary"], [0.25 * 2 / 3])

    def test_windows(self):
        self.assertEqual(self.layers(self.config("mistral_7b"))[0]["attention"]["window"], "=window")
        self.assertNotIn("window", self.layers(self.config("mistral_7b", sliding_window=None))[0]["attention"])

    def test_windows_of_some_blocks(self):
        def seen(*places):
            return [(i in places, False) for i in range(places[-1] + 2)]

        self.assertEqual(self.blocks(self.config("gemma2_9b")), [(i % 2 == 0, False) for i in range(42)])
        self.assertEqual(self.blocks(self.config("gpt_oss_120b")), [(i % 2 == 0, True) for i in range(36)])
        self.assertEqual(self.blocks(self.config("gemma3_1b")), [((i + 1) % 6 != 0, False) for i in range(26)])
        self.assertEqual(self.blocks(self.config("gemma3_1b", sliding_window_pattern=4)),
                         [((i + 1) % 4 != 0, False) for i in range(26)])
        types = ["full_attention", "sliding_attention", "sliding_attention", "full_attention"]
        listed = self.config("qwen3_8b", num_hidden_layers=4, use_sliding_window=True, sliding_window=64, layer_types=types)
        self.assertEqual(self.blocks(listed), seen(1, 2))
        from_one_on = self.config("qwen2_05b", use_sliding_window=True, sliding_window=64, max_window_layers=20)
        self.assertEqual(self.blocks(from_one_on), [(i >= 20, False) for i in range(24)])
        self.assertEqual(self.layers(self.config("qwen2_05b", use_sliding_window=True))[0]["attention"].get("window"), None)

    def test_names_of_blocks(self):
        workload, _ = self.made(self.config("gemma3_1b"))
        group, rest = (item for item in workload["layers"] if "block" in item)
        self.assertEqual((group["block"], group["repeat"]), ("group", "=4"))
        self.assertEqual([(block["block"], block.get("repeat")) for block in group["layers"]],
                         [("local", "=5"), ("global", None)])
        self.assertEqual((rest["block"], rest["repeat"]), ("local", "=2"))
        workload, _ = self.made(self.config("deepseek_v3"))
        self.assertEqual([(item["block"], item["repeat"]) for item in workload["layers"] if "block" in item],
                         [("dense", "=3"), ("sparse", "=58")])

    def test_experts_in_some_blocks(self):
        self.assertEqual(self.blocks(self.config("qwen3_30b_a3b", decoder_sparse_step=2)),
                         [(False, i % 2 == 1) for i in range(48)])
        self.assertEqual(self.blocks(self.config("qwen3_30b_a3b", mlp_only_layers=[3, 0])),
                         [(False, i not in (0, 3)) for i in range(48)])
        total = self.described(self.config("qwen3_30b_a3b", decoder_sparse_step=2))["parameters"]
        self.assertEqual(PARAMETERS["qwen3_30b_a3b"] - total, 24 * (128 * 3 * 2048 * 768 + 2048 * 128 - 3 * 2048 * 6144))
        self.assertNotIn("experts", self.layers(self.config("deepseek_v3", first_k_dense_replace=61))[0]["down"])

    def test_latents(self):
        layers, said = self.layers(self.config("deepseek_v3"))
        self.assertIn("$.num_nextn_predict_layers: note: the layers that predict further tokens are left out", said)
        self.assertEqual(layers["attention"]["inputs"], ["query", "latent"])
        self.assertEqual(layers["latent"]["aux"][1], {"op": "rms_norm", "features": "=latent", "heads": 1})
        self.assertEqual((ops(layers["router"]), ops(layers["shared_down"])), (["rms_norm", "sigmoid", "bias"], ["residual"]))
        self.assertNotIn("query_down", self.layers(self.config("deepseek_v2_lite"))[0])
        cached = self.made(self.config("deepseek_v3"), "--sequence", "1")[0]
        self.assertEqual(cached["parameters"]["latent"] + cached["parameters"]["rotary_features"], 576)
        self.assertEqual(self.described(self.config("deepseek_v3", model_type="kimi_k2"))["parameters"],
                         PARAMETERS["deepseek_v3"])

    def test_norms_of_heads(self):
        layers, _ = self.layers(self.config("qwen3_32b"))
        norm = {"op": "rms_norm", "features": "=head_features"}
        self.assertEqual(layers["query"]["aux"], [{"op": "rms_norm", "on": "input"}, norm, {"op": "rotary"}])
        self.assertEqual(layers["key"]["aux"],
                         [{"op": "rms_norm", "on": "input", "from": "query"}, norm, {"op": "rotary"}])
        self.assertEqual(ops(layers["value"]), ["rms_norm"])
        self.assertEqual(layers["attention"]["inputs"], ["query", "key", "value"])
        layers, _ = self.layers(self.config("olmo2_7b"))
        self.assertEqual(layers["query"]["aux"], [{"op": "rms_norm"}, {"op": "rotary"}])
        self.assertEqual(ops(layers["down"]), ["rms_norm", "residual"])

    def test_one_norm_for_both_parts(self):
        for name, first in (("falcon_7b", "ff1"), ("gptj_6b", "ff1"), ("phi2", "ff1"), ("cohere", "gate")):
            layers, _ = self.layers(self.config(name))
            self.assertEqual(layers[first]["inputs"], ["@before"])
            self.assertFalse({"layer_norm", "rms_norm"} & set(ops(layers[first])))
        layers, _ = self.layers(self.config("falcon_7b", parallel_attn=False, multi_query=False))
        self.assertEqual((ops(layers["ff1"]), layers["qkv"]["out"]), (["layer_norm", "gelu"], "=3*hidden"))

    def test_a_part_of_each_head_is_turned(self):
        share = [one for one in self.layers(self.config("gptj_6b"))[0]["qkv"]["aux"] if one["op"] == "rotary"][0]["share"]
        self.assertAlmostEqual(share, 64 / 256 * 2 / 3)

    def test_parts_of_a_block_side_by_side_or_not(self):
        self.assertEqual(self.layers(self.config("pythia_160m"))[0]["ff1"]["inputs"], ["@before"])
        self.assertNotIn("inputs", self.layers(self.config("pythia_160m", use_parallel_residual=False))[0]["ff1"])

    def test_ends_of_a_vit(self):
        layers, said = self.layers(self.config("vit_b16"))
        self.assertEqual((layers["classifier"]["out"], layers["tokens"]["vocabulary"]), ("=classes", 1))
        self.assertEqual([line.split(": note: ")[1] for line in said.splitlines()],
                         ["training is with adam_mixed, unless workload.optimizer says otherwise"])
        layers, _ = self.layers(self.config("vit_b16", architectures=["ViTModel"]))
        self.assertEqual(ops(layers["pooler"]), ["layer_norm", "select", "bias", "tanh"])
        workload, _ = self.made(self.config("vit_b16", id2label=..., num_labels=10, image_size=[225, 225]))
        self.assertEqual((workload["parameters"]["classes"], workload["parameters"]["patches"]), (10, 14))

    def test_one_block(self):
        self.assertGreater(self.described(self.config("t5_small", num_layers=1))["parameters"], 0)

    def test_strict(self):
        said = self.refused(self.config("bert_base"), "--strict")
        self.assertIn("$.attention_probs_dropout_prob: error: dropout of an attention's scores is left out", said)
        self.made(self.config("bert_base", attention_probs_dropout_prob=0.0), "--strict")
        self.made(self.config(), "--strict")


class Classes(Hub):
    """What a network ends with is what its class says: totals are those of the family's own head but for the ends."""
    def total(self, name, architecture, **changes):
        return self.described(self.config(name, architectures=[architecture], **changes))["parameters"]

    def test_base_models_have_no_head(self):
        for name, architecture, head in (("llama3_8b", "LlamaModel", 128256 * 4096), ("qwen2_05b", "Qwen2Model", 0),
                                         ("mistral_7b", "MistralModel", 32000 * 4096), ("gpt2", "GPT2Model", 0),
                                         ("qwen2_7b", "Qwen2Model", 152064 * 3584),
                                         ("pythia_160m", "GPTNeoXModel", 50304 * 768)):
            with self.subTest(architecture):
                self.assertEqual(self.total(name, architecture), PARAMETERS[name] - head)
        self.assertEqual(self.total("llama3_8b", "LlamaModel", num_hidden_layers=1),
                         128256 * 4096 + gated_block(4096, 14336, 32, 8, 128) + 4096)
        self.assertEqual(self.total("bert_base", "BertModel"), 109_482_240)

    def test_encoder_of_t5(self):
        """The encoder of T5 v1.1 XXL, without its table of distances."""
        xxl = {"d_ff": 10240, "d_kv": 64, "d_model": 4096, "num_heads": 64, "num_layers": 24, "vocab_size": 32128,
               "num_decoder_layers": 24, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
        self.assertEqual(self.total("t5_small", "T5EncoderModel", **xxl),
                         32128 * 4096 + 24 * (4 * 4096 * 4096 + 3 * 4096 * 10240 + 2 * 4096) + 4096)

    def test_classifiers(self):
        three = {"num_labels": 3}
        self.assertEqual(self.total("llama3_8b", "LlamaForSequenceClassification", id2label={"0": "no", "1": "yes"}),
                         PARAMETERS["llama3_8b"] - 128256 * 4096 + 2 * 4096)
        self.assertEqual(self.total("mixtral_8x7b", "MixtralForSequenceClassification", **three),
                         PARAMETERS["mixtral_8x7b"] - 32000 * 4096 + 3 * 4096)
        self.assertEqual(self.total("gpt2", "GPT2ForSequenceClassification", **three), PARAMETERS["gpt2"] + 3 * 768)
        self.assertEqual(self.total("bert_base", "BertForSequenceClassification", **three), 109_482_240 + 3 * 769)

    def test_one_head_of_keys(self):
        """In each block products of 64 features, and biases, in place of 768 for keys and for values."""
        self.assertEqual(self.total("gpt2", "GPT2LMHeadModel", multi_query=True),
                         PARAMETERS["gpt2"] - 12 * 2 * 769 * (768 - 64))

    def test_no_class_is_noted(self):
        for absent in (..., None):
            _, said = self.made(self.config(architectures=absent))
            self.assertIn("note: the file names no class, so the second of LlamaModel, LlamaForCausalLM, "
                          "LlamaForSequenceClassification is built", said)
            self.assertIn("error: the file names no class", self.refused(self.config(architectures=absent), "--strict"))

    def test_heads_that_are_not_built(self):
        for name in CONFIGS:
            family = CONFIGS[name]["architectures"][0].split("For")[0].replace("LMHeadModel", "")
            for head in ("ForTokenClassification", "ForQuestionAnswering", "ForPreTraining"):
                for options in ((), ("--strict",)):
                    said = self.refused(self.config(name, architectures=[family + head]), *options)
                    self.assertIn(f'found string "{family}{head}"', said)

    def test_classes_that_are_not_known(self):
        for name, architecture in (("llama3_8b", "LlamaForCausalLMEagle3"), ("llama3_8b", "MistralForCausalLM"),
                                   ("gpt2", "GPT2DoubleHeadsModel"), ("t5_small", "T5Model"),
                                   ("vit_b16", "ViTForMaskedImageModeling"), ("bert_base", "BertForPreTraining"),
                                   ("qwen2_7b", "Qwen2ForTokenClassification")):
            said = self.refused(self.config(name, architectures=[architecture]))
            self.assertRegex(said, r"\$\.architectures\[0\]: error: expected \w+Model, .*found string \"" + architecture)
            self.assertNotIn("did you mean", said)
        said = self.refused(self.config("mixtral_8x7b", architectures=["MixtralModel"]))
        self.assertIn("$.architectures: error: expected a class with a head, which has the norm behind the last block, found MixtralModel", said)
        for architectures in ("LlamaModel", [], ["LlamaModel", "LlamaForCausalLM"], [1]):
            self.assertIn("$.architectures", self.refused(self.config(architectures=architectures)))


class OtherTypes(Hub):
    """`--as` reads a configuration by the row of another type."""
    def test_another_type_is_read_as_it(self):
        path = self.config(model_type="my_llama", architectures=["MyLlamaForCausalLM"], my_scale=2, rope_scaling=...)
        self.assertIn("error: expected bert, ", self.refused(path))
        workload, said = self.made(path, "--as", "llama")
        known, _ = self.made(self.config())
        self.assertEqual((workload["name"], workload["layers"]), ("my_llama", known["layers"]))
        self.assertIn("note: is read as llama; keys that are not read: rms_norm_eps, my_scale", said)

    def test_its_class_is_told_by_its_end(self):
        path = self.config(model_type=..., architectures=["OtherModel"])
        self.assertIn("decoder_end", [item.get("block") for item in self.made(path, "--as", "llama")[0]["layers"]])
        said = self.refused(self.config(architectures=["LlamaForNothing"]), "--as", "llama")
        self.assertIn("$.architectures[0]: error: expected a class such as ...ForCausalLM, found string", said)

    def test_types_without_a_row(self):
        self.assertIn('error: expected to read it as a type of its table, found "lama"', self.refused(self.config(), "--as", "lama"))
        self.assertIn("is read as llama", self.refused(self.config(), "--as", "llama", "--strict"))


class Refused(Hub):
    def says(self, text, name="llama3_8b", **changes):
        self.assertIn(text, self.refused(self.config(name, **changes), "--from", "hub_config"))

    def test_heads_that_do_not_divide(self):
        says = "error: expected a divisor of"
        self.says(f"$.num_attention_heads: {says} hidden_size (768), found 7", "vit_b16", num_attention_heads=7)
        self.says(f"$.num_attention_heads: {says} hidden_size (768), found 7", "bert_base", num_attention_heads=7)
        self.says(f"$.n_head: {says} n_embd (768), found 7", "gpt2", n_head=7)
        self.says(f"$.num_attention_heads: {says} hidden_size (4096), found 24", num_attention_heads=24)
        self.says(f"$.num_key_value_heads: {says} the number of heads (32), found 5", num_key_value_heads=5)
        self.assertGreater(self.described(self.config(num_attention_heads=24, head_dim=128))["parameters"], 0)

    def test_flags_that_make_other_networks(self):
        for name, key in (("falcon_7b", "new_decoder_architecture"), ("cohere", "use_qk_norm"), ("phi2", "qk_layernorm"),
                          ("stablelm_3b", "qk_layernorm"), ("stablelm_3b", "use_parallel_residual")):
            self.says(f"$.{key}: error: expected false: with it this is another network", name, **{key: True})
        self.says("$.architectures: error: expected a class with a head, which has the norm behind the last block, found "
                  "Gemma2Model", "gemma2_9b", architectures=["Gemma2Model"])

    def test_missing_keys(self):
        self.says('$.hidden_size: error: missing key "hidden_size": expected the features between blocks', hidden_size=...)
        self.says("$.vocab_size: error: missing key", vocab_size=None)
        self.says("$.model_type: error: missing key", model_type=...)

    def test_old_configurations(self):
        """Those of BERT once had no type, and no class: they are known by their sizes."""
        said = self.refused(self.config("bert_base", model_type=..., architectures=...))
        self.assertIn('$.model_type: error: missing key "model_type": expected the family of the model, which old '
                      'ones leave out ("bert" of BERT)', said)

    def test_near_names_are_other_networks(self):
        for near in ("qwen", "qwen2_moe", "gpt_neo", "bart"):
            said = self.refused(self.config(model_type=near))
            self.assertIn('$.model_type: error: expected bert, cohere, deepseek_v2, deepseek_v3, falcon, gemma, gemma2, '
                          'gemma3_text, glm4_moe, gpt2, gpt_neox, '
                          'gpt_oss, gptj, kimi_k2, llama, mamba2, mistral, mixtral, olmo2, phi, phi3, qwen2, qwen3, qwen3_moe, stablelm, '
                          f'starcoder2, t5, vit, whisper, found string "{near}"', said)
            self.assertNotIn("did you mean", said)

    def test_distances_in_place_of_positions(self):
        self.says('$.position_embedding_type: error: expected "absolute" positions, found string "relative_key"',
                  "bert_base", position_embedding_type="relative_key")
        self.made(self.config("bert_base", position_embedding_type="absolute"))

    def test_numbers_that_json_does_not_have(self):
        for odd in (float("inf"), -float("inf"), float("nan")):
            self.made(self.config(time_step_limit=[0.0, odd], text="Infinity"))
            self.says("$.num_hidden_layers: error: expected a whole number", num_hidden_layers=odd)

    def test_wrong_values(self):
        self.says("$.num_hidden_layers: error: expected a whole number from 1 to 12000, found -3",
                  num_hidden_layers=-3)
        self.says('$.hidden_size: error: expected a whole number', hidden_size="4096")
        self.says("$.vocab_size: error: expected a whole number", vocab_size=2 ** 63)
        self.says("$.model_type: error: expected", model_type="mamba")
        self.says("$.model_type: error: expected", model_type={"a": 1})
        self.says("$.hidden_act: error: expected", hidden_act="softsign")
        self.says("$.attention_bias: error: expected", attention_bias="yes")
        self.says("$.feed_forward_proj: error: expected relu, gelu or silu", "t5_small", feed_forward_proj="gated-")
        self.says("$.patch_size: error: expected at most the image_size, 224, found 225", "vit_b16", patch_size=225)
        self.says("$.image_size: error: expected two equal sides, found 224 and 448", "vit_b16", image_size=[224, 448])

    def test_what_does_not_fit_together(self):
        self.says("error: expected what makes a workload, found at", hidden_size=2 ** 31 - 1, head_dim=2 ** 20)
        self.says("error: expected what makes a workload, found at", num_hidden_layers=12000)
        self.says("$.num_experts_per_tok: error: expected a whole number from 1 to 8, found 9", "mixtral_8x7b",
                  num_experts_per_tok=9)

    def test_what_is_no_configuration(self):
        for text in ("", "[]", "7", "{", '{"model_type": ', '{"model_type": "llama"', "\xff", '{"model_type": "llama"} x'):
            self.assertIn("error: ", self.refused(self.write(text, "config.json"), "--from", "hub_config"))
        self.assertIn("found none", self.refused(self.write({"a": {"model_type": "bert"}}, "config.json")))
        self.assertIn("found none", self.refused(self.write({"format": "dsm-workload/1", "model_type": "bert"}, "w.json")))

    def test_any_change_ends_well(self):
        draw = random.Random(17)
        odd = [0, -1, 1e300, 2 ** 53, "", "x" * 1000, [], {}, [[]], None, True, 0.5, 1]
        for name, config in CONFIGS.items():
            small = {key: value for key, value in config.items() if key != "id2label"}
            text = json.dumps(small)
            for _ in range(6):
                changed = dict(small)
                for key in draw.sample(sorted(changed), 2):
                    changed[key] = draw.choice(odd)
                at = draw.randrange(len(text))
                for content in (json.dumps(changed), text[:at], text[:at] + draw.choice('{}[]":,0') + text[at + 1:]):
                    ran = self.run_dsm("import", self.write(content, "config.json"), "--from", "hub_config", limit=10)
                    self.assertIn(ran.returncode, (cases.DONE, cases.INVALID), name + content + ran.stderr)


if __name__ == "__main__":
    cases.Case.DSM = sys.argv.pop(1)
    unittest.main()
