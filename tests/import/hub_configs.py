# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations as hubs of models publish them, and what their networks have, counted by hand.

Sizes are those of the config.json of google-bert/bert-base-uncased, openai-community/gpt2, EleutherAI/pythia-160m,
meta-llama/Llama-2-7b-hf, meta-llama/Meta-Llama-3-8B, mistralai/Mistral-7B-v0.1, mistralai/Mixtral-8x7B-v0.1,
Qwen/Qwen2.5-0.5B, Qwen/Qwen2.5-7B, google-t5/t5-small, google/flan-t5-large and google/vit-base-patch16-224.
"""


def llama(hidden, inner, blocks, heads, kv_heads, vocabulary, positions, family="Llama", **others):
    return {"architectures": [family + "ForCausalLM"], "model_type": family.lower(), "hidden_act": "silu", "hidden_size": hidden,
            "intermediate_size": inner, "num_hidden_layers": blocks, "num_attention_heads": heads,
            "num_key_value_heads": kv_heads, "vocab_size": vocabulary, "max_position_embeddings": positions,
            "rms_norm_eps": 1e-05, "rope_scaling": None, "tie_word_embeddings": False, **others}


CONFIGS = {
    "bert_base": {
        "architectures": ["BertForMaskedLM"], "model_type": "bert", "attention_probs_dropout_prob": 0.1,
        "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": 768, "initializer_range": 0.02,
        "intermediate_size": 3072, "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "num_attention_heads": 12,
        "num_hidden_layers": 12, "pad_token_id": 0, "type_vocab_size": 2, "vocab_size": 30522},
    "gpt2": {
        "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1, "embd_pdrop": 0.1,
        "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_inner": None, "n_layer": 12,
        "n_positions": 1024, "resid_pdrop": 0.1, "vocab_size": 50257},
    "pythia_160m": {
        "architectures": ["GPTNeoXForCausalLM"], "model_type": "gpt_neox", "hidden_act": "gelu", "hidden_size": 768,
        "intermediate_size": 3072, "max_position_embeddings": 2048, "num_attention_heads": 12, "num_hidden_layers": 12,
        "rotary_pct": 0.25, "tie_word_embeddings": False, "use_parallel_residual": True, "vocab_size": 50304},
    "llama2_7b": llama(4096, 11008, 32, 32, 32, 32000, 4096),
    "llama3_8b": llama(4096, 14336, 32, 32, 8, 128256, 8192),
    "mistral_7b": llama(4096, 14336, 32, 32, 8, 32000, 32768, family="Mistral", sliding_window=4096),
    "mixtral_8x7b": llama(4096, 14336, 32, 32, 8, 32000, 32768, family="Mixtral", sliding_window=None,
                          num_local_experts=8, num_experts_per_tok=2),
    "qwen2_7b": llama(3584, 18944, 28, 28, 4, 152064, 131072, family="Qwen2", use_sliding_window=False,
                      sliding_window=131072),
    "qwen2_05b": llama(896, 4864, 24, 14, 2, 151936, 32768, family="Qwen2", tie_word_embeddings=True),
    "t5_small": {
        "architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "d_ff": 2048, "d_kv": 64, "d_model": 512,
        "dropout_rate": 0.1, "n_positions": 512, "num_heads": 8, "num_layers": 6,
        "relative_attention_num_buckets": 32, "vocab_size": 32128},
    "flan_t5_large": {
        "architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "d_ff": 2816, "d_kv": 64, "d_model": 1024,
        "dropout_rate": 0.1, "feed_forward_proj": "gated-gelu", "n_positions": 512, "num_heads": 16, "num_layers": 24,
        "num_decoder_layers": 24, "relative_attention_num_buckets": 32, "tie_word_embeddings": False,
        "vocab_size": 32128},
    "vit_b16": {
        "architectures": ["ViTForImageClassification"], "model_type": "vit", "attention_probs_dropout_prob": 0.0,
        "hidden_act": "gelu", "hidden_dropout_prob": 0.0, "hidden_size": 768,
        "id2label": {str(i): f"class {i}" for i in range(1000)}, "image_size": 224, "intermediate_size": 3072,
        "num_attention_heads": 12, "num_channels": 3, "num_hidden_layers": 12, "patch_size": 16, "qkv_bias": True},
}

# What is published, of which those of relative positions are left out.
PARAMETERS = {
    "bert_base": 109_514_298, "gpt2": 124_439_808, "pythia_160m": 162_322_944, "llama2_7b": 6_738_415_616,
    "llama3_8b": 8_030_261_248, "mistral_7b": 7_241_732_096, "mixtral_8x7b": 46_702_792_704, "qwen2_7b": 7_615_616_512,
    "qwen2_05b": 494_032_768, "t5_small": 60_506_624 - 2 * 32 * 8, "flan_t5_large": 783_150_080 - 2 * 32 * 16,
    "vit_b16": 86_567_656,
}


def linear(rows, columns, bias=True):
    return rows * columns + (columns if bias else 0)


def encoder_block(h, f):
    """Queries, keys, values and the product behind them, two feed-forward products, two norms."""
    return 4 * linear(h, h) + linear(h, f) + linear(f, h) + 2 * 2 * h


def gated_block(h, f, heads, kv, d, qkv_bias=False):
    """Of a decoder without biases: products of attention and of a gated part, two norms of one weight a feature."""
    return (linear(h, (heads + 2 * kv) * d, qkv_bias) + linear(heads * d, h, False) + 3 * linear(h, f, False) + 2 * h)


def gated_decoder(h, f, blocks, heads, kv, vocabulary, qkv_bias=False, tied=False):
    block = gated_block(h, f, heads, kv, h // heads, qkv_bias)
    return vocabulary * h * (1 if tied else 2) + blocks * block + h


def t5(h, f, heads, d, blocks, vocabulary, gated=False, tied=True):
    """Both halves have a norm at their end; a block of the decoder has a second attention with its norm."""
    attention = 3 * linear(h, heads * d, False) + linear(heads * d, h, False) + h
    forward = (3 if gated else 2) * linear(h, f, False) + h
    return (vocabulary * h * (1 if tied else 2) + blocks * (attention + forward) + h +
            blocks * (2 * attention + forward) + h)


# The same by hand.
DERIVED = {
    "bert_base": (30522 + 512 + 2) * 768 + 2 * 768 + 12 * encoder_block(768, 3072) +
                 linear(768, 768) + 2 * 768 + 30522,
    "gpt2": (50257 + 1024) * 768 + 12 * encoder_block(768, 3072) + 2 * 768,
    "pythia_160m": 2 * 50304 * 768 + 12 * encoder_block(768, 3072) + 2 * 768,
    "llama2_7b": gated_decoder(4096, 11008, 32, 32, 32, 32000),
    "llama3_8b": gated_decoder(4096, 14336, 32, 32, 8, 128256),
    "mistral_7b": gated_decoder(4096, 14336, 32, 32, 8, 32000),
    "mixtral_8x7b": gated_decoder(4096, 14336, 32, 32, 8, 32000) + 32 * (7 * 3 * 4096 * 14336 + 4096 * 8),
    "qwen2_7b": gated_decoder(3584, 18944, 28, 28, 4, 152064, True),
    "qwen2_05b": gated_decoder(896, 4864, 24, 14, 2, 151936, True, True),
    "t5_small": t5(512, 2048, 8, 64, 6, 32128),
    "flan_t5_large": t5(1024, 2816, 16, 64, 24, 32128, True, False),
    "vit_b16": linear(3 * 16 * 16, 768) + (1 + 197) * 768 + 12 * encoder_block(768, 3072) + 2 * 768 + linear(768, 1000),
}


def decoder_macs(s, h, f, blocks, heads, kv, vocabulary, products, context=None):
    """Products of weights at each position, and of queries with all keys and of these with values."""
    d = h // heads
    block = s * (h * (heads + 2 * kv) * d + h * h + products * h * f) + 2 * s * h * (context or s)
    return blocks * block + s * h * vocabulary


# Multiplications of a sample, masks counted whole.
MACS = {
    "bert_base": decoder_macs(512, 768, 3072, 12, 12, 12, 30522, 2) + 512 * 768 * 768,
    "gpt2": decoder_macs(1024, 768, 3072, 12, 12, 12, 50257, 2),
    "pythia_160m": decoder_macs(2048, 768, 3072, 12, 12, 12, 50304, 2),
    "llama2_7b": decoder_macs(4096, 4096, 11008, 32, 32, 32, 32000, 3),
    "llama3_8b": decoder_macs(8192, 4096, 14336, 32, 32, 8, 128256, 3),
    "mixtral_8x7b": decoder_macs(8192, 4096, 14336, 32, 32, 8, 32000, 3 * 2) + 32 * 8192 * 4096 * 8,
    "qwen2_05b": decoder_macs(8192, 896, 4864, 24, 14, 2, 151936, 3),
    "t5_small": decoder_macs(512, 512, 2048, 6, 8, 8, 0, 2) + decoder_macs(512, 512, 2048, 6, 8, 8, 32128, 2) +
                6 * (4 * 512 * 512 * 512 + 2 * 512 * 512 * 512),
    "vit_b16": decoder_macs(197, 768, 3072, 12, 12, 12, 0, 2) + 197 * 768 * 768 + 768 * 1000,
}
