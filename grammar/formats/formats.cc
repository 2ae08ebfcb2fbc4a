// The table of formats, one row each, and the cache of their automata.
#include "grammar/formats/formats.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "grammar/formats/definitions.h"
#include "grammar/regular/regular.h"

namespace maskloom {
namespace {

using Build = Result<TextAutomaton> (*)();
constexpr uint16_t kLast = Format::kLastDraft;
constexpr FormatKind kString = FormatKind::kString;
constexpr FormatKind kNumber = FormatKind::kNumber;
constexpr FormatKind kAnnotation = FormatKind::kAnnotation;
constexpr std::string_view kRegistry = "OpenAPI Format Registry";
constexpr std::string_view kAnyContent = "texts of any content";
constexpr uint64_t kMaxHostLength = 253;  // RFC 1035, section 2.3.4, without length octets

// Sorted by name.
constexpr Format kFormats[] = {
    {"base64url", kAnnotation, 0, 0, kRegistry, "not checked by validators"},
    {"binary", kAnnotation, 0, 0, kRegistry, kAnyContent},
    {"byte", kAnnotation, 0, 0, kRegistry,
     "RFC 4648 section 4; schemas in use label other texts with it, and validators do not check "
     "it"},
    {"color", kString, 3, 3, "CSS 2.1, section 4.3.6"},
    {"commonmark", kAnnotation, 0, 0, kRegistry, kAnyContent},
    {"date", kString, 3, kLast, "RFC 3339, section 5.6, full-date"},
    {"date-time", kString, 3, kLast, "RFC 3339, section 5.6, date-time",
     "leap seconds under offsets of whole quarters of an hour"},
    {"double", kAnnotation, 0, 0, kRegistry, "any number is rounded to one"},
    {"duration", kString, 2019, kLast, "RFC 3339, appendix A, duration"},
    {"email", kString, 3, kLast, "RFC 5321, section 4.1.2, Mailbox"},
    {"float", kAnnotation, 0, 0, kRegistry, "any number is rounded to one"},
    {"host-name", kString, 3, 3, "RFC 1123, section 2.1", "Punycode of A-labels", 1,
     kMaxHostLength},
    {"hostname", kString, 4, kLast, "RFC 1123, section 2.1", "Punycode of A-labels", 1,
     kMaxHostLength},
    {"html", kAnnotation, 0, 0, kRegistry, kAnyContent},
    {"idn-email", kString, 7, kLast, "RFC 6531, section 3.3, Mailbox"},
    {"idn-hostname", kString, 7, kLast, "RFC 5890, section 2.3.2.3",
     "lengths of labels, Normalization Form C, Punycode of A-labels", 1, kMaxHostLength},
    {"int16", kNumber, 0, 0, kRegistry},
    {"int32", kNumber, 0, 0, kRegistry},
    {"int64", kNumber, 0, 0, kRegistry},
    {"int8", kNumber, 0, 0, kRegistry},
    {"ip-address", kString, 3, 3, "RFC 2673, section 3.2"},
    {"ipv4", kString, 4, kLast, "RFC 2673, section 3.2, dotted-quad"},
    {"ipv6", kString, 3, kLast, "RFC 4291, section 2.2"},
    {"iri", kString, 7, kLast, "RFC 3987, section 2.2, IRI"},
    {"iri-reference", kString, 7, kLast, "RFC 3987, section 2.2, IRI-reference"},
    {"json-pointer", kString, 6, kLast, "RFC 6901, section 5"},
    {"password", kAnnotation, 0, 0, kRegistry, kAnyContent},
    {"phone", kAnnotation, 3, 3, "draft-03, section 5.23", "E.123 is a recommendation"},
    {"regex", kString, 3, kLast, "ECMA-262, section 22.2.1, with the u flag",
     "the whole syntax; valid patterns beyond a subset are rejected, see docs/json-schema.md"},
    {"relative-json-pointer", kString, 7, kLast, "draft-bhutton-relative-json-pointer-00"},
    {"style", kAnnotation, 3, 3, "draft-03, section 5.23", "a CSS declaration; not checked"},
    {"time", kString, 3, kLast, "RFC 3339, section 5.6, full-time",
     "leap seconds under offsets of whole quarters of an hour"},
    {"uint16", kNumber, 0, 0, kRegistry},
    {"uint32", kNumber, 0, 0, kRegistry},
    {"uint64", kNumber, 0, 0, kRegistry},
    {"uint8", kNumber, 0, 0, kRegistry},
    {"uri", kString, 3, kLast, "RFC 3986, appendix A, URI"},
    {"uri-reference", kString, 6, kLast, "RFC 3986, appendix A, URI-reference"},
    {"uri-template", kString, 6, kLast, "RFC 6570, section 1.5"},
    {"url", kString, 0, 0, "ajv-formats; RFC 3986, appendix A, URI"},
    {"utc-millisec", kAnnotation, 3, 3, "draft-03, section 5.23", "any number is one"},
    {"uuid", kString, 2019, kLast, "RFC 9562, section 4"},
};

// In the order of kFormats; null for kinds without an automaton.
constexpr std::pair<std::string_view, Build> kBuilders[] = {
    {"color", BuildCssColor},
    {"date", BuildDate},
    {"date-time", BuildDateTime},
    {"duration", BuildDuration},
    {"email", BuildEmail},
    {"host-name", BuildHostname},
    {"hostname", BuildHostname},
    {"idn-email", BuildIdnEmail},
    {"idn-hostname", BuildIdnHostname},
    {"ip-address", BuildIpv4},
    {"ipv4", BuildIpv4},
    {"ipv6", BuildIpv6},
    {"iri", BuildIri},
    {"iri-reference", BuildIriReference},
    {"json-pointer", BuildJsonPointer},
    {"regex", BuildRegex},
    {"relative-json-pointer", BuildRelativeJsonPointer},
    {"time", BuildTime},
    {"uri", BuildUri},
    {"uri-reference", BuildUriReference},
    {"uri-template", BuildUriTemplate},
    {"url", BuildUri},
    {"uuid", BuildUuid},
};

struct IntegerBounds {
  std::string_view name;
  std::string_view lower;
  std::string_view upper;
};
constexpr IntegerBounds kIntegers[] = {
    {"int16", "-32768", "32767"},
    {"int32", "-2147483648", "2147483647"},
    {"int64", "-9223372036854775808", "9223372036854775807"},
    {"int8", "-128", "127"},
    {"uint16", "0", "65535"},
    {"uint32", "0", "4294967295"},
    {"uint64", "0", "18446744073709551615"},
    {"uint8", "0", "255"},
};

// An automaton that is built once, by whoever asks first.
class Slot {
 public:
  Result<std::shared_ptr<const TextAutomaton>> Get(Build build) {
    std::call_once(once_, [&] {
      Result<TextAutomaton> built = build();
      if (built.ok()) {
        automaton_ = std::make_shared<const TextAutomaton>(std::move(*built));
      } else {
        status_ = built.status();
      }
    });
    if (automaton_ == nullptr) return status_;
    return automaton_;
  }

 private:
  std::once_flag once_;
  std::shared_ptr<const TextAutomaton> automaton_;
  Status status_;
};

// Rows with one builder share its slot. Never destroyed, so threads may outlive main.
Slot& SlotOf(Build build) {
  static auto* slots = new std::array<Slot, std::size(kBuilders) + 1>;
  for (size_t i = 0; i < std::size(kBuilders); ++i) {
    if (kBuilders[i].second == build) return (*slots)[i];
  }
  return slots->back();
}

template <typename Row>
const Row* FindRow(std::span<const Row> rows, std::string_view name,
                   std::string_view (*key)(const Row&)) {
  const auto found = std::partition_point(rows.begin(), rows.end(),
                                          [&](const Row& row) { return key(row) < name; });
  return found != rows.end() && key(*found) == name ? &*found : nullptr;
}

}  // namespace

Result<TextAutomaton> AutomatonOfAbnf(std::string_view text, std::string_view root,
                                      const AbnfClasses& classes) {
  ExprPool pool;
  Result<ExprId> expr = ReadAbnf(text, root, classes, &pool);
  if (!expr.ok()) return expr.status();
  return BuildAutomaton(pool, *expr);
}

std::span<const Format> AllFormats() { return kFormats; }

const Format* FindFormat(std::string_view name) {
  return FindRow<Format>(kFormats, name, [](const Format& format) { return format.name; });
}

Result<std::shared_ptr<const TextAutomaton>> FormatAutomaton(const Format& format) {
  using Row = std::pair<std::string_view, Build>;
  const Row* row =
      FindRow<Row>(kBuilders, format.name, [](const Row& builder) { return builder.first; });
  if (row == nullptr) {
    return Status(StatusCode::kInvalidArgument,
                  "format " + std::string(format.name) + " has no language of texts");
  }
  return SlotOf(row->second).Get(row->second);
}

FormatNumberCondition FormatNumbers(const Format& format) {
  const IntegerBounds* row = FindRow<IntegerBounds>(
      kIntegers, format.name, [](const IntegerBounds& bounds) { return bounds.name; });
  if (row == nullptr) return {};
  return {true, Decimal::Parse(row->lower), Decimal::Parse(row->upper)};
}

Result<std::shared_ptr<const TextAutomaton>> Base64Automaton() {
  return SlotOf(BuildBase64).Get(BuildBase64);
}

}  // namespace maskloom
