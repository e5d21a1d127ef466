#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One circuit on all machines of a Slurm job, a rank of 8 threads on each:
#
#   sbatch --nodes=N --time=LIMIT circuit.sh OUT CIRCUIT ARGUMENTS...
#   sbatch --nodes=16 --time=1-0 circuit.sh cipher.fhe aes128.blif --key public.fhe --input key.fhe --input plain.fhe
#
# The arguments are those of `fhe run`. The checkpoint is OUT.ckpt: the job goes on from it when Slurm queues it again,
# and the same command does when a job has failed. Two minutes before its time limit the job queues itself again.
#
# In the environment: FHE names the program; FHE_LAUNCH=mpirun starts the ranks where `srun --mpi=list` has no pmix.
#SBATCH --ntasks-per-node=1 --cpus-per-task=8
#SBATCH --requeue --open-mode=append --signal=B:USR1@120
set -u
out=$1
shift
trap 'scontrol requeue "$SLURM_JOB_ID"' USR1

launch=(srun --mpi=pmix --kill-on-bad-exit --cpus-per-task="$SLURM_CPUS_PER_TASK")
if [[ ${FHE_LAUNCH-srun} == mpirun ]]; then launch=(mpirun --map-by node:pe="$SLURM_CPUS_PER_TASK"); fi
resume=()
if [[ -e $out.ckpt ]]; then resume=(--resume); fi
"${launch[@]}" "${FHE-fhe}" run "$@" --engine starpu --threads "$SLURM_CPUS_PER_TASK" --out "$out" \
  --checkpoint "$out.ckpt" "${resume[@]}" &
# A signal ends a wait, but not what is waited for.
while kill -0 $! 2> /dev/null; do wait $!; done
wait $!
