// The container of every file that the compiler writes: values, texts and arrays one after another
// behind a header that says what they are, for which vocabulary, and by a checksum that they are
// whole.
//
// A struct that can be stored has one static template that names its members in order,
//
//   template <typename Archive, typename Self>
//   static void Describe(Archive& archive, Self& self) {
//     archive.Value(self.count_);
//     archive.Array(self.nodes_);
//   }
//
// which an ArchiveWriter runs over a const object and an ArchiveReader over one that it fills: so
// what is written and what is read cannot differ. Arrays are read as views of the file.
//
// Layout, in the byte order of the machine, which a mark tells: 8 bytes "MASKLOOM", then of 4 bytes
// kind, version, byte order mark and a zero, of 8 bytes identity, size of what follows and
// checksum, 16 zeros; then the contents, every item at a multiple of 8. The header is the same in
// every version. The checksum covers all else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "grammar/base/flat_array.h"
#include "grammar/base/status.h"

namespace maskloom {

enum class ArchiveKind : uint32_t {
  kVocabularyIndex = 1,
  kCompiledGrammar = 2,
};

// Stands in the message about a file that was made for one.
inline constexpr std::string_view kAnotherVocabulary = "another vocabulary";

// Returns what a file of `kind` is called in messages, such as "a vocabulary index".
const char* ArchiveKindName(ArchiveKind kind);

// Do `bytes` begin as those of such a file, be it whole or not?
bool IsArchive(std::span<const std::byte> bytes);
// Returns which one, if it is one that this version knows.
std::optional<ArchiveKind> ArchiveKindOf(std::span<const std::byte> bytes);

// Types that can be stored as they lie in memory. No padding: its bytes would be of chance.
template <typename T>
inline constexpr bool kIsStorable = std::is_trivially_copyable_v<T> && alignof(T) <= 8 &&
                                    sizeof(T) < 256 &&
                                    (std::has_unique_object_representations_v<T> ||
                                     std::is_floating_point_v<T>);

class ArchiveWriter {
 public:
  ArchiveWriter();

  template <typename T>
  void Value(const T& value) {
    static_assert(kIsStorable<T>);
    Append(&value, sizeof(T));
  }
  void Text(std::string_view text) { AppendCounted(text.data(), text.size(), 1); }
  template <typename T>
  void Array(std::span<const T> elements) {
    static_assert(kIsStorable<T>);
    AppendCounted(elements.data(), elements.size(), sizeof(T));
  }
  template <typename T>
  void Array(const FlatArray<T>& elements) {
    Array(std::span<const T>(elements));
  }
  template <typename T>
  void Array(const std::vector<T>& elements) {
    Array(std::span<const T>(elements));
  }
  // A struct with Describe.
  template <typename T>
  void Part(const T& part) {
    T::Describe(*this, part);
  }
  template <typename T>
  void Parts(const std::vector<T>& parts) {
    WriteList(parts, [this](const T& part) { Part(part); });
  }
  // Anything with `key_type`, `mapped_type` and insert, by ascending keys.
  template <typename M>
  void Map(const M& map) {
    std::vector<typename M::key_type> keys;
    for (const auto& entry : map) keys.push_back(entry.first);
    std::sort(keys.begin(), keys.end());
    std::vector<typename M::mapped_type> values;
    for (const auto& key : keys) values.push_back(map.find(key)->second);
    Array(keys);
    Array(values);
  }
  template <typename Char>
  void Texts(const std::vector<std::basic_string<Char>>& texts) {
    WriteList(texts, [this](const auto& text) { Array(std::span<const Char>(text)); });
  }

  // Returns the whole file and leaves this empty.
  std::string Finish(ArchiveKind kind, uint32_t version, uint64_t identity);

 protected:
  template <typename T, typename Write>
  void WriteList(const std::vector<T>& list, Write write) {
    Value(uint64_t{list.size()});
    for (const T& element : list) write(element);
  }

 private:
  void Append(const void* bytes, size_t count);
  void AppendCounted(const void* elements, size_t count, size_t element_bytes);

  std::string bytes_;
};

// Reads what an ArchiveWriter wrote. A read that does not fit what is left sets an error and gives
// an empty value, as do all after it: look at status() once, at the end. The checksum has told
// damage apart before; whoever forges one can still bring in arrays that contradict each other.
class ArchiveReader {
 public:
  // Takes the file `bytes`, which lie at a multiple of 8 and which `keep` keeps. Nothing for
  // `identity`: any will do.
  // On error: kInvalidModel for a file that is no archive, of another kind, version, byte order
  // or vocabulary, cut short or damaged; the message says which, and what to do.
  // Cost: reads all bytes once.
  static Result<ArchiveReader> Open(std::shared_ptr<const void> keep,
                                    std::span<const std::byte> bytes, ArchiveKind kind,
                                    uint32_t version, std::optional<uint64_t> identity);

  template <typename T>
  void Value(T& value) {
    static_assert(kIsStorable<T>);
    value = T();
    const std::byte* at = Take(1, sizeof(T));
    if (at != nullptr) std::memcpy(&value, at, sizeof(T));
  }
  template <typename T>
  T Value() {
    T value;
    Value(value);
    return value;
  }
  // A view of the file.
  std::string_view Text();
  void Text(std::string& text) { text = Text(); }
  template <typename T>
  FlatArray<T> Array() {
    static_assert(kIsStorable<T>);
    const std::span<const std::byte> bytes = TakeCounted(sizeof(T));
    return FlatArray<T>::ViewOf(
        {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)});
  }
  template <typename T>
  void Array(FlatArray<T>& elements) {
    elements = Array<T>();
  }
  // A copy.
  template <typename T>
  void Array(std::vector<T>& elements) {
    const FlatArray<T> view = Array<T>();
    elements.assign(view.begin(), view.end());
  }
  template <typename T>
  void Part(T& part) {
    T::Describe(*this, part);
  }
  template <typename T>
  void Parts(std::vector<T>& parts) {
    ReadList(parts, [this](T& part) { Part(part); });
  }
  template <typename M>
  void Map(M& map) {
    map.clear();
    const auto keys = Array<typename M::key_type>();
    const auto values = Array<typename M::mapped_type>();
    for (size_t i = 0; i < std::min(keys.size(), values.size()); ++i) {
      map.insert({keys[i], values[i]});
    }
  }
  template <typename Char>
  void Texts(std::vector<std::basic_string<Char>>& texts) {
    ReadList(texts, [this](std::basic_string<Char>& text) {
      const FlatArray<Char> read = Array<Char>();
      text.assign(read.begin(), read.end());
    });
  }

  uint64_t identity() const { return identity_; }
  // What views of the file need to outlive.
  const std::shared_ptr<const void>& keep() const { return keep_; }
  // The first error of all reads.
  const Status& status() const { return status_; }
  // Call behind the last read. Returns status(), or an error when something is left over.
  Status Close();

 protected:
  // Every element takes eight bytes at least, so a forged count does not bring in many.
  template <typename T, typename Read>
  void ReadList(std::vector<T>& list, Read read) {
    const uint64_t count = Value<uint64_t>();
    list.clear();
    for (uint64_t i = 0; i < count && status_.ok(); ++i) read(list.emplace_back());
  }

 private:
  ArchiveReader() = default;
  const std::byte* Take(uint64_t count, size_t element_bytes);
  std::span<const std::byte> TakeCounted(size_t element_bytes);

  std::shared_ptr<const void> keep_;
  std::span<const std::byte> left_;
  uint64_t identity_ = 0;
  Status status_;
};

}  // namespace maskloom
