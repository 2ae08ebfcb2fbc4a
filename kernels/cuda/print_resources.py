#!/usr/bin/env python3
"""Prints what each CUDA kernel needs on each architecture, as ptxas says: registers of a thread,
stack frame, spilled bytes, static shared memory.

    print_resources.py --nvcc NVCC --architectures 80 90 100 --sources FILE... -- OPTION...

OPTIONs go to nvcc, but for those that name architectures. `cmake --build BUILD --target
cuda_resources` calls it with the sources and options of maskloom_cuda. Exit status 1 if a kernel
spills.
"""

import argparse
import re
import subprocess
import sys
import tempfile

ENTRY = re.compile(r"Compiling entry function '(\S+)' for 'sm_(\w+)'")
STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers(?:.*?(\d+) bytes smem)?")


def compile_verbosely(nvcc, source, architectures, options):
    """Returns what ptxas says while it compiles `source`."""
    targets = []
    for architecture in architectures:
        targets += ["-gencode", f"arch=compute_{architecture},code=sm_{architecture}"]
    with tempfile.TemporaryDirectory() as folder:
        command = [nvcc, *options, *targets, "-Xptxas", "-v", "-c", source, "-o", f"{folder}/out.o"]
        run = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return run.stderr


def read_kernels(said):
    """Yields (mangled name, architecture, registers, stack, spilled, shared)."""
    name = architecture = None
    stack = spilled = 0
    for line in said.splitlines():
        if match := ENTRY.search(line):
            name, architecture = match.groups()
        elif match := STACK.search(line):
            stack = int(match[1])
            spilled = int(match[2]) + int(match[3])
        elif (match := USED.search(line)) and name is not None:
            yield name, architecture, int(match[1]), stack, spilled, int(match[2] or 0)
            name = None


def readable(names):
    """Returns what kernels are called, without namespaces and parameters."""
    run = subprocess.run(["c++filt"], input="\n".join(names), stdout=subprocess.PIPE, text=True,
                         check=True)
    plain = []
    for name in run.stdout.splitlines():
        name = re.sub(r"\(anonymous namespace\)::|[a-z_]+::", "", name)
        plain.append(re.sub(r"^void |\(.*$", "", name))
    return plain


def main():
    own, options = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, options = own[:at], own[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--architectures", nargs="+", default=["80", "90", "100"])
    parser.add_argument("--sources", nargs="+", required=True)
    arguments = parser.parse_args(own)

    kernels = []
    for source in arguments.sources:
        said = compile_verbosely(arguments.nvcc, source, arguments.architectures, options)
        kernels += read_kernels(said)
    names = readable([kernel[0] for kernel in kernels])
    print("| kernel | sm | registers | stack, bytes | spilled, bytes | shared, bytes |")
    print("|---|---|---|---|---|---|")
    rows = sorted((name, int(re.sub(r"\D", "", kernel[1])), *kernel[2:])
                  for name, kernel in zip(names, kernels))
    for row in rows:
        print("| " + " | ".join(str(value) for value in row) + " |")
    return 1 if any(kernel[4] > 0 for kernel in kernels) else 0


if __name__ == "__main__":
    sys.exit(main())
