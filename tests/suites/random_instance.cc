// Follows keywords as far as is easy, and leaves the rest to chance.
#include "tests/suites/random_instance.h"

#include <algorithm>
#include <cctype>

#include "tests/judge/code_points.h"
#include "tests/judge/derivatives.h"
#include "tests/judge/schema_resources.h"

namespace maskloom::suites {
namespace {

using judge::JsonTree;
using Kind = JsonTree::Kind;

constexpr int kMaxDepth = 6;

JsonTree Of(Kind kind) {
  JsonTree value;
  value.kind = kind;
  return value;
}
JsonTree NumberOf(std::string text) {
  JsonTree value = Of(Kind::kNumber);
  value.number = std::move(text);
  return value;
}
JsonTree StringOf(std::u32string text) {
  JsonTree value = Of(Kind::kString);
  value.text = std::move(text);
  return value;
}

bool IsSchema(const JsonTree* value) {
  return value != nullptr && (value->kind == Kind::kObject || value->kind == Kind::kTrue ||
                              value->kind == Kind::kFalse);
}

// A decimal with few digits: mantissa * 10^-places.
struct ShortDecimal {
  int64_t mantissa = 0;
  int places = 0;
};

ShortDecimal ReadShort(const std::string& text) {
  ShortDecimal out;
  bool point = false;
  size_t at = 0;
  for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
    if (text[at] == '.') point = true;
    if (!std::isdigit(static_cast<unsigned char>(text[at])) || out.mantissa > 100000000) continue;
    out.mantissa = out.mantissa * 10 + (text[at] - '0');
    out.places += point ? 1 : 0;
  }
  int exponent = at < text.size() ? std::atoi(text.c_str() + at + 1) : 0;
  for (out.places -= std::clamp(exponent, -6, 6); out.places < 0; ++out.places) {
    out.mantissa *= 10;
  }
  if (!text.empty() && text[0] == '-') out.mantissa = -out.mantissa;
  return out;
}

std::string WriteShort(ShortDecimal value) {
  std::string digits = std::to_string(std::abs(value.mantissa));
  size_t places = static_cast<size_t>(value.places);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, ".");
  while (places > 0 && digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return (value.mantissa < 0 ? "-" : "") + digits;
}

}  // namespace

const JsonTree* InstanceWriter::Follow(const std::u32string& reference) const {
  size_t hash = reference.rfind(U'/');
  if (reference.starts_with(U"http://schemas.test/z")) {
    for (std::u32string_view name : {U"$defs", U"definitions"}) {
      const JsonTree* definitions = root_.Find(name);
      if (definitions != nullptr) return definitions->Find(U"z");
    }
  }
  if (!reference.starts_with(U"#/") || hash < 2) return &root_;
  const JsonTree* definitions = root_.Find(reference.substr(2, hash - 2));
  return definitions == nullptr ? nullptr : definitions->Find(reference.substr(hash + 1));
}

// `schema` and what it applies to the same value, one way out of several.
void InstanceWriter::Collect(const JsonTree* schema, int depth, Facets* facets) {
  if (schema == nullptr || schema->kind != Kind::kObject || depth > 8) return;
  facets->push_back(schema);
  for (const auto& [name, value] : schema->members) {
    if (name == U"$ref" || name == U"$dynamicRef" || name == U"$recursiveRef") {
      Collect(Follow(value.text), depth + 1, facets);
    } else if (name == U"allOf") {
      for (const JsonTree& part : value.items) Collect(&part, depth + 1, facets);
    } else if ((name == U"anyOf" || name == U"oneOf") && !value.items.empty()) {
      Collect(&value.items[Below(value.items.size())], depth + 1, facets);
    } else if (name == U"if" || name == U"then") {
      if (OneIn(2)) Collect(&value, depth + 1, facets);
    } else if (name == U"dependentSchemas" || name == U"dependencies") {
      for (const auto& member : value.members) {
        if (OneIn(2)) Collect(&member.second, depth + 1, facets);
      }
    } else if (name == U"else" || name == U"not") {
      if (OneIn(4)) Collect(&value, depth + 1, facets);
    }
  }
}

JsonTree InstanceWriter::Guided() { return Draw({&root_}, 0); }

JsonTree InstanceWriter::Draw(const Facets& schemas, int depth) {
  Facets facets;
  for (const JsonTree* schema : schemas) Collect(schema, 0, &facets);
  if (facets.empty() || depth > kMaxDepth) return Arbitrary(depth > kMaxDepth ? 0 : 1);
  std::vector<std::u32string> types;
  for (const JsonTree* facet : facets) {
    const JsonTree* list = facet->Find(U"enum");
    if (list != nullptr && !list->items.empty() && !OneIn(6)) {
      return list->items[Below(list->items.size())];
    }
    const JsonTree* one = facet->Find(U"const");
    if (one != nullptr && !OneIn(6)) return *one;
    const JsonTree* type = facet->Find(U"type");
    if (type == nullptr || !types.empty()) continue;
    if (type->kind == Kind::kString) types.push_back(type->text);
    for (const JsonTree& item : type->items) types.push_back(item.text);
  }
  if (types.empty()) {
    for (const JsonTree* facet : facets) {
      for (const auto& [name, value] : facet->members) {
        if (name.ends_with(U"roperties") || name == U"required" || name.starts_with(U"dep")) {
          types.push_back(U"object");
        }
        if (name.ends_with(U"tems") || name == U"contains") types.push_back(U"array");
        if (name.ends_with(U"Length") || name == U"pattern") types.push_back(U"string");
        if (name.ends_with(U"imum") || name == U"multipleOf") types.push_back(U"number");
      }
    }
  }
  if (types.empty() || OneIn(20)) return Arbitrary(2);
  const std::u32string& type = types[Below(types.size())];
  if (type == U"object") return DrawObject(facets, depth);
  if (type == U"array") return DrawArray(facets, depth);
  if (type == U"string") return DrawString(facets);
  if (type == U"boolean") return Of(OneIn(2) ? Kind::kTrue : Kind::kFalse);
  if (type == U"null") return Of(Kind::kNull);
  return DrawNumber(facets, type == U"integer");
}

JsonTree InstanceWriter::DrawNumber(const Facets& facets, bool integer) {
  std::vector<ShortDecimal> near = {{static_cast<int64_t>(Below(12)), 0}};
  std::vector<ShortDecimal> factors;
  for (const JsonTree* facet : facets) {
    for (const auto& [name, value] : facet->members) {
      if (value.kind != Kind::kNumber) continue;
      if (name.ends_with(U"imum")) near.push_back(ReadShort(value.number));
      if (name == U"multipleOf") factors.push_back(ReadShort(value.number));
    }
  }
  ShortDecimal value = near[Below(near.size())];
  if (!factors.empty() && !OneIn(4)) {
    // The multiple of one of them next to the value.
    ShortDecimal factor = factors[Below(factors.size())];
    for (; factor.places < value.places; ++factor.places) factor.mantissa *= 10;
    for (; value.places < factor.places; ++value.places) value.mantissa *= 10;
    value.mantissa = value.mantissa / factor.mantissa * factor.mantissa;
    if (OneIn(2)) value.mantissa += OneIn(2) ? factor.mantissa : -factor.mantissa;
  } else if (OneIn(2)) {
    int64_t unit = 1;
    for (int i = 0; i < value.places && OneIn(2); ++i) unit *= 10;
    value.mantissa += OneIn(2) ? unit : -unit;
  }
  if (integer && !OneIn(8)) {
    for (; value.places > 0; --value.places) value.mantissa /= 10;
  }
  return NumberOf(WriteShort(value));
}

std::u32string InstanceWriter::DrawMatching(const std::u32string& pattern) {
  judge::RegexPool pool;
  auto parsed = pool.ParseSearch(judge::ToUtf8(pattern));
  static const char32_t* kLuck[] = {U"ab", U"ba", U"b", U"aab", U"bab ab", U"abb", U"\u00e9\u00e9"};
  if (!parsed.ok()) return kLuck[Below(std::size(kLuck))];
  judge::CodePoints alphabet = judge::CodePoints::Range(' ', '~');
  alphabet.Add(0xE9, 0xE9);
  const auto& classes = pool.Classes(alphabet);
  judge::RegexId at = *parsed;
  std::u32string text;
  for (int step = 0; step < 40; ++step) {
    if (pool.AcceptsHere(at) && OneIn(2)) break;
    // What the pattern names is in small classes: these are more likely to lead on.
    size_t best = 0;
    for (int tries = 0; tries < 4; ++tries) {
      size_t other = Below(classes.size());
      bool dead = pool.Derive(at, classes[best].ranges()[0].first) == judge::RegexPool::kNever;
      if (tries == 0 || dead || classes[other].Count() < classes[best].Count()) best = other;
    }
    const auto& range = classes[best].ranges()[Below(classes[best].ranges().size())];
    char32_t c = range.first + static_cast<uint32_t>(Below(range.second - range.first + 1));
    judge::RegexId next = pool.Derive(at, c);
    if (next == judge::RegexPool::kNever) continue;
    at = next;
    text += c;
  }
  return text;
}

JsonTree InstanceWriter::DrawString(const Facets& facets) {
  static const char32_t* kTexts[] = {U"",       U"a",          U"b", U"ab",  U"ba",
                                     U"aab",    U"1",          U"c", U"aaa", U"abab",
                                     U"\u00e9", U"\U0001F600", U" ", U"a\nb"};
  static const std::pair<const char32_t*, const char32_t*> kFormatted[] = {
      {U"date", U"2024-02-29"},
      {U"date", U"2023-02-29"},
      {U"date-time", U"2024-02-29T23:59:60Z"},
      {U"date-time", U"1999-12-31T01:02:03.5+01:00"},
      {U"time", U"12:00:00Z"},
      {U"ipv4", U"127.0.0.1"},
      {U"ipv4", U"256.0.0.1"},
      {U"ipv6", U"::1"},
      {U"ipv6", U"1:2::3:4.5.6.7"},
      {U"uuid", U"123e4567-e89b-12d3-a456-426614174000"},
      {U"email", U"a@b.c"},
      {U"uri", U"http://a.b/c?d#e"},
  };
  std::u32string text = kTexts[Below(std::size(kTexts))];
  for (const JsonTree* facet : facets) {
    const JsonTree* format = facet->Find(U"format");
    if (format != nullptr) {
      for (const auto& [name, sample] : kFormatted) {
        if (format->text == name && !OneIn(3)) text = sample;
      }
      if (OneIn(4) && !text.empty()) text[Below(text.size())] = U"09af:-.Z"[Below(8)];
    }
    const JsonTree* pattern = facet->Find(U"pattern");
    if (pattern != nullptr && !OneIn(6)) text = DrawMatching(pattern->text);
  }
  size_t length = DrawCount(facets, U"minLength", U"maxLength", text.size());
  if (OneIn(2)) {
    while (text.size() < length) text += OneIn(2) ? U'a' : U'b';
    text.resize(std::min(text.size(), length));
  }
  return StringOf(text);
}

// A count within the bounds that the facets give, or one beside them.
size_t InstanceWriter::DrawCount(const Facets& facets, std::u32string_view least,
                                 std::u32string_view most, size_t usual) {
  size_t low = 0;
  size_t high = 1000;
  for (const JsonTree* facet : facets) {
    const JsonTree* bound = facet->Find(least);
    if (bound != nullptr)
      low = std::max<size_t>(low, std::strtoul(bound->number.c_str(), nullptr, 10));
    bound = facet->Find(most);
    if (bound != nullptr)
      high = std::min<size_t>(high, std::strtoul(bound->number.c_str(), nullptr, 10));
  }
  if (OneIn(10)) return OneIn(2) ? low - (low > 0 ? 1 : 0) : std::min<size_t>(high + 1, 12);
  return std::min<size_t>(std::clamp(usual, low, std::max(low, high)), 12);
}

JsonTree InstanceWriter::DrawArray(const Facets& facets, int depth) {
  JsonTree array = Of(Kind::kArray);
  size_t usual = depth > 2 ? Below(2) : Below(4);
  for (const JsonTree* facet : facets) {
    for (std::u32string_view name : {U"prefixItems", U"items"}) {
      const JsonTree* tuple = facet->Find(name);
      if (tuple != nullptr && tuple->kind == Kind::kArray && !OneIn(3)) usual = tuple->items.size();
    }
  }
  size_t count = DrawCount(facets, U"minItems", U"maxItems", usual);
  for (size_t i = 0; i < count; ++i) {
    Facets inner;
    for (const JsonTree* facet : facets) {
      const JsonTree* prefix = facet->Find(U"prefixItems");
      const JsonTree* items = facet->Find(U"items");
      if (items != nullptr && items->kind == Kind::kArray) prefix = items;
      if (prefix != nullptr && i < prefix->items.size()) {
        inner.push_back(&prefix->items[i]);
      } else {
        for (std::u32string_view name : {U"items", U"additionalItems", U"unevaluatedItems"}) {
          const JsonTree* rest = facet->Find(name);
          if (IsSchema(rest)) inner.push_back(rest);
        }
      }
      const JsonTree* contains = facet->Find(U"contains");
      if (contains != nullptr && OneIn(2)) inner.push_back(contains);
    }
    bool repeat = !array.items.empty() && OneIn(10);
    array.items.push_back(repeat ? array.items[Below(array.items.size())] : Draw(inner, depth + 1));
  }
  return array;
}

std::u32string InstanceWriter::DrawKey(const Facets& facets) {
  static const char32_t* kKeys[] = {U"a", U"b", U"ab", U"c", U"", U"\u00e9", U"a\"", U"ba", U"d"};
  for (const JsonTree* facet : facets) {
    const JsonTree* patterns = facet->Find(U"patternProperties");
    if (patterns != nullptr && !patterns->members.empty() && OneIn(2)) {
      return DrawMatching(patterns->members[Below(patterns->members.size())].first).substr(0, 4);
    }
    const JsonTree* properties = facet->Find(U"properties");
    if (properties != nullptr && !properties->members.empty() && !OneIn(3)) {
      return properties->members[Below(properties->members.size())].first;
    }
  }
  return kKeys[Below(std::size(kKeys))];
}

JsonTree InstanceWriter::DrawObject(const Facets& facets, int depth) {
  std::vector<std::u32string> keys;
  for (const JsonTree* facet : facets) {
    const JsonTree* required = facet->Find(U"required");
    for (size_t i = 0; required != nullptr && i < required->items.size(); ++i) {
      if (!OneIn(10)) keys.push_back(required->items[i].text);
    }
    const JsonTree* properties = facet->Find(U"properties");
    for (size_t i = 0; properties != nullptr && i < properties->members.size(); ++i) {
      if (OneIn(depth > 2 ? 4 : 2)) keys.push_back(properties->members[i].first);
    }
  }
  size_t count = DrawCount(facets, U"minProperties", U"maxProperties", keys.size() + Below(2));
  for (int tries = 0; keys.size() < count && tries < 10; ++tries) keys.push_back(DrawKey(facets));
  JsonTree object = Of(Kind::kObject);
  for (const std::u32string& key : keys) {
    if (object.Find(key) != nullptr) continue;
    Facets inner;
    for (const JsonTree* facet : facets) {
      const JsonTree* properties = facet->Find(U"properties");
      const JsonTree* property = properties == nullptr ? nullptr : properties->Find(key);
      if (property != nullptr) {
        inner.push_back(property);
        continue;
      }
      for (std::u32string_view name :
           {U"additionalProperties", U"unevaluatedProperties", U"patternProperties"}) {
        const JsonTree* rest = facet->Find(name);
        if (name == U"patternProperties" && rest != nullptr) {
          rest =
              rest->members.empty() ? nullptr : &rest->members[Below(rest->members.size())].second;
        }
        if (rest != nullptr && OneIn(2)) inner.push_back(rest);
      }
    }
    object.members.emplace_back(key, Draw(inner, depth + 1));
  }
  return object;
}

JsonTree InstanceWriter::Arbitrary(int depth) {
  static const char* kNumbers[] = {"0", "1", "2", "-1", "0.5", "10", "3", "100", "1.5", "0.01"};
  switch (Below(depth > 0 ? 8 : 5)) {
    case 0:
      return Of(Kind::kNull);
    case 1:
      return Of(OneIn(2) ? Kind::kTrue : Kind::kFalse);
    case 2:
    case 3:
      return NumberOf(kNumbers[Below(std::size(kNumbers))]);
    case 4:
      return DrawString({});
    case 5: {
      JsonTree array = Of(Kind::kArray);
      for (size_t i = Below(4); i > 0; --i) array.items.push_back(Arbitrary(depth - 1));
      return array;
    }
    default: {
      JsonTree object = Of(Kind::kObject);
      for (size_t i = Below(4); i > 0; --i) {
        std::u32string key = DrawKey({});
        if (object.Find(key) == nullptr) object.members.emplace_back(key, Arbitrary(depth - 1));
      }
      return object;
    }
  }
}

JsonTree* InstanceWriter::AnyNode(JsonTree* value) {
  size_t children = value->items.size() + value->members.size();
  if (children == 0 || OneIn(3)) return value;
  size_t pick = Below(children);
  if (pick < value->items.size()) return AnyNode(&value->items[pick]);
  return AnyNode(&value->members[pick - value->items.size()].second);
}

JsonTree InstanceWriter::Mutated(JsonTree value) {
  JsonTree* node = AnyNode(&value);
  if (OneIn(5)) {
    *node = Arbitrary(1);
    return value;
  }
  switch (node->kind) {
    case Kind::kNumber: {
      ShortDecimal number = ReadShort(node->number);
      if (OneIn(3)) number = {number.mantissa * 10, number.places + 1};
      number.mantissa += OneIn(2) ? 1 : -1;
      node->number = WriteShort(number);
      break;
    }
    case Kind::kString:
      if (node->text.empty() || OneIn(2)) {
        node->text.insert(Below(node->text.size() + 1), 1, U"ab1 \u00e9"[Below(5)]);
      } else {
        node->text.erase(Below(node->text.size()), 1);
      }
      break;
    case Kind::kArray:
      if (node->items.empty() || OneIn(4)) {
        node->items.push_back(Arbitrary(1));
      } else if (OneIn(3)) {
        node->items.erase(node->items.begin() + static_cast<ptrdiff_t>(Below(node->items.size())));
      } else {
        node->items.push_back(node->items[Below(node->items.size())]);
        std::swap(node->items.back(), node->items[Below(node->items.size())]);
      }
      break;
    case Kind::kObject: {
      std::u32string key = DrawKey({&root_});
      if (node->members.empty() || OneIn(3)) {
        if (node->Find(key) == nullptr) node->members.emplace_back(key, Arbitrary(1));
      } else if (OneIn(2)) {
        node->members.erase(node->members.begin() +
                            static_cast<ptrdiff_t>(Below(node->members.size())));
      } else if (node->Find(key) == nullptr) {
        node->members[Below(node->members.size())].first = key;
      }
      break;
    }
    default:
      *node = Arbitrary(1);
  }
  return value;
}

namespace {

class Speller {
 public:
  explicit Speller(std::mt19937_64* random) : random_(*random), plain_(OneIn(2)) {}

  std::string Value(const JsonTree& value) {
    std::string list;
    switch (value.kind) {
      case Kind::kNumber:
        return Number(value.number);
      case Kind::kString:
        return Text(value.text);
      case Kind::kArray:
        for (const JsonTree& item : value.items) {
          list += (list.empty() ? "" : ",") + Blank() + Value(item) + Blank();
        }
        return "[" + (list.empty() ? Blank() : list) + "]";
      case Kind::kObject: {
        std::vector<size_t> order(value.members.size());
        for (size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::shuffle(order.begin(), order.end(), random_);
        for (size_t i : order) {
          const auto& [name, member] = value.members[i];
          list += (list.empty() ? "" : ",") + Blank() + Text(name) + Blank() + ":" + Blank() +
                  Value(member) + Blank();
        }
        return "{" + (list.empty() ? Blank() : list) + "}";
      }
      default:
        return judge::ToJsonText(value);
    }
  }

 private:
  bool OneIn(size_t count) { return random_() % count == 0; }
  std::string Blank() { return plain_ || !OneIn(4) ? "" : OneIn(3) ? "\n " : " "; }

  std::string Number(const std::string& text) {
    bool whole = text.find_first_of(".eE") == std::string::npos;
    if (plain_ || OneIn(2)) return text;
    if (text.find_first_of("eE") != std::string::npos) return text;
    if (!whole) return text + (OneIn(2) ? "0" : OneIn(2) ? "e0" : "E+00");
    if (text.size() > 1 && text.back() == '0' && text != "-0" && OneIn(2)) {
      return text.substr(0, text.size() - 1) + "e1";
    }
    bool zero = text == "0" || text == "-0";
    return text + (OneIn(2) ? ".0" : zero || OneIn(2) ? "e0" : "0e-1");
  }

  std::string Text(const std::u32string& text) {
    if (plain_) return judge::ToJsonText(text);
    std::string out = "\"";
    for (char32_t c : text) {
      if (c < 0x10000 && OneIn(6)) {
        char escape[8];
        std::snprintf(escape, sizeof(escape), OneIn(2) ? "\\u%04x" : "\\u%04X",
                      static_cast<unsigned>(c));
        out += escape;
      } else {
        std::string quoted = judge::ToJsonText(std::u32string(1, c));
        out += quoted.substr(1, quoted.size() - 2);
      }
    }
    return out + "\"";
  }

  std::mt19937_64& random_;
  bool plain_;  // without white space, escapes and variants
};

}  // namespace

const std::vector<JsonTree>& SmallValues() {
  static const std::vector<JsonTree> kValues = [] {
    std::vector<std::string> texts = {"null", "true",  "false", "0",      "1",       "2",    "3",
                                      "-1",   "1.5",   "10",    "0.3",    "100",     "1.0",  "{}",
                                      "\"\"", "\"a\"", "\"b\"", "\"ab\"", "\"aab\"", "\"1\""};
    const std::vector<std::string> items = {"0", "1", "\"a\"", "null", "[]", "1.0"};
    texts.push_back("[]");
    for (const std::string& a : items) {
      texts.push_back("[" + a + "]");
      for (const std::string& b : items) {
        texts.push_back("[" + a + "," + b + "]");
        for (const char* c : {"0", "\"a\"", "{}"})
          texts.push_back("[" + a + "," + b + "," + c + "]");
      }
    }
    for (const char* a : {"", "0", "1", "\"a\"", "{}"}) {
      for (const char* b : {"", "0", "\"b\"", "[0]"}) {
        for (const char* ab : {"", "0", "null"}) {
          std::string members;
          for (auto [key, value] : {std::pair{"\"a\":", a}, {"\"b\":", b}, {"\"ab\":", ab}}) {
            if (*value != '\0') members += (members.empty() ? "" : ",") + std::string(key) + value;
          }
          texts.push_back("{" + members + "}");
        }
      }
    }
    for (const char* text : {"{\"a\":{\"a\":0}}", "{\"c\":1}", "{\"\":1}", "[[0],[0]]",
                             "{\"a\":{\"b\":1},\"b\":{\"a\":1}}", "[{\"a\":0},{\"a\":1}]",
                             "[0,1,2,3]", "[0,1,0,1,0]", "{\"a\":[{\"a\":[]}]}"}) {
      texts.push_back(text);
    }
    std::vector<JsonTree> values;
    for (const std::string& text : texts) values.push_back(*judge::ParseJsonTree(text));
    return values;
  }();
  return kValues;
}

std::string Spell(const JsonTree& value, std::mt19937_64* random) {
  return Speller(random).Value(value);
}

}  // namespace maskloom::suites
