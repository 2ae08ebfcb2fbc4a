#include "compiler/archive.h"

#include <algorithm>
#include <utility>

#include "compiler/checksum.h"

namespace maskloom {
namespace {

constexpr char kMagic[8] = {'M', 'A', 'S', 'K', 'L', 'O', 'O', 'M'};
constexpr uint32_t kByteOrder = 0x01020304;

struct Header {
  char magic[8];
  uint32_t kind;
  uint32_t version;
  uint32_t byte_order;
  uint32_t zero;
  uint64_t identity;
  uint64_t size;  // of what follows the header
  uint64_t checksum;
  uint64_t zeros[2];
};
static_assert(sizeof(Header) == 64 && kIsStorable<Header>);

uint64_t ChecksumOf(Header header, std::span<const std::byte> contents) {
  header.checksum = 0;
  return Checksum(contents, Checksum(std::as_bytes(std::span(&header, 1))));
}

// In front of an array stands how many elements it has, and in the lowest bits how large they are.
constexpr int kElementSizeBits = 8;

constexpr size_t PaddedTo8(size_t count) { return (count + 7) / 8 * 8; }

Status Refusal(const std::string& message) { return Status(StatusCode::kInvalidModel, message); }

std::optional<ArchiveKind> KnownKind(uint32_t kind) {
  const auto known = static_cast<ArchiveKind>(kind);
  const bool is_known =
      known == ArchiveKind::kVocabularyIndex || known == ArchiveKind::kCompiledGrammar;
  return is_known ? std::optional(known) : std::nullopt;
}

std::string KindName(uint32_t kind) {
  const std::optional<ArchiveKind> known = KnownKind(kind);
  return known ? ArchiveKindName(*known) : "a file of kind " + std::to_string(kind);
}

// Says what a file seems to be that is no archive; "" where that is not known.
std::string Guess(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) return ": the file is empty";
  if (text.starts_with("GGUF")) return ": it begins as a GGUF model does";
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const bool is_json = text.starts_with("{") || text.starts_with("[");
  return is_json ? ": it begins as JSON does" : "";
}

}  // namespace

const char* ArchiveKindName(ArchiveKind kind) {
  return kind == ArchiveKind::kVocabularyIndex ? "a vocabulary index" : "a compiled grammar";
}

bool IsArchive(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof(kMagic) && std::memcmp(bytes.data(), kMagic, sizeof(kMagic)) == 0;
}

std::optional<ArchiveKind> ArchiveKindOf(std::span<const std::byte> bytes) {
  if (!IsArchive(bytes) || bytes.size() < sizeof(Header)) return std::nullopt;
  Header header = {};
  std::memcpy(&header, bytes.data(), sizeof(Header));
  return KnownKind(header.kind);
}

ArchiveWriter::ArchiveWriter() : bytes_(sizeof(Header), '\0') {}

void ArchiveWriter::Append(const void* bytes, size_t count) {
  if (count > 0) bytes_.append(static_cast<const char*>(bytes), count);
  bytes_.resize(PaddedTo8(bytes_.size()));
}

void ArchiveWriter::AppendCounted(const void* elements, size_t count, size_t element_bytes) {
  Value(uint64_t{count} << kElementSizeBits | element_bytes);
  Append(elements, count * element_bytes);
}

std::string ArchiveWriter::Finish(ArchiveKind kind, uint32_t version, uint64_t identity) {
  Header header = {};
  std::copy(std::begin(kMagic), std::end(kMagic), header.magic);
  header.kind = static_cast<uint32_t>(kind);
  header.version = version;
  header.byte_order = kByteOrder;
  header.identity = identity;
  header.size = bytes_.size() - sizeof(Header);
  header.checksum = ChecksumOf(header, std::as_bytes(std::span(bytes_)).subspan(sizeof(Header)));
  std::memcpy(bytes_.data(), &header, sizeof(Header));
  return std::exchange(bytes_, std::string(sizeof(Header), '\0'));
}

Result<ArchiveReader> ArchiveReader::Open(std::shared_ptr<const void> keep,
                                          std::span<const std::byte> bytes, ArchiveKind kind,
                                          uint32_t version, std::optional<uint64_t> identity) {
  const std::string wanted = ArchiveKindName(kind);
  if (!IsArchive(bytes)) return Refusal("this is not " + wanted + Guess(bytes));
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 8 != 0) {
    return Refusal("a file must lie in memory at a multiple of 8 bytes");
  }
  const std::string remedy = "; make it anew";
  Header header = {};
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof(Header)));
  if (bytes.size() < sizeof(Header) || bytes.size() - sizeof(Header) < header.size) {
    return Refusal("the file is cut short: it ends after " + std::to_string(bytes.size()) +
                   " bytes" + remedy);
  }
  if (header.byte_order == __builtin_bswap32(kByteOrder)) {
    return Refusal("the file was made on a machine of another byte order" + remedy);
  }
  const std::span<const std::byte> contents = bytes.subspan(sizeof(Header));
  if (contents.size() != header.size || header.checksum != ChecksumOf(header, contents)) {
    return Refusal("the file is damaged: its checksum does not fit" + remedy);
  }
  if (header.kind != static_cast<uint32_t>(kind)) {
    return Refusal("this is " + KindName(header.kind) + ", not " + wanted);
  }
  if (header.version != version) {
    return Refusal("the file has version " + std::to_string(header.version) + " of the format of " +
                   wanted + ", this program reads version " + std::to_string(version) + remedy);
  }
  if (identity && header.identity != *identity) {
    return Refusal("the file was made for " + std::string(kAnotherVocabulary) +
                   " than the one that is in use; give the same, or make the file anew");
  }
  ArchiveReader reader;
  reader.keep_ = std::move(keep);
  reader.left_ = contents;
  reader.identity_ = header.identity;
  return reader;
}

std::string_view ArchiveReader::Text() {
  const std::span<const std::byte> bytes = TakeCounted(1);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the bytes of an array of elements of that size.
std::span<const std::byte> ArchiveReader::TakeCounted(size_t element_bytes) {
  const uint64_t head = Value<uint64_t>();
  if (status_.ok() && head % (1u << kElementSizeBits) != element_bytes) {
    status_ = Refusal("the file holds other contents than it should; make it anew");
  }
  const uint64_t count = head >> kElementSizeBits;
  const std::byte* at = Take(count, element_bytes);
  if (at == nullptr) return {};
  return {at, static_cast<size_t>(count) * element_bytes};
}

// Returns where `count` elements lie and goes past them; null where so many are not left.
const std::byte* ArchiveReader::Take(uint64_t count, size_t element_bytes) {
  if (!status_.ok()) return nullptr;
  if (count > left_.size() / element_bytes) {
    status_ = Refusal("the file ends before its contents do; make it anew");
    return nullptr;
  }
  const std::byte* at = left_.data();
  // Contents are whole multiples of 8, so what is left holds the padding too.
  left_ = left_.subspan(std::min(left_.size(), PaddedTo8(count * element_bytes)));
  return at;
}

Status ArchiveReader::Close() {
  if (status_.ok() && !left_.empty()) {
    status_ = Refusal("the file holds more than its contents should; make it anew");
  }
  return status_;
}

}  // namespace maskloom
