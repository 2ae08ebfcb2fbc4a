#include "runtime/cli/schema_folders.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/cli/files.h"
#include "runtime/cli/json_reader.h"

namespace maskloom::cli {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxFileBytes = uintmax_t{32} << 20;
constexpr std::string_view kFileScheme = "file://";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Undoes %xx. Returns nothing for a malformed one and for a NUL.
std::optional<std::string> DecodePath(std::string_view text) {
  std::string path;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c == '\0') return std::nullopt;
    path += c;
  }
  return path;
}

std::string EncodePath(const std::string& path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri;
  for (const char c : path) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return uri;
}

bool HasScheme(std::string_view uri) {
  const size_t end = uri.find_first_of(":/?#");
  return end != std::string_view::npos && end > 0 && uri[end] == ':';
}

// Returns what a document calls itself by a member of its root, or nothing.
std::optional<std::string> IdentifierOf(const std::string& text) {
  Result<std::vector<JsonMember>> members = ReadJsonObject(text);
  if (!members.ok()) return std::nullopt;
  for (const char* key : {"$id", "id"}) {
    for (const JsonMember& member : *members) {
      if (member.key != key || !member.raw.starts_with('"')) continue;
      Result<std::string> id = ReadJsonString(member.raw);
      if (!id.ok()) continue;
      if (id->ends_with('#')) id->pop_back();
      if (!id->empty() && id->find('#') == std::string::npos) return *id;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string FileUri(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  return std::string(kFileScheme) + EncodePath(error ? path : whole.string());
}

Result<SchemaFolders> SchemaFolders::Open(const std::vector<std::string>& folders) {
  SchemaFolders result;
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::path whole = fs::canonical(folder, error);
    if (error || !fs::is_directory(whole, error) || error) {
      return Status(StatusCode::kIo, folder + ": there is no such folder of schemas");
    }
    result.folders_.push_back(whole.string());
  }
  return result;
}

std::optional<std::string> SchemaFolders::Find(const std::string& uri) {
  std::optional<std::string> text = Look(uri);
  if (!text) missing_ = uri;
  return text;
}

std::optional<std::string> SchemaFolders::Look(const std::string& uri) {
  if (folders_.empty()) return std::nullopt;
  if (uri.starts_with(kFileScheme)) {
    if (auto path = DecodePath(std::string_view(uri).substr(kFileScheme.size()))) {
      if (auto text = ReadInside(*path)) return text;
    }
  }
  Index();
  if (auto it = path_of_id_.find(uri); it != path_of_id_.end()) {
    if (auto second = second_path_of_id_.find(uri); second != second_path_of_id_.end()) {
      warnings_.push_back("the $id " + uri + " is that of " + it->second +
                          ", which is taken, and of " + second->second);
      second_path_of_id_.erase(second);  // said once
    }
    return ReadInside(it->second);
  }
  if (HasScheme(uri)) return std::nullopt;
  const std::optional<std::string> path = DecodePath(uri);
  if (!path || path->empty() || path->front() == '/') return std::nullopt;
  for (const std::string& folder : folders_) {
    if (auto text = ReadInside(folder + "/" + *path)) return text;
  }
  return std::nullopt;
}

std::optional<std::string> SchemaFolders::ReadInside(const std::string& path) const {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  if (error || !fs::is_regular_file(whole, error) || error) return std::nullopt;
  const bool inside = std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
    const fs::path root(folder);
    return std::mismatch(root.begin(), root.end(), whole.begin(), whole.end()).first == root.end();
  });
  if (!inside) return std::nullopt;
  Result<std::string> text = ReadInput(whole.string());
  return text.ok() ? std::optional(std::move(*text)) : std::nullopt;
}

void SchemaFolders::Index() {
  if (std::exchange(indexed_, true)) return;
  std::vector<std::string> paths;
  for (const std::string& folder : folders_) {
    std::error_code error;
    auto next = fs::recursive_directory_iterator(
        folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && next != fs::recursive_directory_iterator(); next.increment(error)) {
      std::error_code ignored;
      const bool is_file = next->is_regular_file(ignored) && next->path().extension() == ".json";
      if (!is_file || next->file_size(ignored) > kMaxFileBytes) continue;
      if (paths.size() < kMaxFiles) paths.push_back(next->path().string());
    }
  }
  // The order in a folder is the file system's: the least path wins where an `$id` is repeated.
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    const std::optional<std::string> text = ReadInside(path);
    std::optional<std::string> id = text ? IdentifierOf(*text) : std::nullopt;
    if (!id) continue;
    // A relative one is relative to the file.
    if (!HasScheme(*id)) {
      id = std::string(kFileScheme) + EncodePath(fs::path(path).parent_path().string()) + "/" + *id;
    }
    const auto [it, is_new] = path_of_id_.try_emplace(*id, path);
    if (!is_new) second_path_of_id_.try_emplace(std::move(*id), path);
  }
}

}  // namespace maskloom::cli
