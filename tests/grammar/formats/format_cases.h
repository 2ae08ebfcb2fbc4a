// Helpers of the tests of formats.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "grammar/base/utf8.h"
#include "grammar/formats/formats.h"

namespace maskloom {

// Returns the automaton of the format with this name. Requires: it is a format of strings.
inline const TextAutomaton& AutomatonOf(std::string_view name) {
  static const TextAutomaton* const nothing = new TextAutomaton;
  const Format* format = FindFormat(name);
  if (format == nullptr) {
    ADD_FAILURE() << "no format " << name;
    return *nothing;
  }
  auto automaton = FormatAutomaton(*format);
  if (!automaton.ok()) {
    ADD_FAILURE() << automaton.status().ToString();
    return *nothing;
  }
  return **automaton;  // the cache keeps it
}

// Does `text` (UTF-8) have the format with this name, its bounds on the length included?
inline bool HasFormat(std::string_view name, std::string_view text) {
  const TextAutomaton& automaton = AutomatonOf(name);
  const std::u32string decoded = ToUtf32(text);
  const Format* format = FindFormat(name);
  return format != nullptr && decoded.size() >= format->min_length &&
         decoded.size() <= format->max_length &&
         automaton.Match(decoded) != TextAutomaton::kNotAccepting;
}

}  // namespace maskloom
