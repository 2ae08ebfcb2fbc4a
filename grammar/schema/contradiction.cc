// Leaves out keywords for as long as what remains is still unsatisfiable.
//
// Nothing satisfies a schema for reasons that only late stages know: the automaton of a pattern has
// no text of the length allowed, an array runs out of distinct items. Rather than carry places
// through all stages, the schema is read again without some keyword occurrences: what can be left
// out is no part of the contradiction. Runs of half the occurrences are tried first, then of a
// quarter, and so on down to single ones, so that a large schema takes about as many trials as the
// contradiction is long, times the logarithm of its size.
//
// This is sound as long as leaving a keyword out can only admit more values. So these stay, or go
// with what they stand in:
//   - what is below `not`, `if`, `oneOf` and `contains`, and in schemas that these refer to: a
//     weaker test may refuse more. Such a keyword is one with all below it.
//   - what another keyword looks at while that is there: `properties` beside
//     `additionalProperties`, `items` beside `additionalItems`, all that evaluates where something
//     is unevaluated, `minContains` (which may be 0) beside `contains`.
//   - `nullable`, which admits.
#include "grammar/schema/contradiction.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grammar/schema/keyword_table.h"
#include "grammar/schema/schema_document.h"

namespace maskloom {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kMaxTime(200);
constexpr size_t kMaxNamed = 8;

// A keyword that takes part in the language.
struct Occurrence {
  std::string pointer;
  std::string target;  // of a reference

  std::string_view schema() const {
    return std::string_view(pointer).substr(0, pointer.rfind('/'));
  }
  std::string_view name() const { return std::string_view(pointer).substr(pointer.rfind('/') + 1); }
  const KeywordRow* row() const { return FindKeyword(name()); }
  bool IsReference() const {
    return name() == "$ref" || name() == "$dynamicRef" || name() == "$recursiveRef";
  }
  // Does it test a value, so that what is below it cannot be weakened?
  bool IsTest() const {
    return name() == "not" || name() == "if" || name() == "oneOf" || name() == "contains";
  }
  bool HoldsSchemas() const { return row() != nullptr && row()->children != kNoChildren; }
  bool Constrains(uint8_t types) const {
    return row() != nullptr && row()->types != 0 && row()->types != types;
  }
};

// Is `pointer` strictly below `place`, or at it too? All is below the root, also other documents,
// which it may refer to.
bool IsBelow(std::string_view pointer, std::string_view place, bool or_at = false) {
  if (place.empty()) return or_at || !pointer.empty();
  if (!pointer.starts_with(place)) return false;
  return pointer.size() == place.size() ? or_at : pointer[place.size()] == '/';
}

// Does a keyword beside the one called `name` apply to what that leaves over? `beside` says which
// are there.
bool IsLookedAt(std::string_view name, const std::function<bool(const char*)>& beside) {
  if (name == "properties" || name == "patternProperties") return beside("additionalProperties");
  return (name == "prefixItems" && beside("items")) ||
         (name == "items" && beside("additionalItems"));
}

class Search {
 public:
  // All arguments must outlive the search.
  Search(std::string_view text, const SchemaOptions& options,
         const std::function<bool(Grammar)>& is_empty)
      : text_(text), options_(options), is_empty_(is_empty), end_(Clock::now() + kMaxTime) {
    options_.explain = false;
    if (options.documents == nullptr) return;
    options_.documents = [this, &options](const std::string& uri) {
      auto [it, is_new] = documents_.try_emplace(uri);
      if (is_new) it->second = options.documents(uri);
      return it->second;
    };
  }

  // Returns whether nothing satisfies the schema at all; then kept() is what is left of it.
  bool Run() {
    if (!Try({})) return false;
    for (size_t size = std::max<size_t>(1, kept_.size() / 2);;) {
      const bool changed = Pass(size);
      if (size == 1 && (!changed || exhausted_)) return true;
      size = std::max<size_t>(1, size / 2);
    }
  }

  const std::vector<Occurrence>& kept() const { return kept_; }
  bool exhausted() const { return exhausted_; }

  // Is it below a test in the same schema?
  bool IsInTest(const Occurrence& occurrence) const {
    return std::any_of(kept_.begin(), kept_.end(), [&](const Occurrence& other) {
      return other.IsTest() && IsBelow(occurrence.pointer, other.pointer);
    });
  }

 private:
  // Tries every run of `size` occurrences. Returns whether some could be left out.
  bool Pass(size_t size) {
    bool changed = false;
    for (size_t begin = 0; begin < kept_.size();) {
      const std::set<std::string> run = Removable(begin, std::min(begin + size, kept_.size()));
      if (!run.empty() && (trials_ >= kMaxContradictionTrials || Clock::now() > end_)) {
        exhausted_ = true;
        return changed;
      }
      if (!run.empty() && Try(run)) {
        changed = true;
      } else {
        begin += size;
      }
    }
    return changed;
  }

  // Is the schema without these, too, unsatisfiable? Then they are left out from now on.
  bool Try(const std::set<std::string>& run) {
    ++trials_;
    std::set<std::string> ignored = ignored_;
    ignored.insert(run.begin(), run.end());
    options_.ignored = &ignored;
    SchemaReport report;
    Result<Grammar> grammar = ParseJsonSchema(text_, options_, &report);
    const bool is_empty = grammar.ok() ? is_empty_(std::move(*grammar))
                                       : grammar.status().code() == StatusCode::kUnsatisfiable;
    options_.ignored = nullptr;
    if (!is_empty) return false;
    ignored_ = std::move(ignored);
    kept_.clear();
    for (const KeywordReport& keyword : report.keywords) {
      if (keyword.outcome == KeywordReport::Outcome::kAnnotation) continue;
      const auto target = report.targets.find(keyword.pointer);
      kept_.push_back({keyword.pointer, target != report.targets.end() ? target->second : ""});
    }
    return true;
  }

  // Returns those of a run that may be left out together.
  std::set<std::string> Removable(size_t begin, size_t end) const {
    const std::vector<std::string> tested = TestedPlaces();
    std::set<std::string, std::less<>> others;  // those that stay
    bool looks_at_evaluated = options_.closed;
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (i >= begin && i < end) continue;
      others.insert(kept_[i].pointer);
      looks_at_evaluated |= kept_[i].name().starts_with("unevaluated");
    }
    std::set<std::string> run;
    for (size_t i = begin; i < end; ++i) {
      const Occurrence& occurrence = kept_[i];
      const std::string_view name = occurrence.name();
      const auto beside = [&](const char* sibling) {
        return others.count(std::string(occurrence.schema()) + "/" + sibling) != 0;
      };
      const bool is_tested =
          std::any_of(tested.begin(), tested.end(),
                      [&](const std::string& place) { return IsBelow(occurrence.pointer, place); });
      const bool evaluates =
          occurrence.IsReference() || (occurrence.HoldsSchemas() && name != "not");
      if (is_tested || name == "nullable" || (looks_at_evaluated && evaluates) ||
          (name == "minContains" && beside("contains")) || IsLookedAt(name, beside)) {
        continue;
      }
      run.insert(occurrence.pointer);
    }
    return run;
  }

  // Returns the places below which keywords test values.
  std::vector<std::string> TestedPlaces() const {
    std::vector<std::string> places;
    for (const Occurrence& occurrence : kept_) {
      if (occurrence.IsTest()) places.push_back(occurrence.pointer);
    }
    std::set<std::string> known;
    for (size_t i = 0; i < places.size(); ++i) {
      for (const Occurrence& occurrence : kept_) {
        if (!occurrence.IsReference() || !IsBelow(occurrence.pointer, places[i])) continue;
        // Where a dynamic reference leads depends on the way to it: anywhere.
        std::string target = occurrence.name() == "$ref" ? occurrence.target : "";
        if (known.insert(target).second) places.push_back(std::move(target));
      }
    }
    return places;
  }

  std::string_view text_;
  SchemaOptions options_;
  const std::function<bool(Grammar)>& is_empty_;
  const Clock::time_point end_;
  std::map<std::string, std::optional<std::string>> documents_;  // so that each is asked for once
  int trials_ = 0;
  bool exhausted_ = false;
  std::set<std::string> ignored_;
  std::vector<Occurrence> kept_;  // in document order
};

// Returns the schemas `false` that a keyword holds.
std::vector<JsonIndex> FalseParts(const SchemaDocument& document, JsonIndex keyword) {
  std::vector<JsonIndex> parts;
  for (JsonIndex part = document.first(keyword); part != kNoJson; part = document.next(part)) {
    if (document.kind(part) == JsonKind::kFalse) parts.push_back(part);
  }
  return parts;
}

// Returns the pointers to name, deepest first: of keywords that hold others the others, and nothing
// where they only say to what another applies; `type` only
// where it does more than to say which of its neighbours apply; references only where hardly
// anything else is named.
std::vector<std::string> Names(const Search& search, const SchemaDocument& document) {
  std::vector<std::string> names;
  std::vector<std::string> references;
  const std::vector<Occurrence>& kept = search.kept();
  for (const Occurrence& occurrence : kept) {
    if (search.IsInTest(occurrence) || occurrence.name() == "nullable") continue;
    const auto is_explained = [&](const Occurrence& other) {
      if (occurrence.name() == "type") {
        return other.schema() == occurrence.schema() && other.name() != "type" &&
               other.Constrains(kAllTypes);
      }
      return occurrence.HoldsSchemas() && !occurrence.IsTest() &&
             IsBelow(other.pointer, occurrence.pointer);
    };
    if (std::any_of(kept.begin(), kept.end(), is_explained)) continue;
    std::string pointer = occurrence.pointer;
    if (occurrence.HoldsSchemas() && !occurrence.IsTest()) {
      const JsonIndex node = document.AtPointer(pointer);
      const auto parts = node != kNoJson ? FalseParts(document, node) : std::vector<JsonIndex>();
      if (parts.size() == 1) pointer = document.Pointer(parts[0]);
      if (parts.empty() && IsLookedAt(occurrence.name(), [&](const char* name) {
            return std::any_of(kept.begin(), kept.end(), [&](const Occurrence& other) {
              return other.schema() == occurrence.schema() && other.name() == name;
            });
          })) {
        continue;
      }
    }
    (occurrence.IsReference() ? references : names).push_back(std::move(pointer));
  }
  if (names.size() < 2) names.insert(names.end(), references.begin(), references.end());
  const auto depth = [](const std::string& pointer) {
    return std::count(pointer.begin(), pointer.end(), '/');
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return depth(a) > depth(b); });
  return names;
}

std::string Message(const std::vector<std::string>& names, bool is_minimal) {
  std::string message = "no JSON value satisfies this schema; impossible";
  if (!is_minimal) message += " (not all of these may be needed)";
  message += ": ";
  const size_t named = std::min(names.size(), kMaxNamed);
  for (size_t i = 0; i < named; ++i) {
    const bool is_last = i + 1 == names.size();
    message += i == 0 ? "" : i == 1 ? " together with " : is_last ? " and " : ", ";
    message += "\"" + names[i] + "\"";
  }
  if (named < names.size()) message += " and " + std::to_string(names.size() - named) + " more";
  return message;
}

}  // namespace

std::optional<Status> ExplainContradiction(std::string_view text, const SchemaOptions& options,
                                           const std::function<bool(Grammar)>& is_empty) {
  Search search(text, options, is_empty);
  if (!search.Run()) return std::nullopt;
  Result<SchemaDocument> document = SchemaDocument::Parse(text);
  if (!document.ok()) return std::nullopt;
  const std::vector<std::string> names = Names(search, *document);
  if (names.empty()) return std::nullopt;
  std::string message = Message(names, !search.exhausted());
  const JsonIndex node = document->AtPointer(names[0]);
  if (node != kNoJson) {
    return document->ErrorAt(node, StatusCode::kUnsatisfiable, std::move(message));
  }
  return Status(StatusCode::kUnsatisfiable, std::move(message)).WithPointer(names[0]);
}

}  // namespace maskloom
