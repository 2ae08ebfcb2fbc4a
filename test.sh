#!/usr/bin/env bash
# Builds everything and runs the tests; ends with ctest's own summary. Can be run again; does only
# what is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source tests/support/machine.sh

# The suites are declared with maskloom_long_suite(NAME ...) in the CMakeLists.txt of tests.
long_suites() {
  { grep -rhoE --include=CMakeLists.txt '^ *maskloom_long_suite\([a-z0-9_-]+' tests || true; } |
    sed -E 's/.*\(//' | sort -u
}

usage() {
  cat <<'HELP'
Usage: ./test.sh [--sanitize] [--filter REGEX]
       ./test.sh --long SUITE [--shard I/N] [--sanitize]
       ./test.sh --build-only [--sanitize]

Without --long: all fast tests and samples of the long ones.
  --sanitize      build with the address and undefined-behaviour sanitizers (build/asan)
  --filter REGEX  only tests whose names match
  --long SUITE    one long suite, whole
  --shard I/N     of a long suite only part I (from 1) of N parts
  --build-only    build, run nothing
Environment:
  MASKLOOM_SHARED=FOLDER    reference data (default: ../shared); without it some tests are skipped
  MASKLOOM_MODEL=FILE.gguf  SmolLM2-135M-Instruct in Q4_1 (default: fetched into the cache folder)
  MASKLOOM_CUDA_ARCHITECTURES='80;90'  what CUDA kernels are compiled for, where nvcc is (default: 80)
Long suites:
HELP
  long_suites | sed 's/^/  /'
}

usage_error() {
  printf 'test.sh: %s\nTry ./test.sh --help\n' "$1" >&2
  exit 3
}

preset=test suite='' shard='' filter='' build_only=no
while (($# > 0)); do
  case "$1" in
    -h | --help) usage; exit 0 ;;
    --sanitize) preset=asan; shift ;;
    --build-only) build_only=yes; shift ;;
    --long | --shard | --filter)
      (($# > 1)) || usage_error "$1 needs a value"
      case "$1" in
        --long) suite="$2" ;;
        --shard) shard="$2" ;;
        --filter) filter="$2" ;;
      esac
      shift 2 ;;
    *) usage_error "unknown argument $1" ;;
  esac
done
if [[ -n $suite ]] && ! long_suites | grep -qxF -- "$suite"; then
  usage_error "there is no long suite $suite; there are: $(long_suites | paste -sd ' ')"
fi
if [[ -n $shard ]]; then
  [[ -n $suite ]] || usage_error '--shard belongs to --long'
  if [[ ! $shard =~ ^([1-9][0-9]{0,5})/([1-9][0-9]{0,5})$ ]] ||
    ((BASH_REMATCH[1] > BASH_REMATCH[2])); then
    usage_error '--shard is I/N with 1 <= I <= N'
  fi
fi

install_packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}" python3-pip
# One architecture shows whether kernels compile; other builds have all of them.
configure "$preset" "-DMASKLOOM_CUDA_ARCHITECTURES=${MASKLOOM_CUDA_ARCHITECTURES:-80}"
say "$(sed -n 's/^-- \(CUDA kernels: .*\)/\1/p' "$LOG_DIR/configure-$preset.log")"
build "$preset" all
if fetch_model; then
  export MASKLOOM_MODEL="${MASKLOOM_MODEL:-$(model_path)}"
else
  say 'model: cannot be fetched; the tests that need it are skipped'
  printf '    %s\n' "${MODEL_ADVICE[@]}"
fi
shared="${MASKLOOM_SHARED:-../shared}"
if [[ -d $shared ]]; then
  say "reference data: $shared"
else
  say "reference data: there is none in $shared; the tests that need it are skipped"
fi
[[ $build_only == no ]] || exit 0

STEP='tests'
# Undefined behaviour ends a test; otherwise it would be a line that nobody reads.
[[ $preset != asan ]] || export UBSAN_OPTIONS="${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}"
arguments=(--test-dir "build/$preset" --output-on-failure -j "$(nproc)" --no-tests=error)
[[ -z $filter ]] || arguments+=(-R "$filter")
if [[ -n $suite ]]; then
  say "tests: long suite $suite${shard:+, part $shard}"
  export MASKLOOM_LONG=1
  [[ -z $shard ]] || export MASKLOOM_SHARD="$shard"
  arguments+=(-L '^long$' -L "^$suite\$" --verbose)
else
  say 'tests: fast and sampled'
  arguments+=(-LE '^only-long$')
fi
exec ctest "${arguments[@]}"
