#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Circuits that do not depend on each other, as an array of Slurm jobs, each on 8 cores of one machine. Every % in the
# arguments stands for the number of the task:
#
#   sbatch --array=NUMBERS --time=LIMIT independent.sh OUT CIRCUIT ARGUMENTS...
#   sbatch --array=1-100 --time=1-0 independent.sh %.out aes128.blif --key public.fhe --input key.fhe --input %.fhe
#
# The arguments are those of `fhe run`. The checkpoint is OUT.ckpt: a task goes on from it when Slurm queues it again,
# and the same command does when a task has failed or was cancelled. Two minutes before its time limit a task queues
# itself again. In the environment, FHE names the program.
#SBATCH --cpus-per-task=8
#SBATCH --requeue --open-mode=append --signal=B:USR1@120
set -u
# Not by SLURM_JOB_ID, which for one of the tasks is the number of the whole array.
trap 'scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"' USR1
# The program gets this one, too, and saves its checkpoint. Once this script ends, Slurm kills what is left of the task.
trap : TERM

arguments=("${@//%/$SLURM_ARRAY_TASK_ID}")
out=${arguments[0]}
resume=()
if [[ -e $out.ckpt ]]; then resume=(--resume); fi
"${FHE-fhe}" run "${arguments[@]:1}" --threads "$SLURM_CPUS_PER_TASK" --out "$out" \
  --checkpoint "$out.ckpt" "${resume[@]}" &
# A signal ends a wait, but not what is waited for.
while kill -0 $! 2> /dev/null; do wait $!; done
wait $!
