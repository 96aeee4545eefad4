/* SPDX-License-Identifier: GPL-3.0-or-later */
/* foreign_words.c: options and values of other tools, and how dsm is asked for the same. */
#include <string.h>

#include "cli/rows/rows.h"

typedef struct foreign_word {
  const char *option; /* without the dashes */
  const char *value;  /* of an option that dsm has too; NULL: the option is foreign */
  const char *hint;
} foreign_word;

#define TENSOR                                                                                     \
  "tensor parallelism is --optimize all,tensor; --parallelism AXIS=column,AXIS=row has it along "  \
  "that axis of the system, whose chips are how many share"
#define PIPELINE                                                                                   \
  "pipeline parallelism is --optimize all,accumulate,stages; --stages N has so many stages, "      \
  "--micro-batches N so many micro-batches"
#define DATA                                                                                       \
  "data parallelism is searched without being asked for; --parallelism data has no other, "        \
  "AXIS=data has it along that axis of the system"
#define SHARD "chips share out optimizer state, gradients and weights with --optimize all,shard"
#define SEQUENCE                                                                                   \
  "positions of a sample are the workload's: --set workload.parameters.sequence=N, or of a file "  \
  "of another program --dimension sequence=N"

static const foreign_word words[] = {
    {"tp", NULL, TENSOR},
    {"pp", NULL, PIPELINE},
    {"dp", NULL, DATA},
    {"ep", NULL,
     "expert parallelism is --optimize all,tensor,expert; AXIS=expert in --parallelism "
     "has it along that axis of the system"},
    {"zero", NULL, SHARD},
    {"fsdp", NULL, SHARD},
    {"batch", NULL, "samples of a step, on all chips together: --minibatch N"},
    {"batch-size", NULL, "samples of a step, on all chips together: --minibatch N"},
    {"sequence", NULL, SEQUENCE},
    {"seq-len", NULL, SEQUENCE},
    {"mode", "decode",
     "decoding is inference of one position with those before it: --mode inference --set "
     "workload.parameters.sequence=1 --set workload.layers.decoder.layers.attention.context=N in "
     "a bundled Llama"},
    {"mode", "prefill", "the first pass over a prompt is inference: --mode inference"},
};

const char *cli_foreign_hint(const char *option, const char *value) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const char *const own = words[i].value;
    if (strcmp(words[i].option, option) == 0 && (own == NULL) == (value == NULL) &&
        (value == NULL || strcmp(own, value) == 0)) {
      return words[i].hint;
    }
  }
  return NULL;
}
