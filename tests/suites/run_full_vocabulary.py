#!/usr/bin/env python3
"""Runs the long suite `vocabularies` shard by shard and sums up what its shards found.

  tests/suites/run_full_vocabulary.py --build build/test --progress FOLDER
  tests/suites/run_full_vocabulary.py --progress FOLDER --sum     only the sums so far
  ... --shards 16 --jobs 2                                        how many, how many at once

It can be stopped at any time and started again: definitions that are done are not done again. A
folder belongs to one build of full_vocabulary_test; another build is refused. Reference data is
found as by the tests (MASKLOOM_SHARED). Exits with 1 when a shard found a mask that is wrong or did
not end, and with 2 when fewer states were compared than --states asks for.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys

PROGRAM = "tests/suites/full_vocabulary_test"
NAMES = "FullVocabulary.*With*"


def run_shard(program, progress, part, count):
    """Runs one shard; returns whether all its tests passed."""
    environment = dict(os.environ, MASKLOOM_LONG="1", MASKLOOM_SHARD=f"{part}/{count}",
                       MASKLOOM_PROGRESS=str(progress))
    log = progress / f"shard.{part}-of-{count}.log"
    with open(log, "w") as out:
        status = subprocess.run([program, f"--gtest_filter={NAMES}"], env=environment, stdout=out,
                                stderr=subprocess.STDOUT).returncode
    print(f"shard {part}/{count}: {'passed' if status == 0 else f'FAILED, see {log}'}", flush=True)
    return status == 0


def read_counts(text):
    return {key: int(value) for key, value in (field.split("=") for field in text.split())}


def sum_up(progress):
    """Prints the sums of all shards in the folder; returns states and faults of all together."""
    sums = collections.defaultdict(collections.Counter)
    kinds = collections.Counter()
    masks = collections.defaultdict(set)
    for path in sorted(progress.glob("vocabularies.*.tsv")):
        with open(path) as lines:
            next(lines, None)
            for line in lines:
                vocabulary, _, counts, of_kinds, of_masks = line.rstrip("\n").split("\t")
                sums[vocabulary].update(read_counts(counts))
                sums[vocabulary]["definitions"] += 1
                kinds.update(read_counts(of_kinds))
                masks[vocabulary].update(of_masks.split())
    total = collections.Counter()
    print(f"{'vocabulary':10} {'definitions':>11} {'refused':>7} {'states':>8} {'masks':>7} "
          f"{'alike':>7} {'judged tokens':>13} {'nodes':>15} {'faults':>6}")
    for vocabulary in sorted(sums):
        sums[vocabulary]["masks"] = len(masks[vocabulary])
        total.update(sums[vocabulary])
    for vocabulary, row in [*sorted(sums.items()), ("all", total)]:
        print(f"{vocabulary:10} {row['definitions']:11} {row['refused']:7} {row['states']:8} "
              f"{row['masks']:7} {row['alike']:7} {row['judged']:13} {row['nodes']:15} "
              f"{row['faults']:6}")
    print("states by kind:")
    for kind, count in kinds.most_common():
        print(f"  {kind:40} {count}")
    return total["states"], total["faults"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, help="folder of the build")
    parser.add_argument("--progress", type=pathlib.Path, required=True)
    parser.add_argument("--shards", type=int, default=16)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--states", type=int, default=200000, help="how many are enough")
    parser.add_argument("--sum", action="store_true", help="run nothing")
    arguments = parser.parse_args()
    passed = True
    if not arguments.sum:
        if arguments.build is None:
            parser.error("--build is needed where shards are run")
        program = arguments.build / PROGRAM
        if not program.is_file():
            parser.error(f"{program} is not there: build full_vocabulary_test")
        arguments.progress.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            parts = range(1, arguments.shards + 1)
            passed = all(list(pool.map(
                lambda part: run_shard(program, arguments.progress, part, arguments.shards),
                parts)))
    states, faults = sum_up(arguments.progress)
    if not passed or faults > 0:
        return 1
    return 0 if states >= arguments.states else 2


if __name__ == "__main__":
    sys.exit(main())
