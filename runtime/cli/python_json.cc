#include "runtime/cli/python_json.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "runtime/cli/json_reader.h"

namespace maskloom::cli {
namespace {

std::string PythonNumber(std::string_view raw) {
  if (raw.find_first_of(".eE") != std::string_view::npos) {
    return PythonFloat(std::strtod(std::string(raw).c_str(), nullptr));
  }
  return raw == "-0" ? "0" : std::string(raw);
}

}  // namespace

std::string PythonFloat(double value) {
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (std::isnan(value)) return "NaN";
  // The shortest digits that read back as the same double, as d.ddde±xx.
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<size_t>(end.ptr - buffer));
  std::string sign;
  if (text.starts_with('-')) {
    sign = "-";
    text.remove_prefix(1);
  }
  size_t e = text.find('e');
  int exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);
  if (exponent < -4 || exponent >= 16) {
    std::string tail = digits.size() > 1 ? "." + digits.substr(1) : "";
    std::string power = std::to_string(std::abs(exponent));
    if (power.size() < 2) power.insert(0, "0");
    return sign + digits[0] + tail + (exponent < 0 ? "e-" : "e+") + power;
  }
  if (exponent < 0)
    return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  size_t whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

Result<std::string> PythonJson(std::string_view text) {
  using Token = JsonReader::Token;
  JsonReader reader(text);
  std::string out;
  out.reserve(text.size());
  bool separate = false;  // a value came before, on the same level
  for (;;) {
    Token token = reader.Next();
    if (token == Token::kError) return reader.status();
    if (token == Token::kEnd) return out;
    bool closes = token == Token::kEndObject || token == Token::kEndArray;
    if (separate && !closes) out += ", ";
    separate = token != Token::kBeginObject && token != Token::kBeginArray && token != Token::kKey;
    if (token == Token::kKey || token == Token::kString) {
      std::optional<std::string> value = DecodeJsonString(reader.raw());
      if (!value) {
        return Status(StatusCode::kInvalidArgument, "a string holds half a surrogate pair");
      }
      AppendJsonString(*value, &out);
      if (token == Token::kKey) out += ": ";
    } else if (token == Token::kNumber) {
      out += PythonNumber(reader.raw());
    } else {
      out += reader.raw();
    }
  }
}

}  // namespace maskloom::cli
