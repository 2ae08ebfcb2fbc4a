// Source: ECMA-262 (2024), 22.2.2.9 CharacterClassEscape, 12.2 White Space, 12.3 Line Terminators.
#include "grammar/regex/ecma_classes.h"

namespace maskloom {

CodePointSet EcmaDigits() { return {{'0', '9'}}; }

CodePointSet EcmaWordCharacters() { return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}; }

CodePointSet EcmaWhiteSpace() {
  return {{'\t', '\r'},     {' ', ' '},       {0x00A0, 0x00A0}, {0x1680, 0x1680}, {0x2000, 0x200A},
          {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
}

CodePointSet EcmaLineTerminators() { return {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}; }

}  // namespace maskloom
