#!/usr/bin/env bash
# Tests and times the CUDA kernels on the device of this machine, in less than ten minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tests/support/machine.sh

usage() {
  cat <<'HELP'
Usage: bench/device.sh [--build-only | --no-build] [RESULTS]

Builds what is needed, runs the tests of tests/kernels/cuda and tests/runtime/cuda_api on the
device, lets compute-sanitizer (where it is) look at the former, times bench_logits, and writes
everything into the folder RESULTS (default: build/device-results).

  --build-only  builds for all architectures into build/device, runs nothing
  --no-build    takes the programs that are in build/device, e.g. copied from a machine that has
                the packages; needs neither compiler nor packages

RESULTS
  machine.txt          device, driver, compilers, commit
  TEST.log             what a test program printed; TEST.memcheck.log, TEST.racecheck.log
  logits_*.jsonl       lines of bench_logits: cuda by type and batch, cpu for comparison;
                       their headers and errors: benches.log
  summary.txt          tests that passed and failed, and the times of a few cases

Environment:
  MASKLOOM_DEVICE_BUILD=FOLDER  where --no-build finds the programs (default: build/device)

Exit status: 0 all passed, 1 some test or answer is wrong, 77 no CUDA device.
HELP
}

BUILD="${MASKLOOM_DEVICE_BUILD:-build/device}"
CANNOT_RUN=77
TEST_FOLDERS=(kernels/cuda runtime/cuda_api)
# Seconds that each part may take in all: together under ten minutes.
BUILD_SECONDS=270 TEST_SECONDS=60 SANITIZER_SECONDS=80 BENCH_SECONDS=160

build_only=no with_build=yes results=build/device-results
while (($# > 0)); do
  case "$1" in
    -h | --help) usage; exit 0 ;;
    --build-only) build_only=yes ;;
    --no-build) with_build=no ;;
    -*) printf 'device.sh: unknown argument %s\nTry bench/device.sh --help\n' "$1" >&2; exit 3 ;;
    *) results="$1" ;;
  esac
  shift
done

# What nvidia-smi says of the first device; nothing where there is none.
ask_device() {
  nvidia-smi --id=0 --query-gpu="$1" --format=csv,noheader 2>/dev/null || true
}

# The compute capability as CMake wants it: 90.
architecture() { ask_device compute_cap | tr -d '. \n'; }

build_programs() {
  install_packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
  command -v nvcc >/dev/null || [[ -x /usr/local/cuda/bin/nvcc ]] ||
    fail 'nvcc is not here' 'install the CUDA toolkit, or take programs that were built elsewhere:' \
      'bench/device.sh --build-only there, copy build/device here, bench/device.sh --no-build'
  local targets='80;90;100'
  [[ $build_only == yes || -z $(architecture) ]] || targets=$(architecture)
  configure device "-DMASKLOOM_CUDA_ARCHITECTURES=$targets"
  # In a process of its own, since timeout cannot run a function.
  timeout "$BUILD_SECONDS" bash -c \
    'source tests/support/machine.sh; build device device_tests bench_logits' ||
    fail "the build ended with status $?" '124: it took too long; run it again to go on'
}

describe_machine() {
  local device
  device=$(ask_device name,driver_version,compute_cap,memory.total,clocks.max.sm,clocks.max.mem)
  printf 'device, driver, compute capability, memory, most clocks of processors and memory: %s\n' \
    "${device:-none}"
  printf 'processor: %s, %s cores\n' \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf 'nvcc: %s\n' "$({ nvcc --version || /usr/local/cuda/bin/nvcc --version; } 2>/dev/null |
    sed -n 's/.*release //p')"
  printf 'compiler: %s\n' "$(c++ --version 2>/dev/null | head -n 1)"
  printf 'commit: %s\n' "$(git describe --always --dirty 2>/dev/null || printf unknown)"
}

# note FORMAT VALUE...: prints a line and keeps it.
note() {
  # shellcheck disable=SC2059
  printf "$@" | tee -a "$results/summary.txt"
}

# within END COMMAND...: runs a command that ends at END at the latest, with status 124.
within() {
  local left=$(($1 - SECONDS))
  shift
  ((left > 0)) || return 124
  timeout "$left" "$@"
}

# test_programs FOLDER...: the tests in these folders that run on a device.
test_programs() {
  local folder
  for folder in "$@"; do compgen -G "$BUILD/tests/$folder/*_device_test" || true; done
}

run_tests() {
  local folder program name status end=$((SECONDS + TEST_SECONDS))
  for folder in "${TEST_FOLDERS[@]}"; do
    [[ -n $(test_programs "$folder") ]] && continue
    note '%s: no tests are built there\n' "$folder"
    failed=yes
  done
  for program in $(test_programs "${TEST_FOLDERS[@]}"); do
    name=$(basename "$program")
    within "$end" "$program" >"$results/$name.log" 2>&1 && status=0 || status=$?
    note '%s: %s, status %d\n' "$name" "$(grep -oE '(PASSED|FAILED)  \] [0-9]+ tests?' \
      "$results/$name.log" | tr -d ']' | tr -s ' ' | paste -sd ',')" "$status"
    [[ $status == 0 ]] || failed=yes
  done
}

# What does not end in time under a tool is left out rather than waited for.
run_sanitizers() {
  local program name tool status end=$((SECONDS + SANITIZER_SECONDS))
  command -v compute-sanitizer >/dev/null || { note 'compute-sanitizer is not here\n'; return; }
  for tool in memcheck racecheck; do
    for program in $(test_programs kernels/cuda); do
      name=$(basename "$program").$tool
      within "$end" compute-sanitizer --tool "$tool" --error-exitcode 9 "$program" \
        >"$results/$name.log" 2>&1 && status=0 || status=$?
      note '%s: %s\n' "$name" "$(sanitizer_verdict "$status")"
      [[ $status != 9 ]] || failed=yes
    done
  done
}

sanitizer_verdict() {
  case "$1" in
    0) printf 'nothing found' ;;
    9) printf 'ERRORS, see its log' ;;
    124) printf 'no time left, nothing found until then' ;;
    *) printf 'did not run (status %d)' "$1" ;;
  esac
}

# bench NAME OPTION...: runs bench_logits until BENCH_END at the latest.
bench() {
  local name="$1" status
  shift
  within "$BENCH_END" "$BUILD/bench/bench_logits" --json "$@" \
    >"$results/logits_$name.jsonl" 2>>"$results/benches.log" && status=0 || status=$?
  note 'logits_%s: %d cases, status %d\n' "$name" "$(wc -l <"$results/logits_$name.jsonl")" "$status"
  [[ $status == 0 || $status == 124 ]] || failed=yes
}

run_benches() {
  BENCH_END=$((SECONDS + BENCH_SECONDS))
  bench cuda_bf16_1 --backend cuda --dtype bf16 --batch 1 --count
  bench cuda_f32_1 --backend cuda --dtype f32 --batch 1
  bench cuda_bf16 --backend cuda --dtype bf16 --batch 4 16 64 256
  bench cuda_bf16_flat --backend cuda --dtype bf16 --batch 1 16 --flat
  bench cuda_bf16_apply --backend cuda --dtype bf16 --batch 1 16 256 --apply
  bench cuda_bf16_report --backend cuda --dtype bf16 --batch 1 16 --report
  bench cpu --backend cpu --seconds 0.02
}

[[ $with_build == no ]] || build_programs
[[ $build_only == no ]] || exit 0
program="$BUILD/bench/bench_logits"
[[ -x $program ]] || fail "$program is not there" 'run bench/device.sh without --no-build'
mkdir -p "$results"
describe_machine | tee "$results/machine.txt"

status=0
"$program" --backend cuda --vocab 1000 --case none/greedy >"$results/device.log" 2>&1 || status=$?
if ((status == CANNOT_RUN)); then
  sed -n 's/^bench_logits: /device.sh: /p' "$results/device.log" | tee "$results/summary.txt"
  exit "$CANNOT_RUN"
fi

failed=no
: >"$results/benches.log"
{
  cat "$results/machine.txt"
  printf 'begun: %s\n' "$(date -u +%FT%TZ)"
} >"$results/summary.txt"
run_tests
run_sanitizers
run_benches
grep -h '"vocab":128256,' "$results"/logits_cuda_bf16*.jsonl >>"$results/summary.txt" || true
say "results: $results, all passed: $([[ $failed == no ]] && printf yes || printf NO), $SECONDS s"
[[ $failed == no ]]
