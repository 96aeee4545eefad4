/* SPDX-License-Identifier: GPL-3.0-or-later */
/* foreign_words.c: what is typed of other tools, and how dsm is asked for the same. */
#include <string.h>

#include "cli/rows/rows.h"

static const char *const words[][2] = {
    {"tp", "tensor parallelism is --optimize all,tensor; --parallelism AXIS=column,AXIS=row asks "
           "for it along that axis of the system, whose number of chips is its degree"},
    {"pp", "pipeline parallelism is --optimize all,accumulate,stages; --stages N and "
           "--micro-batches N fix their numbers"},
    {"dp", "data parallelism is always searched; --parallelism data allows no other, --parallelism "
           "AXIS=data asks for it along that axis of the system"},
    {"zero",
     "chips shard optimizer state, gradients and weights (ZeRO, FSDP) with --optimize all,shard"},
    {"batch", "the samples of a step, of all chips together, are --minibatch N"},
    {"sequence",
     "the positions (tokens) of a sample are a parameter of the workload: --set "
     "workload.parameters.sequence=N, or of a file of another program --dimension sequence=N"},
    {"mode decode", "decoding is inference of one position that attends to earlier ones: --mode "
                    "inference --set workload.parameters.sequence=1 --set "
                    "workload.layers.decoder.layers.attention.context=N in a bundled Llama"},
};

const char *cli_foreign_hint(const char *typed) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i][0], typed) == 0) {
      return words[i][1];
    }
  }
  return NULL;
}
