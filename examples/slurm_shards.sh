#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A sweep as a Slurm job array, one shard a task; then a job that merges the shards.
#
#   sbatch examples/slurm_shards.sh SPEC
#   sbatch --dependency=afterok:JOB examples/slurm_merge.sh SPEC
#
# A task that reaches its time limit keeps what it has done: the same command goes on from there
# (--requeue, or sbatch again). The folder must be one that all nodes see.
#SBATCH --job-name=dsm-sweep
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
#SBATCH --signal=B:USR1@60
set -eu

# exec, so that the signal before the time limit reaches dsm.
exec dsm sweep "$1" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
  --threads "$SLURM_CPUS_PER_TASK" --quiet
