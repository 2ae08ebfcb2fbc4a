// A schema text with a reader over it, for tests of what is read and where references lead.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "grammar/schema/schema_reader.h"

namespace maskloom {

class OpenedSchema {
 public:
  // `documents` are what the schema may refer to, by URI.
  explicit OpenedSchema(std::string text, std::map<std::string, std::string> documents = {})
      : text_(std::move(text)), documents_(std::move(documents)) {
    options.documents = [this](const std::string& uri) -> std::optional<std::string> {
      auto it = documents_.find(uri);
      return it == documents_.end() ? std::nullopt : std::optional(it->second);
    };
  }

  // Reads with the options as they are now. Requires: the text is JSON.
  SchemaReader& reader() {
    if (reader_ == nullptr) {
      Result<SchemaDocument> parsed = SchemaDocument::Parse(text_);
      EXPECT_TRUE(parsed.ok()) << parsed.status().ToString();
      document_ = std::make_unique<SchemaDocument>(std::move(*parsed));
      reader_ = std::make_unique<SchemaReader>(document_.get(), &patterns_, &options);
    }
    return *reader_;
  }
  SchemaDocument& document() {
    reader();
    return *document_;
  }
  // Returns the node at a JSON pointer without escapes in the main document.
  JsonIndex At(std::string_view pointer) {
    JsonIndex node = 0;
    while (!pointer.empty()) {
      pointer.remove_prefix(1);
      const size_t end = std::min(pointer.find('/'), pointer.size());
      const std::string token(pointer.substr(0, end));
      pointer.remove_prefix(end);
      if (document().IsArray(node)) {
        size_t steps = std::stoul(token);
        for (node = document().first(node); steps > 0; --steps) node = document().next(node);
      } else {
        node = document().Find(node, token);
      }
      EXPECT_NE(node, kNoJson) << token;
    }
    return node;
  }
  std::string PointerOf(SchemaId schema) {
    return document().Pointer(reader().schemas()->node(schema));
  }
  // Returns the pointer of what `$ref` in the schema at `pointer` leads to, or the error.
  std::string Target(std::string_view pointer) {
    Result<SchemaId> target = reader().Reference(reader().Child(reader().Root(), At(pointer)));
    return target.ok() ? PointerOf(*target) : target.status().ToString();
  }

  SchemaOptions options;

 private:
  std::string text_;
  std::map<std::string, std::string> documents_;
  PatternTable patterns_;
  std::unique_ptr<SchemaDocument> document_;
  std::unique_ptr<SchemaReader> reader_;
};

}  // namespace maskloom
