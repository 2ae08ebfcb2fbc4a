#include "runtime/cli/text_match.h"

#include <fmt/format.h>

#include <vector>

#include "grammar/base/status.h"

namespace maskloom::cli {
namespace {

constexpr size_t kShownCompletionBytes = 60;

std::string NameOfByte(unsigned byte) {
  switch (byte) {
    case ' ':
      return "space";
    case '\n':
      return "line break (\\n)";
    case '\r':
      return "carriage return (\\r)";
    case '\t':
      return "tab";
    case '\'':
      return "\"'\"";
    default:
      break;
  }
  if (byte > 0x20 && byte < 0x7F) return fmt::format("'{}'", static_cast<char>(byte));
  return fmt::format("byte {:02X}", byte);
}

// Bytes of one class make ranges; a range does not cross classes.
int ClassOf(unsigned byte) {
  if (byte >= '0' && byte <= '9') return 1;
  if (byte >= 'A' && byte <= 'Z') return 2;
  if (byte >= 'a' && byte <= 'z') return 3;
  if (byte > 0x20 && byte < 0x7F) return 4;
  return byte >= 0x80 ? 5 : 0;
}

std::string NameOfRun(unsigned first, unsigned last) {
  if (first >= 0x80) return fmt::format("bytes {:02X}-{:02X} (beyond ASCII)", first, last);
  if (ClassOf(first) == 0) return fmt::format("bytes {:02X}-{:02X}", first, last);
  return NameOfByte(first) + "-" + NameOfByte(last);
}

// Is every printable ASCII character but those in `missing` allowed? Few may be missing.
std::string DescribeMostPrintable(const std::bitset<256>& bytes) {
  std::string missing;
  int missing_count = 0;
  for (unsigned byte = 0x20; byte < 0x7F; ++byte) {
    if (bytes[byte]) continue;
    missing += (missing_count++ == 0 ? "" : ", ") + NameOfByte(byte);
  }
  if (missing_count > 6) return "";
  return missing_count == 0 ? "any printable character"
                            : fmt::format("any printable character but {}", missing);
}

}  // namespace

bool Matches(std::string_view text, Matcher* matcher) {
  matcher->Reset();
  return matcher->AcceptBytes(text) == text.size() && matcher->IsAccepting();
}

std::string DescribeBytes(const std::bitset<256>& bytes) {
  std::vector<std::string> parts;
  std::string most = DescribeMostPrintable(bytes);
  if (!most.empty()) parts.push_back(most);
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (!bytes[byte] || (!most.empty() && byte >= 0x20 && byte < 0x7F)) continue;
    unsigned last = byte;
    while (last < 255 && bytes[last + 1] && ClassOf(last + 1) == ClassOf(byte) &&
           (ClassOf(byte) != 0 || last + 1 < 0x09)) {
      ++last;
    }
    if (last - byte >= 2) {
      parts.push_back(NameOfRun(byte, last));
      byte = last;
    } else {
      parts.push_back(NameOfByte(byte));
    }
  }
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string ExplainMismatch(const std::string& text, Matcher* matcher) {
  matcher->Reset();
  size_t offset = matcher->AcceptBytes(text);
  if (offset < text.size()) matcher->AcceptBytes(std::string_view(text).substr(0, offset));
  std::bitset<256> next = matcher->NextBytes();
  std::string expected = next.any() ? DescribeBytes(next) : "";
  if (matcher->IsAccepting()) expected += expected.empty() ? "end of text" : ", or end of text";

  Status place;
  place.AtOffset(text, offset);
  std::string what =
      offset < text.size()
          ? fmt::format("at byte {} (line {}, column {})", offset, place.line(), place.column())
          : fmt::format("because the text ends too early, at byte {} (line {}, column {})", offset,
                        place.line(), place.column());
  std::string explained =
      fmt::format("{}\n{}\nexpected there: {}", what, place.excerpt(), expected);
  if (offset == text.size()) {
    std::string completion = matcher->Completion();
    if (completion.size() > kShownCompletionBytes) {
      completion.resize(kShownCompletionBytes);
      completion += "...";
    }
    explained += fmt::format("\none way to complete it: {}", completion);
  }
  return explained;
}

}  // namespace maskloom::cli
