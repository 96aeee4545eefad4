#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A sweep on the ranks of one MPI job under Slurm: points go to whichever rank is free, and one
# database comes out.
#
#   sbatch examples/slurm_mpi.sh SPEC
#
# A job that reaches its time limit, or loses a node, keeps what is recorded: submit it again.
#SBATCH --job-name=dsm-sweep
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
#SBATCH --signal=B:USR1@60
set -eu

# exec, so that the signal before the time limit reaches mpirun, which passes it on.
exec mpirun --quiet dsm-mpi sweep "$1" --threads "$SLURM_CPUS_PER_TASK"
