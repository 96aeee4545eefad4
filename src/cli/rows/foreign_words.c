/* SPDX-License-Identifier: GPL-3.0-or-later */
/* foreign_words.c: what is typed of other tools, and how dsm is asked for the same. */
#include <string.h>

#include "cli/rows/rows.h"

static const char *const words[][2] = {
    {"tp", "tensor parallelism is --optimize all,tensor; --parallelism AXIS=column,AXIS=row has it "
           "along that axis of the system, whose chips are how many share"},
    {"pp", "pipeline parallelism is --optimize all,accumulate,stages; --stages N has so many "
           "stages, --micro-batches N so many micro-batches"},
    {"dp", "data parallelism is searched without being asked for; --parallelism data has no other, "
           "AXIS=data has it along that axis of the system"},
    {"zero", "chips share out optimizer state, gradients and weights with --optimize all,shard"},
    {"batch", "samples of a step, on all chips together: --minibatch N"},
    {"sequence", "positions of a sample are the workload's: --set workload.parameters.sequence=N, "
                 "or of a file of another program --dimension sequence=N"},
    {"mode decode",
     "decoding is inference of one position with those before it: --mode inference --set "
     "workload.parameters.sequence=1 --set workload.layers.decoder.layers.attention.context=N in "
     "a bundled Llama"},
};

const char *cli_foreign_hint(const char *typed) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i][0], typed) == 0) {
      return words[i][1];
    }
  }
  return NULL;
}
