// The named character sets of ECMA-262 regular expressions.
#pragma once

#include "grammar/base/code_point_set.h"

namespace maskloom {

CodePointSet EcmaDigits();           // \d: 0-9
CodePointSet EcmaWordCharacters();   // \w: A-Z a-z 0-9 _
CodePointSet EcmaWhiteSpace();       // \s: WhiteSpace and LineTerminator, ECMA-262 12.2 and 12.3
CodePointSet EcmaLineTerminators();  // what `.` leaves out

}  // namespace maskloom
