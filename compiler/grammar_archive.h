// How the tables of a compiled grammar lie in a file: archive.h, and what only they need.
//
// Automata are shared between tables, so each is written where it is met first and named by its
// number from then on. What is described once (`Describe` of each table) is both written and read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/archive.h"
#include "grammar/base/text_automaton.h"
#include "tsl/robin_map.h"

namespace maskloom {

class GrammarWriter : public ArchiveWriter {
 public:
  template <typename T>
  void Part(const T& part) {
    T::Describe(*this, part);
  }
  template <typename T>
  void Parts(const std::vector<T>& parts) {
    WriteList(parts, [this](const T& part) { Part(part); });
  }
  template <typename T>
  void PartLists(const std::vector<std::vector<T>>& lists) {
    WriteList(lists, [this](const std::vector<T>& list) { Parts(list); });
  }
  template <typename T>
  void ArrayLists(const std::vector<std::vector<T>>& lists) {
    WriteList(lists, [this](const std::vector<T>& list) { Array(list); });
  }
  void Bits(const std::vector<bool>& bits) {
    Array(std::vector<uint8_t>(bits.begin(), bits.end()));
  }
  template <typename T>
  void OptionalPart(const std::optional<T>& part) {
    Value(part.has_value());
    if (part) Part(*part);
  }
  template <typename T>
  void OptionalParts(const std::optional<std::vector<T>>& parts) {
    Value(parts.has_value());
    if (parts) Parts(*parts);
  }
  template <typename Pointer>  // null or to a struct with Describe
  void PartBehind(const Pointer& part) {
    Value(part != nullptr);
    if (part != nullptr) Part(*part);
  }
  void Automaton(const std::shared_ptr<const TextAutomaton>& automaton) {
    if (automaton == nullptr) return Value(uint64_t{0});
    const auto [it, is_new] = automata_.try_emplace(automaton.get(), automata_.size() + 1);
    Value(uint64_t{it->second});
    if (is_new) Part(*automaton);
  }

 private:
  tsl::robin_map<const TextAutomaton*, uint64_t> automata_;
};

// Views that it gives live as long as what keeps the archive.
class GrammarReader : public ArchiveReader {
 public:
  explicit GrammarReader(ArchiveReader archive) : ArchiveReader(std::move(archive)) {}

  template <typename T>
  void Part(T& part) {
    T::Describe(*this, part);
  }
  template <typename T>
  void Parts(std::vector<T>& parts) {
    ReadList(parts, [this](T& part) { Part(part); });
  }
  template <typename T>
  void PartLists(std::vector<std::vector<T>>& lists) {
    ReadList(lists, [this](std::vector<T>& list) { Parts(list); });
  }
  template <typename T>
  void ArrayLists(std::vector<std::vector<T>>& lists) {
    ReadList(lists, [this](std::vector<T>& list) { Array(list); });
  }
  void Bits(std::vector<bool>& bits) {
    const FlatArray<uint8_t> bytes = Array<uint8_t>();
    bits.assign(bytes.begin(), bytes.end());
  }
  template <typename T>
  void OptionalPart(std::optional<T>& part) {
    if (Value<bool>()) Part(part.emplace());
  }
  template <typename T>
  void OptionalParts(std::optional<std::vector<T>>& parts) {
    if (Value<bool>()) Parts(parts.emplace());
  }
  template <typename T>
  void PartBehind(std::shared_ptr<const T>& part) {
    if (!Value<bool>()) return;
    auto read = std::make_shared<T>();
    Part(*read);
    part = std::move(read);
  }
  void Automaton(std::shared_ptr<const TextAutomaton>& automaton) {
    const uint64_t number = Value<uint64_t>();
    if (number == 0) return;
    if (number <= automata_.size()) {
      automaton = automata_[number - 1];
      return;
    }
    auto read = std::make_shared<TextAutomaton>();
    Part(*read);
    automata_.push_back(read);
    automaton = std::move(read);
  }
  using ArchiveReader::Array;
  using ArchiveReader::Value;
  template <typename T>
  void Array(EditableArray<T>& elements) {
    elements = ArchiveReader::Array<T>();
  }

 private:
  std::vector<std::shared_ptr<const TextAutomaton>> automata_;
};

}  // namespace maskloom
