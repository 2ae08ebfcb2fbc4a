#!/usr/bin/env python3
"""Writes unicode_tables.inc: the properties that `\\p{..}` can name, from the Unicode database.

Usage: make_unicode_tables.py [FOLDER] > unicode_tables.inc
FOLDER holds the database's files, /usr/share/unicode by default (Debian package unicode-data).

A set is written as numbers, alternately how many code points to skip and how many to take, each in
base 32, least digit first, a digit being a letter of the base-64 alphabet whose value has bit 5 set
if more digits follow. Script_Extensions are written as what differs from Script.
"""
import sys
import textwrap
from collections import defaultdict

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
LAST = 0x10FFFF
# ECMA-262 (2024), table 69; ASCII, Any and Assigned are computed.
BINARY = {
    "PropList.txt": """ASCII_Hex_Digit Bidi_Control Dash Deprecated Diacritic Extender Hex_Digit
        IDS_Binary_Operator IDS_Trinary_Operator Ideographic Join_Control Logical_Order_Exception
        Noncharacter_Code_Point Pattern_Syntax Pattern_White_Space Quotation_Mark Radical
        Regional_Indicator Sentence_Terminal Soft_Dotted Terminal_Punctuation Unified_Ideograph
        Variation_Selector White_Space""",
    "DerivedCoreProperties.txt": """Alphabetic Case_Ignorable Cased Changes_When_Casefolded
        Changes_When_Casemapped Changes_When_Lowercased Changes_When_Titlecased
        Changes_When_Uppercased Default_Ignorable_Code_Point Grapheme_Base Grapheme_Extend
        ID_Continue ID_Start Lowercase Math Uppercase XID_Continue XID_Start""",
    "DerivedNormalizationProps.txt": "Changes_When_NFKC_Casefolded",
    "emoji/emoji-data.txt": """Emoji Emoji_Component Emoji_Modifier Emoji_Modifier_Base
        Emoji_Presentation Extended_Pictographic""",
}


def lines(folder, name):
    with open(f"{folder}/{name}", encoding="utf-8") as file:
        for line in file:
            fields = [field.strip() for field in line.split("#")[0].split(";")]
            if fields[0]:
                yield fields


def code_points(field):
    first, _, last = field.partition("..")
    return range(int(first, 16), int(last or first, 16) + 1)


def read(folder, name):
    """Returns the sets of a file of lines `code points ; name`."""
    sets = defaultdict(set)
    for fields in lines(folder, name):
        if len(fields) == 2:
            sets[fields[1]].update(code_points(fields[0]))
    return sets


def read_unicode_data(folder):
    """Returns the sets of the general categories, and Bidi_Mirrored."""
    categories, mirrored, first = defaultdict(set), set(), None
    for fields in lines(folder, "UnicodeData.txt"):
        code = int(fields[0], 16)
        if fields[1].endswith(", First>"):
            first = code
            continue
        categories[fields[2]].update(range(code if first is None else first, code + 1))
        first = None
        if fields[9] == "Y":
            mirrored.add(code)
    return categories, mirrored


def encode(members):
    out, at = [], 0

    def number(value):
        while value >= 32:
            out.append(DIGITS[value % 32 + 32])
            value //= 32
        out.append(DIGITS[value])

    ordered, i = sorted(members), 0
    while i < len(ordered):
        j = i
        while j + 1 < len(ordered) and ordered[j + 1] == ordered[j] + 1:
            j += 1
        number(ordered[i] - at)
        number(ordered[j] + 1 - ordered[i])
        at = ordered[j] + 1
        i = j + 1
    return "".join(out)


def all_of(names):
    return " ".join(dict.fromkeys(names))


def write(table, rows):
    print(f"constexpr UnicodeSet {table}[] = {{")
    for names, members in rows:
        print(f'    {{"{names}",')
        pieces = textwrap.wrap(encode(members), 90) or [""]
        print("\n".join(f'     "{piece}"' for piece in pieces) + "},")
    print("};\n")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode"
    with open(f"{folder}/PropList.txt", encoding="utf-8") as file:
        version = file.readline().split("-")[1].rsplit(".", 1)[0]
    names = defaultdict(dict)  # by property and short name, all names
    for fields in lines(folder, "PropertyValueAliases.txt"):
        names[fields[0]][fields[1]] = fields[1:]
    long_names = {"White_Space": "White_Space space"}  # ECMA-262 leaves out WSpace
    for fields in lines(folder, "PropertyAliases.txt"):
        long_names.setdefault(fields[1], all_of([fields[1], fields[0]]))

    categories, mirrored = read_unicode_data(folder)
    scripts = read(folder, "Scripts.txt")
    extensions = {name: set(members) for name, members in scripts.items()}
    script_of = {alias: all_names[1] for all_names in names["sc"].values() for alias in all_names}
    base_of = {code: name for name, members in scripts.items() for code in members}
    for fields in lines(folder, "ScriptExtensions.txt"):
        for code in code_points(fields[0]):
            extensions[base_of[code]].discard(code)
            for script in fields[1].split():
                extensions[script_of[script]].add(code)

    print(f"// Written by make_unicode_tables.py from the Unicode database, version {version}.")
    print("// clang-format off\n")
    write("kGeneralCategories", [(all_of(names["gc"][short]), categories[short])
                                 for short in sorted(categories) if short != "Cs"])
    known = sorted(all_names[1] for all_names in names["sc"].values() if all_names[1] in scripts)
    by_long = {all_names[1]: all_of(all_names) for all_names in names["sc"].values()}
    write("kScripts", [(by_long[name], scripts[name]) for name in known])
    write("kScriptExtensions",
          [(by_long[name], scripts[name] ^ extensions[name]) for name in known
           if scripts[name] != extensions[name]])
    binary = {"Bidi_Mirrored": mirrored}
    for file, wanted in BINARY.items():
        sets = read(folder, file)
        binary.update((name, sets[name]) for name in wanted.split())
    write("kBinaryProperties",
          [(long_names.get(name, name), binary[name]) for name in sorted(binary)])


main()
