#!/bin/sh
# Runs engines over MaskBench files one after another on the same processor, and prints them side by
# side with this one.
#
#   MASKLOOM=build/runtime/cli/maskloom bench/compare_engines.sh HARNESS PYTHON DATA LIST TOKENIZER OUT [ENGINE...]
#
# HARNESS: folder with rivals.py, which writes the result format that `maskloom bench report` reads;
# PYTHON: an interpreter that has the engines; DATA: folder of the files that LIST names;
# TOKENIZER: tokenizer.json; OUT: folder for the result files.
set -eu
if [ $# -lt 6 ]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 3
fi
harness=$1 python=$2 data=$3 list=$4 tokenizer=$5 out=$6
shift 6
[ $# -gt 0 ] || set -- llguidance glrmask
maskloom=${MASKLOOM:-maskloom}
mkdir -p "$out"
# Undisturbed as far as this user may ask for it.
quiet="taskset -c 0"
if nice -n -20 true 2>/dev/null; then quiet="nice -n -20 $quiet"; fi
results=
for engine in "$@"; do
  echo "running $engine" >&2
  $quiet "$python" "$harness/rivals.py" --engine "$engine" --data "$data" --list "$list" \
    --tokenizer "$tokenizer" --out "$out/$engine.jsonl" --steady
  results="$results $out/$engine.jsonl"
done
echo "running maskloom" >&2
$quiet "$maskloom" bench masks --tokenizer "$tokenizer" --list "$list" --root "$data" \
  --out "$out/maskloom.jsonl"
# shellcheck disable=SC2086
exec "$maskloom" bench report "$out/maskloom.jsonl" --compare $results
