# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations as hubs of models publish them, and what their networks have, counted by hand.

Sizes are those of the config.json of google-bert/bert-base-uncased, openai-community/gpt2, EleutherAI/pythia-160m,
meta-llama/Llama-2-7b-hf, meta-llama/Meta-Llama-3-8B, mistralai/Mistral-7B-v0.1, mistralai/Mixtral-8x7B-v0.1,
Qwen/Qwen2.5-0.5B, Qwen/Qwen2.5-7B, google-t5/t5-small, google/flan-t5-large, google/vit-base-patch16-224,
Qwen/Qwen3-0.6B, Qwen/Qwen3-8B, Qwen/Qwen3-32B, Qwen/Qwen3-30B-A3B, Qwen/Qwen3-235B-A22B,
microsoft/Phi-3-mini-4k-instruct, tiiuae/falcon-7b, CohereForAI/c4ai-command-r-v01, EleutherAI/gpt-j-6b,
microsoft/phi-2, stabilityai/stablelm-3b-4e1t, bigcode/starcoder2-7b, allenai/OLMo-2-1124-7B, google/gemma-7b,
google/gemma-2-9b, google/gemma-3-1b-pt, deepseek-ai/DeepSeek-V3, zai-org/GLM-4.5-Air,
deepseek-ai/DeepSeek-V2-Lite, openai/gpt-oss-120b, state-spaces/mamba2-2.7b and openai/whisper-large-v2.
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
    "qwen3_06b": llama(1024, 3072, 28, 16, 8, 151936, 40960, family="Qwen3", head_dim=128, tie_word_embeddings=True),
    "qwen3_8b": llama(4096, 12288, 36, 32, 8, 151936, 40960, family="Qwen3", head_dim=128),
    "qwen3_32b": llama(5120, 25600, 64, 64, 8, 151936, 40960, family="Qwen3", head_dim=128),
    "qwen3_30b_a3b": llama(2048, 6144, 48, 32, 4, 151936, 40960, family="Qwen3Moe", model_type="qwen3_moe",
                           head_dim=128, num_experts=128, num_experts_per_tok=8, moe_intermediate_size=768,
                           decoder_sparse_step=1, mlp_only_layers=[]),
    "qwen3_235b_a22b": llama(4096, 12288, 94, 64, 4, 151936, 40960, family="Qwen3Moe", model_type="qwen3_moe",
                             head_dim=128, num_experts=128, num_experts_per_tok=8, moe_intermediate_size=1536,
                             decoder_sparse_step=1, mlp_only_layers=[]),
    "phi3_mini": llama(3072, 8192, 32, 32, 32, 32064, 4096, family="Phi3", sliding_window=2047, resid_pdrop=0.0),
    "cohere": llama(8192, 22528, 40, 64, 64, 256000, 8192, family="Cohere", tie_word_embeddings=True, logit_scale=0.0625),
    "gemma_7b": llama(3072, 24576, 28, 16, 16, 256000, 8192, family="Gemma", head_dim=256, hidden_act="gelu",
                      tie_word_embeddings=True),
    "gemma2_9b": llama(3584, 14336, 42, 16, 8, 256000, 8192, family="Gemma2", head_dim=256, sliding_window=4096,
                       hidden_activation="gelu_pytorch_tanh", tie_word_embeddings=True),
    "gemma3_1b": llama(1152, 6912, 26, 4, 1, 262144, 32768, family="Gemma3", model_type="gemma3_text", head_dim=256,
                       sliding_window=512, hidden_activation="gelu_pytorch_tanh", tie_word_embeddings=True),
    "olmo2_7b": llama(4096, 11008, 32, 32, 32, 100352, 4096, family="Olmo2"),
    "stablelm_3b": llama(2560, 6912, 32, 32, 32, 50304, 4096, family="StableLm", use_qkv_bias=False,
                         use_parallel_residual=False, partial_rotary_factor=0.25),
    "starcoder2_7b": llama(4608, 18432, 32, 36, 4, 49152, 16384, family="Starcoder2", use_bias=True,
                           hidden_act="gelu_pytorch_tanh", sliding_window=4096, tie_word_embeddings=True),
    "phi2": llama(2560, 10240, 32, 32, 32, 51200, 2048, family="Phi", hidden_act="gelu_new", partial_rotary_factor=0.4,
                  qk_layernorm=False),
    "deepseek_v3": {
        "architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3", "attention_bias": False,
        "attention_dropout": 0.0, "first_k_dense_replace": 3, "hidden_act": "silu", "hidden_size": 7168,
        "intermediate_size": 18432, "kv_lora_rank": 512, "max_position_embeddings": 163840, "moe_intermediate_size": 2048,
        "moe_layer_freq": 1, "n_group": 8, "n_routed_experts": 256, "n_shared_experts": 1, "norm_topk_prob": True,
        "num_attention_heads": 128, "num_experts_per_tok": 8, "num_hidden_layers": 61, "num_key_value_heads": 128,
        "num_nextn_predict_layers": 1, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
        "routed_scaling_factor": 2.5, "scoring_func": "sigmoid", "tie_word_embeddings": False, "topk_group": 4,
        "v_head_dim": 128, "vocab_size": 129280},
    "deepseek_v2_lite": {
        "architectures": ["DeepseekV2ForCausalLM"], "model_type": "deepseek_v2", "first_k_dense_replace": 1,
        "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 10944, "kv_lora_rank": 512,
        "max_position_embeddings": 163840, "moe_intermediate_size": 1408, "n_routed_experts": 64, "n_shared_experts": 2,
        "num_attention_heads": 16, "num_experts_per_tok": 6, "num_hidden_layers": 27, "q_lora_rank": None,
        "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "tie_word_embeddings": False, "v_head_dim": 128,
        "vocab_size": 102400},
    "gpt_oss_120b": {
        "architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss", "attention_bias": True, "attention_dropout": 0.0,
        "experts_per_token": 4, "head_dim": 64, "hidden_act": "silu", "hidden_size": 2880, "intermediate_size": 2880,
        "layer_types": ["sliding_attention", "full_attention"] * 18, "max_position_embeddings": 131072,
        "num_attention_heads": 64, "num_experts_per_tok": 4, "num_hidden_layers": 36, "num_key_value_heads": 8,
        "num_local_experts": 128, "sliding_window": 128, "tie_word_embeddings": False, "vocab_size": 201088},
    "mamba2_27b": {
        "architectures": ["Mamba2ForCausalLM"], "model_type": "mamba2", "chunk_size": 256, "conv_kernel": 4, "expand": 2,
        "head_dim": 64, "hidden_act": "silu", "hidden_size": 2560, "n_groups": 1, "num_heads": 80, "num_hidden_layers": 64,
        "rms_norm": True, "state_size": 128, "tie_word_embeddings": True, "use_bias": False, "use_conv_bias": True,
        "vocab_size": 50288},
    "glm45_air": {
        "architectures": ["Glm4MoeForCausalLM"], "model_type": "glm4_moe", "attention_bias": True, "attention_dropout": 0.0,
        "first_k_dense_replace": 1, "head_dim": 128, "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 10944,
        "max_position_embeddings": 131072, "moe_intermediate_size": 1408, "n_group": 1, "n_routed_experts": 128,
        "n_shared_experts": 1, "norm_topk_prob": True, "num_attention_heads": 96, "num_experts_per_tok": 8,
        "num_hidden_layers": 46, "num_key_value_heads": 8, "num_nextn_predict_layers": 1, "partial_rotary_factor": 0.5,
        "routed_scaling_factor": 1.0, "tie_word_embeddings": False, "topk_group": 1, "use_qk_norm": False,
        "vocab_size": 151552},
    "falcon_7b": {
        "alibi": False, "architectures": ["FalconForCausalLM"], "attention_dropout": 0.0, "bias": False,
        "hidden_dropout": 0.0, "hidden_size": 4544, "model_type": "falcon", "multi_query": True,
        "new_decoder_architecture": False, "num_attention_heads": 71, "num_hidden_layers": 32, "parallel_attn": True,
        "vocab_size": 65024},
    "gptj_6b": {
        "activation_function": "gelu_new", "architectures": ["GPTJForCausalLM"], "attn_pdrop": 0.0, "embd_pdrop": 0.0,
        "model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_inner": None, "n_layer": 28, "n_positions": 2048,
        "resid_pdrop": 0.0, "rotary_dim": 64, "tie_word_embeddings": False, "vocab_size": 50400},
    "t5_small": {
        "architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "d_ff": 2048, "d_kv": 64, "d_model": 512,
        "dropout_rate": 0.1, "n_positions": 512, "num_heads": 8, "num_layers": 6,
        "relative_attention_num_buckets": 32, "vocab_size": 32128},
    "flan_t5_large": {
        "architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "d_ff": 2816, "d_kv": 64, "d_model": 1024,
        "dropout_rate": 0.1, "feed_forward_proj": "gated-gelu", "n_positions": 512, "num_heads": 16, "num_layers": 24,
        "num_decoder_layers": 24, "relative_attention_num_buckets": 32, "tie_word_embeddings": False,
        "vocab_size": 32128},
    "whisper_large_v2": {
        "activation_dropout": 0.0, "activation_function": "gelu", "architectures": ["WhisperForConditionalGeneration"],
        "attention_dropout": 0.0, "d_model": 1280, "decoder_attention_heads": 20, "decoder_ffn_dim": 5120,
        "decoder_layers": 32, "dropout": 0.0, "encoder_attention_heads": 20, "encoder_ffn_dim": 5120, "encoder_layers": 32,
        "is_encoder_decoder": True, "max_source_positions": 1500, "max_target_positions": 448, "model_type": "whisper",
        "num_hidden_layers": 32, "num_mel_bins": 80, "scale_embedding": False, "vocab_size": 51865},
    "vit_b16": {
        "architectures": ["ViTForImageClassification"], "model_type": "vit", "attention_probs_dropout_prob": 0.0,
        "hidden_act": "gelu", "hidden_dropout_prob": 0.0, "hidden_size": 768,
        "id2label": {str(i): f"class {i}" for i in range(1000)}, "image_size": 224, "intermediate_size": 3072,
        "num_attention_heads": 12, "num_channels": 3, "num_hidden_layers": 12, "patch_size": 16, "qkv_bias": True},
}

# What is published, of which those of relative positions are left out; of glm45_air only that it is 106 B.
PARAMETERS = {
    "bert_base": 109_514_298, "gpt2": 124_439_808, "pythia_160m": 162_322_944, "llama2_7b": 6_738_415_616,
    "llama3_8b": 8_030_261_248, "mistral_7b": 7_241_732_096, "mixtral_8x7b": 46_702_792_704, "qwen2_7b": 7_615_616_512,
    "qwen2_05b": 494_032_768, "t5_small": 60_506_624 - 2 * 32 * 8, "flan_t5_large": 783_150_080 - 2 * 32 * 16,
    "vit_b16": 86_567_656, "qwen3_06b": 596_049_920, "qwen3_8b": 8_190_735_360, "qwen3_32b": 32_762_123_264,
    "qwen3_30b_a3b": 30_532_122_624, "qwen3_235b_a22b": 235_093_634_560, "phi3_mini": 3_821_079_552,
    "cohere": 34_980_831_232, "gemma_7b": 8_537_680_896, "gemma2_9b": 9_241_705_984, "gemma3_1b": 999_885_952,
    "olmo2_7b": 7_298_617_344, "stablelm_3b": 2_795_443_200, "starcoder2_7b": 7_173_923_840, "phi2": 2_779_683_840,
    "falcon_7b": 6_921_720_704, "gptj_6b": 6_050_882_784, "deepseek_v3": 671_026_419_200,
    "mamba2_27b": 2_702_599_680, "glm45_air": 106_852_251_264, "whisper_large_v2": 1_543_304_960,
    "deepseek_v2_lite": 15_706_484_224, "gpt_oss_120b": 116_829_156_672,
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


def decoder(blocks, block, h, vocabulary, tied=False, norm=1):
    """A norm at the end has one weight a feature, or two."""
    return vocabulary * h * (1 if tied else 2) + blocks * block + norm * h


def qwen3_block(h, f, heads, kv, experts=0):
    """Heads of 128 features with norms of queries and of keys; a feed-forward part, or experts and a router."""
    one = gated_block(h, f, heads, kv, 128) + 2 * 128
    return one + (experts - 1) * 3 * h * f + h * experts if experts else one


def latent_attention(h, heads, query, latent=512):
    """Queries of a latent of their own, if there is one, and keys and values of another: heads of 128 features, and 64
    that are turned; norms of both latents and of what both parts of a block read."""
    queries = h * query + query + query * heads * 192 if query else h * heads * 192
    return queries + h * (latent + 64) + latent + latent * heads * 256 + heads * 128 * h + 2 * h


def plain_part(h, f):
    return linear(h, f) + linear(f, h)


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
    "qwen3_06b": decoder(28, qwen3_block(1024, 3072, 16, 8), 1024, 151936, True),
    "qwen3_8b": decoder(36, qwen3_block(4096, 12288, 32, 8), 4096, 151936),
    "qwen3_32b": decoder(64, qwen3_block(5120, 25600, 64, 8), 5120, 151936),
    "qwen3_30b_a3b": decoder(48, qwen3_block(2048, 768, 32, 4, 128), 2048, 151936),
    "qwen3_235b_a22b": decoder(94, qwen3_block(4096, 1536, 64, 4, 128), 4096, 151936),
    "phi3_mini": gated_decoder(3072, 8192, 32, 32, 32, 32064),
    # one norm of a block, without biases
    "cohere": decoder(40, gated_block(8192, 22528, 64, 64, 128) - 8192, 8192, 256000, True),
    "gemma_7b": decoder(28, gated_block(3072, 24576, 16, 16, 256), 3072, 256000, True),
    # four norms of a block; gemma3: and those of queries and keys
    "gemma2_9b": decoder(42, gated_block(3584, 14336, 16, 8, 256) + 2 * 3584, 3584, 256000, True),
    "gemma3_1b": decoder(26, gated_block(1152, 6912, 4, 1, 256) + 2 * 1152 + 2 * 256, 1152, 262144, True),
    # two norms of a block, and one of all queries and one of all keys
    "olmo2_7b": decoder(32, gated_block(4096, 11008, 32, 32, 128) + 2 * 4096, 4096, 100352),
    # norms have biases too
    "stablelm_3b": decoder(32, gated_block(2560, 6912, 32, 32, 80) + 2 * 2560, 2560, 50304, norm=2),
    "starcoder2_7b": decoder(32, linear(4608, (36 + 2 * 4) * 128) + linear(36 * 128, 4608) + plain_part(4608, 18432) +
                             2 * 2 * 4608, 4608, 49152, True, 2),
    # one norm of a block; biases of the head
    "phi2": decoder(32, 4 * linear(2560, 2560) + plain_part(2560, 10240) + 2 * 2560, 2560, 51200, norm=2) + 51200,
    "gptj_6b": decoder(28, 4 * 4096 * 4096 + plain_part(4096, 4 * 4096) + 2 * 4096, 4096, 50400, norm=2) + 50400,
    # 71 heads of queries and one of keys and values, of 64 features
    "falcon_7b": decoder(32, 4544 * (71 + 2) * 64 + 4544 * 4544 + 2 * 4 * 4544 * 4544 + 2 * 4544, 4544, 65024, True, 2),
    # 256 experts and one that all positions use in all blocks but the first 3, and a bias of each in choosing them
    "deepseek_v3": decoder(61, latent_attention(7168, 128, 1536), 7168, 129280) + 3 * 3 * 7168 * 18432 +
                   58 * (257 * 3 * 7168 * 2048 + 7168 * 256 + 256),
    "deepseek_v2_lite": decoder(27, latent_attention(2048, 16, None), 2048, 102400) + 3 * 2048 * 10944 +
                        26 * (66 * 3 * 2048 * 1408 + 2048 * 64),
    # biases of queries, keys and values alone
    "glm45_air": decoder(46, linear(4096, (96 + 2 * 8) * 128) + 96 * 128 * 4096 + 2 * 4096, 4096, 151552) +
                 3 * 4096 * 10944 + 45 * (129 * 3 * 4096 * 1408 + 4096 * 128 + 128),
    # one head of keys and queries of 128 features for 80 of values; a filter of 4 positions; 3 numbers of each head
    "mamba2_27b": decoder(64, 2560 * (2 * 5120 + 2 * 128 + 80) + (4 + 1) * (5120 + 2 * 128) + 3 * 80 + 5120 * 2560 +
                          5120 + 2560, 2560, 50288, True),
    # biases everywhere, and a number of each head; 128 experts and a router with biases
    "gpt_oss_120b": decoder(36, linear(2880, (64 + 2 * 8) * 64) + linear(64 * 64, 2880) + 64 + 2 * 2880 +
                            linear(2880, 128) + 128 * (2 * linear(2880, 2880) + linear(2880, 2880)), 2880, 201088),
    # keys have no biases; the decoder attends twice
    "whisper_large_v2": linear(3 * 80, 1280) + linear(3 * 1280, 1280) + (1500 + 448 + 51865) * 1280 +
                        2 * 32 * (plain_part(1280, 5120) + 2 * 1280) + 3 * 32 * (4 * linear(1280, 1280) + 1280) +
                        2 * 2 * 1280,
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
    # heads of 128 features, more than the hidden ones have: 64 * 128 for queries
    "qwen3_32b": decoder_macs(8192, 5120, 25600, 64, 40, 8, 151936, 3) +
                 64 * 8192 * (2 * 5120 * 24 * 128 + 2 * 24 * 128 * 8192),
    "qwen3_30b_a3b": 48 * 8192 * (2048 * (32 + 2 * 4) * 128 + 32 * 128 * 2048 + 2 * 32 * 128 * 8192 + 2048 * 128 +
                                  8 * 3 * 2048 * 768) + 8192 * 2048 * 151936,
    "falcon_7b": decoder_macs(2048, 4544, 4 * 4544, 32, 71, 1, 65024, 2),
    "gptj_6b": decoder_macs(2048, 4096, 4 * 4096, 28, 16, 16, 50400, 2),
    "t5_small": decoder_macs(512, 512, 2048, 6, 8, 8, 0, 2) + decoder_macs(512, 512, 2048, 6, 8, 8, 32128, 2) +
                6 * (4 * 512 * 512 * 512 + 2 * 512 * 512 * 512),
    "vit_b16": decoder_macs(197, 768, 3072, 12, 12, 12, 0, 2) + 197 * 768 * 768 + 768 * 1000,
}
