#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the scripts of libfhe/cluster/slurm under a Slurm of its own, with three nodes that are all this machine, and
# compares with `fhe run`, byte by byte. Jobs lose a rank and a node, reach their time limit and are cancelled, and go
# on. Exit status 77, skipped, without Slurm, MUNGE and PMIx, or where they do not start.
#
#   tests/cluster/slurm.sh FHE
set -euo pipefail
fhe=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly fhe here scripts=$here/../../libfhe/cluster/slurm sbox=$here/../../apps/bench/aes/sbox.blif skipped=77
readonly nodes=(n1 n2 n3)

PATH+=:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch mpirun; do
  command -v "$program" > /dev/null || {
    echo "$program is missing (Debian: apt-get install slurmctld slurmd slurm-client munge openmpi-bin)"
    exit "$skipped"
  }
done

# Of a job that this test may run in.
unset "${!SLURM_@}" "${!SBATCH_@}" "${!SRUN_@}" "${!FHE_@}"
folder=$(mktemp -d)
cd "$folder"
export TMPDIR=$folder STARPU_HOME=$folder SLURM_CONF=$folder/slurm.conf FHE=$fhe
# Tests may run as root. All nodes are this machine, which may have no network but the loopback.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo

# All processes of this Slurm: they have its configuration in their environment.
processes() {
  local environment
  for environment in /proc/[0-9]*/environ; do
    ! grep -qszx "SLURM_CONF=$SLURM_CONF" "$environment" || basename "$(dirname "$environment")"
  done
}
# holds_within SECONDS COMMAND...
holds_within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.05
  done
}
none_is_left() { [[ -z $(processes) ]]; }
clean() {
  local all
  mapfile -t all < <(processes)
  # Jobs first, by their daemons; then what does not end by itself.
  timeout 10 scancel --user="$(id -un)" 2> /dev/null || true
  ((${#all[@]} == 0)) || kill -TERM "${all[@]}" 2> /dev/null || true
  holds_within 5 none_is_left || true
  until none_is_left; do
    mapfile -t all < <(processes)
    ((${#all[@]} == 0)) || kill -KILL "${all[@]}" 2> /dev/null || true
    sleep 0.2
  done
  cd /
  rm -rf "$folder"
}
trap clean EXIT

fail() {
  printf '%s\n' "$*" >&2
  tail -n 30 "slurm-${job-}"[._]*out slurmctld.log slurmd.*.log >&2 || true
  exit 1
}
skip() {
  printf '%s: the scripts for Slurm were not run\n' "$*"
  tail -n 5 ./*.log || true
  exit "$skipped"
}

is_taken() { (: < "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }
# The first of as many free ports as there are daemons.
free_ports() {
  local first port
  while :; do
    first=$((10000 + RANDOM % 20000))
    for ((port = first; port <= first + ${#nodes[@]}; port++)); do ! is_taken "$port" || continue 2; done
    echo "$first"
    return
  done
}
# Whoever runs this is the user of all daemons.
start_slurm() {
  local port node
  port=$(free_ports)
  mkdir -m 700 munge state
  head -c 128 /dev/urandom > munge/key
  chmod 600 munge/key
  munged --force --num-threads=1 --key-file="$folder/munge/key" --seed-file="$folder/munge/seed" \
    --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" --log-file="$folder/munge.log" ||
    skip 'munged does not start'
  # JobRequeue: the scripts ask for it themselves. ProctrackType: kills what a script leaves behind. cred_expire: a
  # job that is queued again waits so long.
  cat > slurm.conf << EOF_CONF
ClusterName=test
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmdLogFile=$folder/slurmd.%n.log
SlurmdSpoolDir=$folder/spool.%n
TmpFS=$folder/tmp.%n
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
JobRequeue=0
KillWait=10
MinJobAge=3600
$(for node in "${nodes[@]}"; do
    echo "NodeName=$node NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((++port)) CPUs=4"
  done)
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF_CONF
  slurmctld > start.log 2>&1 || skip 'slurmctld does not start'
  for node in "${nodes[@]}"; do
    mkdir "tmp.$node"
    slurmd -N "$node" > start.log 2>&1 || skip 'slurmd does not start'
  done
  holds_within 60 are_idle "${#nodes[@]}" || skip 'the nodes of Slurm do not become ready'
  srun --mpi=list 2>&1 | grep -qw pmix || skip 'Slurm has no PMIx'
}
are_idle() { [[ $(sinfo --noheader --Node --states=idle --format=%N 2> /dev/null | wc -l) -eq $1 ]]; }

# submit ARGUMENTS...: sets job.
submit() { job=$(sbatch --parsable "$@"); }
has_ended() { [[ -z $(squeue --noheader --jobs="$job" 2> /dev/null) ]]; }
is_waiting() { [[ -n $(squeue --noheader --jobs="$job" --states=PENDING 2> /dev/null) ]]; }
wait_for_job() { holds_within 300 has_ended || fail "job $job does not end"; }
state() { scontrol show job "$job" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'; }
# ended_as STATE: all tasks of the job.
ended_as() {
  wait_for_job
  [[ $(state | sort -u) == "$1" ]] || fail "job $job ended as $(state), not as $1"
}
# The programs that compute.
ranks() {
  local process
  for process in $(pgrep -x "$(basename "$fhe" | cut -c 1-15)"); do
    [[ $(readlink "/proc/$process/cwd") != "$folder" ]] || echo "$process"
  done
}
has_no_ranks() { [[ -z $(ranks) ]]; }
# freeze CHECKPOINT...: the programs of the job that is submitted, once they have come so far.
freeze() {
  local checkpoint
  for checkpoint in "$@"; do holds_within 100 test -e "$checkpoint" || fail "job $job does not begin"; done
  mapfile -t frozen < <(ranks)
  kill -STOP "${frozen[@]}" || fail 'it has ended before'
}
# same OUT NUMBER: it is what one process gives, and no checkpoint is left.
same() {
  cmp "$1" "$2.one" || fail "$1 is another output"
  [[ ! -e $1.ckpt ]] || fail "the checkpoint of $1 is left"
  rm "$1"
}
# went_on NUMBER: so many programs of the job say that they took values from a checkpoint.
went_on() {
  local count
  count=$(cat "slurm-$job"[._]*out | grep -c '"resumed_values": [1-9]' || true)
  [[ $count -eq $1 ]] || fail "$count went on, not $1"
}

"$fhe" keygen --params cnt-toy --out keys > /dev/null 2> /dev/null
for number in 1 2 3; do
  "$fhe" encrypt --key keys/public.fhe --number "$((number * 57))" --width 8 --out "$number.fhe" > /dev/null
  "$fhe" run "$sbox" --key keys/public.fhe --input "$number.fhe" --out "$number.one" > /dev/null
done
start_slurm
readonly arguments=("$sbox" --key keys/public.fhe --json --checkpoint-interval)
# What follows sbatch's own options.
circuit=("$scripts/circuit.sh" c.fhe "${arguments[@]}" 0 --input 1.fhe)
independent=("$scripts/independent.sh" %.out "${arguments[@]}" 0 --input %.fhe)
one_core=(--cpus-per-task=1)

# Nothing happens.
for launch in srun mpirun; do
  FHE_LAUNCH=$launch submit "${one_core[@]}" --nodes=2 "${circuit[@]}"
  ended_as COMPLETED
  grep -q '"ranks": 2' "slurm-$job.out" || fail 'not on two nodes'
  same c.fhe 1
done
submit "${one_core[@]}" --array=1-3 "${independent[@]}"
ended_as COMPLETED
for number in 1 2 3; do same "$number.out" "$number"; done
echo 'they run'

# A rank is lost: the job fails, and the same command goes on, on another number of nodes.
submit "${one_core[@]}" --nodes=2 "${circuit[@]}"
freeze c.fhe.ckpt
kill -KILL "${frozen[1]}"
kill -CONT "${frozen[0]}"
ended_as FAILED
submit "${one_core[@]}" --nodes=3 "${circuit[@]}"
ended_as COMPLETED
went_on 1
same c.fhe 1
echo 'the same command goes on after a rank was lost'

# A node is lost: Slurm queues the job again, on another one.
submit "${one_core[@]}" --nodes=2 "${circuit[@]}"
freeze c.fhe.ckpt
lost=$(squeue --noheader --jobs="$job" --format=%N | sed 's/n\[.*\([0-9]\)\]/n\1/')  # not that of the script
kill -KILL "$(< "slurmd.$lost.pid")"
for process in "${frozen[@]}"; do
  grep -qzx "SLURMD_NODENAME=$lost" "/proc/$process/environ" || continue
  kill -KILL "$(sed -n 's/^PPid:\s*//p' "/proc/$process/status")" "$process"
done
scontrol update nodename="$lost" state=down reason=test
ended_as COMPLETED
went_on 1
same c.fhe 1
echo 'a job goes on after a node was lost'

# The time limit comes, and less than two minutes before there is a signal.
submit "${one_core[@]}" --time=1 --nodes=2 "${circuit[@]}"
freeze c.fhe.ckpt
holds_within 100 is_waiting || fail 'the job was not queued again'
scontrol update jobid="$job" timelimit=UNLIMITED
ended_as COMPLETED
went_on 1
same c.fhe 1
submit "${one_core[@]}" --time=1 --array=1-2 "${independent[@]}"
freeze 1.out.ckpt 2.out.ckpt
are_both_waiting() { [[ $(squeue --noheader --array --jobs="$job" --states=PENDING | wc -l) -eq 2 ]]; }
holds_within 100 are_both_waiting || fail 'the tasks were not queued again'
scontrol update jobid="$job" timelimit=UNLIMITED
ended_as COMPLETED
went_on 2
for number in 1 2; do same "$number.out" "$number"; done
echo 'jobs queue themselves again before their time limit'

# A task is cancelled: the program has time to save what it has, and the same command goes on.
submit "${one_core[@]}" --array=2 "${independent[@]}"
freeze 2.out.ckpt
scancel "$job"
wait_for_job
holds_within 100 has_no_ranks || fail 'the program goes on'
submit "${one_core[@]}" --array=2 "${independent[@]}"
ended_as COMPLETED
went_on 1
same 2.out 2
cat > slow << 'EOF_SLOW'
#!/usr/bin/env bash
trap 'sleep 1; touch saved; exit 130' TERM
touch started
sleep 300 &
wait
EOF_SLOW
chmod +x slow
FHE=$folder/slow submit "${one_core[@]}" --array=2 "${independent[@]}"
holds_within 100 test -e started || fail 'it does not begin'
scancel "$job"
holds_within 30 test -e saved || fail 'a program that is cancelled cannot save'
echo 'the same command goes on after a job was cancelled'
