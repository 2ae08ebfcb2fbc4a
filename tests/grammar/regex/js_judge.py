#!/usr/bin/env python3
"""Judges what patterns match by a JavaScript engine from PyPI.

usage: js_judge.py PATTERNS.jsonl

A line is {"pattern", "verdict", "texts", "search", "full"}: verdict is "ok", "invalid" or
"unsupported"; `search` and `full` hold one bool for each text, whether it contains a match and
whether all of it is one. The pattern is tried with the flag `u`; where that is a syntax error but
we accept it (Annex B), without. Exit status: 0 no difference, 1 some, 77 when no engine is there
and none can be installed (into the cache folder; nothing else is touched).
"""
import importlib
import json
import os
import subprocess
import sys

ENGINES = [("py_mini_racer", "mini-racer==0.14.1"), ("quickjs", "quickjs==1.19.4")]
NOT_INSTALLED = 77
MAX_SHOWN = 10
BATCH = 200

# A search tries all positions between code points itself: V8 also tries those inside a surrogate
# pair (`/\\B/u` on a text of one emoji), which ECMA-262 does not have.
PROGRAM = """
function compile(pattern, flags) {
  try {
    return [new RegExp(pattern, flags + 'y'), new RegExp('^(?:' + pattern + ')$', flags)];
  } catch (error) {
    return null;
  }
}
function contains(regex, text) {
  for (let at = 0; at <= text.length; ++at) {
    regex.lastIndex = at;
    if (regex.test(text)) return true;
    if (text.codePointAt(at) > 0xFFFF) ++at;
  }
  return false;
}
function judge(lines) {
  return JSON.stringify(JSON.parse(lines).map(item => {
    const plain = compile(item.pattern, 'u');
    const both = plain || (item.verdict == 'invalid' ? null : compile(item.pattern, ''));
    // Without the flag some escapes mean something else, and an emoji is two characters: no answer.
    const known = text =>
        plain || (both && !/\\\\[pPuk]/.test(item.pattern) && !/[\\uD800-\\uDFFF]/.test(text));
    return {unicode: plain != null, valid: both != null,
            search: item.texts.map(text => known(text) ? contains(both[0], text) : null),
            full: item.texts.map(text => known(text) ? both[1].test(text) : null)};
  }));
}
"""


def import_engine():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    target = os.path.join(cache, "maskloom", "python")
    sys.path.insert(0, target)
    for name, requirement in ENGINES:
        try:
            return name, importlib.import_module(name)
        except ImportError:
            pass
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input",
                   "--disable-pip-version-check", "--only-binary", ":all:", "--target", target,
                   requirement]
        if subprocess.run(command).returncode == 0:
            sys.path_importer_cache.pop(target, None)  # the folder may be new
            return name, importlib.import_module(name)
    print("no JavaScript engine can be installed", file=sys.stderr)
    sys.exit(NOT_INSTALLED)


def make_judge():
    name, module = import_engine()
    if name == "py_mini_racer":
        context = module.MiniRacer()
        context.eval(PROGRAM)
        return name, lambda lines: context.call("judge", lines)
    context = module.Context()
    context.eval(PROGRAM)
    return name, context.get("judge")


def differences(item, answer):
    if item["verdict"] == "unsupported":
        if not answer["valid"]:
            yield "we call it unsupported, and it is a syntax error"
        return
    if item["verdict"] == "invalid":
        if answer["unicode"]:
            yield "we call it invalid"
        return
    if not answer["valid"]:
        yield "we accept it, and it is a syntax error"
        return
    for kind in ("search", "full"):
        for text, ours, theirs in zip(item["texts"], item[kind], answer[kind]):
            if theirs is not None and ours != theirs:
                yield f"{kind} on {text!r}: we say {ours}"


def main(path):
    name, judge = make_judge()
    with open(path, encoding="utf-8") as file:
        items = [json.loads(line) for line in file]
    wrong = pairs = 0
    for begin in range(0, len(items), BATCH):
        batch = items[begin:begin + BATCH]
        for item, answer in zip(batch, json.loads(judge(json.dumps(batch)))):
            pairs += 2 * sum(found is not None for found in answer["search"])
            for difference in differences(item, answer):
                wrong += 1
                if wrong <= MAX_SHOWN:
                    print(f"{item['pattern']}\n  {difference}")
    print(f"{name}: {len(items)} patterns, {pairs} answers, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
