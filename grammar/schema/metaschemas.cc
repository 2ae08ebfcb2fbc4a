// What schemas must look like, keyword by keyword, put together for each draft.
//
// Most keywords have one form in all drafts; only how the metaschema names itself differs. The
// pieces below write it as marks: @ for a schema, & for a non-empty array of schemas, % for where
// shared parts are defined.
#include "grammar/schema/metaschemas.h"

#include <initializer_list>

namespace maskloom {
namespace {

// Members of `properties`, in groups that drafts add or change as a whole.

constexpr std::string_view kNumbers = R"("maximum":{"type":"number"},"minimum":{"type":"number"})";

// Bounds that draft-04 has as flags, and the factor that it bounds by such a flag.
constexpr std::string_view kExclusiveFlags =
    R"("exclusiveMaximum":{"type":"boolean"},"exclusiveMinimum":{"type":"boolean"},)"
    R"("multipleOf":{"type":"number","minimum":0,"exclusiveMinimum":true})";
constexpr std::string_view kExclusiveBounds =
    R"("exclusiveMaximum":{"type":"number"},"exclusiveMinimum":{"type":"number"},)"
    R"("multipleOf":{"type":"number","exclusiveMinimum":0})";

constexpr std::string_view kCounts = R"("maxLength":{"$ref":"%/nonNegativeInteger"},)"
                                     R"("minLength":{"$ref":"%/nonNegativeIntegerDefault0"},)"
                                     R"("maxItems":{"$ref":"%/nonNegativeInteger"},)"
                                     R"("minItems":{"$ref":"%/nonNegativeIntegerDefault0"},)"
                                     R"("maxProperties":{"$ref":"%/nonNegativeInteger"},)"
                                     R"("minProperties":{"$ref":"%/nonNegativeIntegerDefault0"})";
constexpr std::string_view kCounts4 =
    R"("maxLength":{"$ref":"%/positiveInteger"},"minLength":{"$ref":"%/positiveIntegerDefault0"},)"
    R"("maxItems":{"$ref":"%/positiveInteger"},"minItems":{"$ref":"%/positiveIntegerDefault0"},)"
    R"("maxProperties":{"$ref":"%/positiveInteger"},)"
    R"("minProperties":{"$ref":"%/positiveIntegerDefault0"})";

constexpr std::string_view kOtherAssertions =
    R"("pattern":{"type":"string","format":"regex"},"uniqueItems":{"type":"boolean"},)"
    R"("required":{"$ref":"%/stringArray"},"type":{"anyOf":[{"$ref":"%/simpleTypes"},)"
    R"({"type":"array","items":{"$ref":"%/simpleTypes"},"minItems":1,"uniqueItems":true}]})";
constexpr std::string_view kEnum4 = R"("enum":{"type":"array","minItems":1,"uniqueItems":true})";
constexpr std::string_view kEnum = R"("enum":{"type":"array","items":true},"const":true)";
constexpr std::string_view kCountsOfContains =
    R"("maxContains":{"$ref":"%/nonNegativeInteger"},"minContains":{"$ref":"%/nonNegativeInteger"},)"
    R"("dependentRequired":{"type":"object","additionalProperties":{"$ref":"%/stringArray"}})";

constexpr std::string_view kCombiners = R"("allOf":&,"anyOf":&,"oneOf":&,"not":@)";
constexpr std::string_view kConditions = R"("if":@,"then":@,"else":@)";
constexpr std::string_view kMaps = R"("properties":{"type":"object","additionalProperties":@})";
constexpr std::string_view kPatternMap4 =
    R"("patternProperties":{"type":"object","additionalProperties":@})";
constexpr std::string_view kPatternMap =
    R"("patternProperties":{"type":"object","additionalProperties":@,)"
    R"("propertyNames":{"format":"regex"}},"propertyNames":@,"contains":@)";
constexpr std::string_view kItems = R"("items":{"anyOf":[@,&]})";
constexpr std::string_view kAdditional = R"("additionalItems":@,"additionalProperties":@)";
constexpr std::string_view kAdditional4 =
    R"("additionalItems":{"anyOf":[{"type":"boolean"},@]},)"
    R"("additionalProperties":{"anyOf":[{"type":"boolean"},@]})";
constexpr std::string_view kDependentSchemas =
    R"("dependentSchemas":{"type":"object","additionalProperties":@})";
constexpr std::string_view kDefinitions =
    R"("definitions":{"type":"object","additionalProperties":@},)"
    R"("dependencies":{"type":"object","additionalProperties":{"anyOf":[@,{"$ref":"%/stringArray"}]}})";

constexpr std::string_view kNotes4 =
    R"("title":{"type":"string"},"description":{"type":"string"},"format":{"type":"string"})";
constexpr std::string_view kNotes6 =
    R"("$id":{"type":"string","format":"uri-reference"},"$schema":{"type":"string","format":"uri"},)"
    R"("$ref":{"type":"string","format":"uri-reference"},"examples":{"type":"array"},"default":true)";
constexpr std::string_view kNotes7 =
    R"("$comment":{"type":"string"},"readOnly":{"type":"boolean"},)"
    R"("contentMediaType":{"type":"string"},"contentEncoding":{"type":"string"})";

// Shared parts.
constexpr std::string_view kParts =
    R"("nonNegativeInteger":{"type":"integer","minimum":0},)"
    R"("nonNegativeIntegerDefault0":{"allOf":[{"$ref":"%/nonNegativeInteger"}]},)"
    R"("stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true})";
constexpr std::string_view kParts4 =
    R"("positiveInteger":{"type":"integer","minimum":0},)"
    R"("positiveIntegerDefault0":{"allOf":[{"$ref":"%/positiveInteger"}]},)"
    R"("stringArray":{"type":"array","items":{"type":"string"},"minItems":1,"uniqueItems":true})";
constexpr std::string_view kTypesPart =
    R"("simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]})";
constexpr std::string_view kSchemaArray =
    R"("schemaArray":{"type":"array","minItems":1,"items":@})";

std::string JoinMembers(std::initializer_list<std::string_view> groups) {
  std::string members;
  for (std::string_view group : groups) {
    if (!members.empty()) members += ',';
    members += group;
  }
  return members;
}

// How the metaschemas of a family name themselves.
struct Names {
  std::string_view schema;  // a reference object
  std::string_view parts;   // a pointer in front of a part's name
};

std::string Substitute(std::string_view text, const Names& names) {
  std::string out;
  for (char c : text) {
    if (c == '@') {
      out += names.schema;
    } else if (c == '%') {
      out += names.parts;
    } else if (c == '&') {
      out += R"({"$ref":")" + std::string(names.parts) + R"(/schemaArray"})";
    } else {
      out += c;
    }
  }
  return out;
}

// Drafts 4 to 7: one document each.
std::string OldMetaschema(int draft) {
  const std::string uri = "http://json-schema.org/draft-0" + std::to_string(draft) + "/schema#";
  std::string properties;
  if (draft == 4) {
    properties =
        JoinMembers({R"("id":{"type":"string"},"$schema":{"type":"string"},"default":{})", kNotes4,
                     kNumbers, kExclusiveFlags, kCounts4, kOtherAssertions, kEnum4, kCombiners,
                     kMaps, kPatternMap4, kItems, kAdditional4, kDefinitions});
  } else {
    properties =
        JoinMembers({kNotes6, kNotes4, kNumbers, kExclusiveBounds, kCounts, kOtherAssertions, kEnum,
                     kCombiners, kMaps, kPatternMap, kItems, kAdditional, kDefinitions});
    if (draft == 7) properties = JoinMembers({properties, kNotes7, kConditions});
  }
  std::string text = "{";
  text += draft == 4 ? R"("id":")" : R"("$id":")";
  text += uri + R"(","$schema":")" + uri + R"(",)";
  text += draft == 4 ? R"("dependencies":{"exclusiveMaximum":["maximum"],)"
                       R"("exclusiveMinimum":["minimum"]},"type":"object",)"
                     : R"("type":["object","boolean"],)";
  text += R"("definitions":{)" +
          JoinMembers({kSchemaArray, draft == 4 ? kParts4 : kParts, kTypesPart}) +
          R"(},"properties":{)" + properties + "}}";
  return Substitute(text, {R"({"$ref":"#"})", "#/definitions"});
}

// The vocabularies of 2019-09 and 2020-12, by the last part of their names.

struct VocabularyText {
  std::string properties;
  std::string parts;
};

std::optional<VocabularyText> DescribeVocabulary(std::string_view name, bool is_2020) {
  const std::string kString = R"({"type":"string"})";
  if (name == "core") {
    VocabularyText core;
    const std::string_view anchor =
        is_2020 ? R"({"$ref":"%/anchorString"})"
                : R"({"type":"string","pattern":"^[A-Za-z][-A-Za-z0-9.:_]*$"})";
    const std::string_view uri =
        is_2020 ? R"({"$ref":"%/uriString"})" : R"({"type":"string","format":"uri"})";
    const std::string_view reference = is_2020 ? R"({"$ref":"%/uriReferenceString"})"
                                               : R"({"type":"string","format":"uri-reference"})";
    auto member = [&](const char* key, std::string_view value) {
      if (!core.properties.empty()) core.properties += ',';
      core.properties += '"' + std::string(key) + "\":" + std::string(value);
    };
    member("$id", is_2020 ? R"({"$ref":"%/uriReferenceString","pattern":"^[^#]*#?$"})"
                          : R"({"type":"string","format":"uri-reference","pattern":"^[^#]*#?$"})");
    member("$schema", uri);
    member("$anchor", anchor);
    member("$ref", reference);
    member(is_2020 ? "$dynamicRef" : "$recursiveRef", reference);
    member(is_2020 ? "$dynamicAnchor" : "$recursiveAnchor",
           is_2020 ? anchor : R"({"type":"boolean"})");
    member("$vocabulary", R"({"type":"object","propertyNames":)" + std::string(uri) +
                              R"(,"additionalProperties":{"type":"boolean"}})");
    member("$comment", kString);
    member("$defs", R"({"type":"object","additionalProperties":@})");
    if (is_2020) {
      core.parts = R"("anchorString":{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"},)"
                   R"("uriString":{"type":"string","format":"uri"},)"
                   R"("uriReferenceString":{"type":"string","format":"uri-reference"})";
    }
    return core;
  }
  if (name == "applicator") {
    return VocabularyText{
        is_2020
            ? JoinMembers({kCombiners, kConditions, kMaps, kPatternMap, kDependentSchemas,
                           R"("prefixItems":&,"items":@,"additionalProperties":@)"})
            : JoinMembers({kCombiners, kConditions, kMaps, kPatternMap, kDependentSchemas, kItems,
                           kAdditional, R"("unevaluatedItems":@,"unevaluatedProperties":@)"}),
        std::string(kSchemaArray)};
  }
  if (name == "validation") {
    return VocabularyText{JoinMembers({kNumbers, kExclusiveBounds, kCounts, kCountsOfContains,
                                       kOtherAssertions, kEnum}),
                          JoinMembers({kParts, kTypesPart})};
  }
  if (name == "meta-data") {
    return VocabularyText{R"("title":{"type":"string"},"description":{"type":"string"},)"
                          R"("default":true,"deprecated":{"type":"boolean"},)"
                          R"("readOnly":{"type":"boolean"},"writeOnly":{"type":"boolean"},)"
                          R"("examples":{"type":"array","items":true})",
                          ""};
  }
  if (name == "content") {
    return VocabularyText{R"("contentMediaType":{"type":"string"},)"
                          R"("contentEncoding":{"type":"string"},"contentSchema":@)",
                          ""};
  }
  if (name == "unevaluated" && is_2020) {
    return VocabularyText{R"("unevaluatedItems":@,"unevaluatedProperties":@)", ""};
  }
  if (is_2020 ? name == "format-annotation" || name == "format-assertion" : name == "format") {
    return VocabularyText{R"("format":{"type":"string"})", ""};
  }
  return std::nullopt;
}

// 2019-09 and 2020-12: a schema that joins those of its vocabularies.
std::optional<std::string> NewMetaschema(std::string_view path, bool is_2020) {
  const std::string base =
      is_2020 ? "https://json-schema.org/draft/2020-12/" : "https://json-schema.org/draft/2019-09/";
  const Names names{is_2020 ? R"({"$dynamicRef":"#meta"})" : R"({"$recursiveRef":"#"})", "#/$defs"};
  std::string text = R"({"$schema":")" + base + R"(schema","$id":")" + base + std::string(path) +
                     R"(",)" +
                     (is_2020 ? R"("$dynamicAnchor":"meta",)" : R"("$recursiveAnchor":true,)") +
                     R"("type":["object","boolean"],)";
  constexpr std::string_view kFolder = "meta/";
  if (path.starts_with(kFolder)) {
    const std::string_view name = path.substr(kFolder.size());
    std::optional<VocabularyText> vocabulary = DescribeVocabulary(name, is_2020);
    if (!vocabulary) return std::nullopt;
    text += R"("$vocabulary":{")" + base + "vocab/" + std::string(name) + R"(":true},)";
    if (!vocabulary->parts.empty()) text += R"("$defs":{)" + vocabulary->parts + "},";
    text += R"("properties":{)" + vocabulary->properties;
    return Substitute(text + "}}", names);
  }
  if (path != "schema") return std::nullopt;
  constexpr std::string_view kNames2019[] = {"core",      "applicator", "validation",
                                             "meta-data", "format",     "content"};
  constexpr std::string_view kNames2020[] = {"core",       "applicator", "unevaluated",
                                             "validation", "meta-data",  "format-annotation",
                                             "content"};
  std::string vocabularies;
  std::string parts;
  auto add = [&](std::string_view name) {
    const std::string separator = parts.empty() ? "" : ",";
    const bool required = name != "format";
    vocabularies += separator + '"' + base + "vocab/" + std::string(name) +
                    "\":" + (required ? "true" : "false");
    parts += separator + R"({"$ref":"meta/)" + std::string(name) + "\"}";
  };
  if (is_2020) {
    for (std::string_view name : kNames2020) add(name);
  } else {
    for (std::string_view name : kNames2019) add(name);
  }
  text += R"("$vocabulary":{)" + vocabularies + R"(},"allOf":[)" + parts + "],";
  text += R"("properties":{"definitions":{"type":"object","additionalProperties":@},)"
          R"("dependencies":{"type":"object","additionalProperties":{"anyOf":[@,)"
          R"({"$ref":"meta/validation#/$defs/stringArray"}]}})";
  if (is_2020) {
    text += R"(,"$recursiveAnchor":{"$ref":"meta/core#/$defs/anchorString"},)"
            R"("$recursiveRef":{"$ref":"meta/core#/$defs/uriReferenceString"})";
  }
  return Substitute(text + "}}", names);
}

}  // namespace

std::optional<std::string> FindMetaschema(std::string_view uri) {
  if (uri == "http://json-schema.org/draft-04/schema") return OldMetaschema(4);
  if (uri == "http://json-schema.org/draft-06/schema") return OldMetaschema(6);
  if (uri == "http://json-schema.org/draft-07/schema") return OldMetaschema(7);
  constexpr std::string_view k2019 = "https://json-schema.org/draft/2019-09/";
  constexpr std::string_view k2020 = "https://json-schema.org/draft/2020-12/";
  if (uri.starts_with(k2019)) return NewMetaschema(uri.substr(k2019.size()), false);
  if (uri.starts_with(k2020)) return NewMetaschema(uri.substr(k2020.size()), true);
  return std::nullopt;
}

}  // namespace maskloom
