#!/usr/bin/env python3
"""Compares formats with validators from PyPI (`pip install jsonschema[format]`) and with node.

usage: format_judges.py FORMAT_TEXTS [--count N] [--seed S]

FORMAT_TEXTS is the program format_texts. A judge says yes, no, or nothing where it is known to
follow something else than the clause that we enforce. Judges that are not installed are named and
left out. Exit status: 0 no difference, 1 some, 77 no judge is there.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import unicodedata

MAX_SHOWN = 5


def attempt(parse, *args, **kwargs):
    try:
        result = parse(*args, **kwargs)
        return result is not None and result is not False
    except Exception:  # each library has errors of its own
        return False


def resource_judge(rule):
    import rfc3987
    # It takes the `v` of [v1.a] in lower case only; ABNF has no case.
    return lambda accepted, text: attempt(rfc3987.parse, text.replace("[V", "[v"), rule=rule)


def pointer_judge():
    import jsonpointer
    return lambda accepted, text: attempt(jsonpointer.JsonPointer, text)


def hostname_judge():
    import fqdn

    def judge(accepted, text):
        if not text or text.endswith("."):  # fqdn takes the root's dot
            return False
        return attempt(lambda: fqdn.FQDN(text, min_labels=1).is_valid)
    return judge


def date_time_judge():
    import rfc3339_validator

    def judge(accepted, text):
        if ":60" in text or text.startswith("0000"):  # it knows neither leap seconds nor year 0
            return None
        return attempt(rfc3339_validator.validate_rfc3339, text.replace("t", "T").replace("z", "Z"))
    return judge


def duration_judge():
    from isoduration import parse_duration
    # It takes signs, fractions and gaps (PT1H2S), which ISO 8601 has and RFC 3339 has not.
    return lambda accepted, text: (
        attempt(parse_duration, text.upper()) if accepted else None)


def idn_hostname_judge():
    import idna

    def judge(accepted, text):
        if not accepted:  # ours is a subset; see grammar/formats/README.md
            return None
        if unicodedata.normalize("NFC", text) != text or re.search("xn--", text, re.I):
            return None
        if any(unicodedata.bidirectional(c) == "" for c in text):  # newer than this Python
            return None
        try:
            idna.encode(text, strict=False, uts46=False)
        except idna.IDNAError as error:
            return None if "too long" in str(error) else False
        return True
    return judge


def regex_judge():
    if shutil.which("node") is None:
        raise ImportError("node")
    program = ("const t=JSON.parse(require('fs').readFileSync(0,'utf8'));"
               "const ok=s=>{try{new RegExp(s,'u');return true}catch(e){return false}};"
               "console.log(JSON.stringify(t.map(ok)))")

    def judge_all(pairs):
        texts = [text for accepted, text in pairs]
        answer = subprocess.run(["node", "-e", program], input=json.dumps(texts), text=True,
                                capture_output=True, check=True).stdout
        for (accepted, text), valid in zip(pairs, json.loads(answer)):
            yield valid if accepted else None  # ours is a subset
    return judge_all


JUDGES = {
    "uri": lambda: resource_judge("URI"),
    "uri-reference": lambda: resource_judge("URI_reference"),
    "iri": lambda: resource_judge("IRI"),
    "iri-reference": lambda: resource_judge("IRI_reference"),
    "json-pointer": pointer_judge,
    "hostname": hostname_judge,
    "date-time": date_time_judge,
    "duration": duration_judge,
    "idn-hostname": idn_hostname_judge,
    "regex": regex_judge,
}


def compare(name, make_judge, texts):
    judge = make_judge()
    verdicts = (judge(texts) if name == "regex" else
                (judge(accepted, text) for accepted, text in texts))
    judged = 0
    differences = []
    for (accepted, text), verdict in zip(texts, verdicts):
        judged += verdict is not None
        if verdict is not None and verdict != accepted:
            differences.append((accepted, text))
    print(f"{name}: {judged} of {len(texts)} judged, {len(differences)} differ")
    for accepted, text in differences[:MAX_SHOWN]:
        print(f"  {'accepted' if accepted else 'rejected'}: {text!r}")
    return len(differences)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("--count", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found, differences = 0, 0
    for name, make_judge in JUDGES.items():
        try:
            make_judge()
        except ImportError as error:
            print(f"{name}: no judge ({error})")
            continue
        found += 1
        output = subprocess.run([options.driver, name, str(options.count), str(options.seed)],
                                capture_output=True, check=True).stdout
        differences += compare(name, make_judge, json.loads(output))
    if found == 0:
        return 77
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
