// A line is {"id","kind","definition","options"?,"texts":[..]}; its answer
// {"id","status":"ok|refused","message","accepted":[true,..]}, or
// {"id","status":"error","line":n,"message"} for a line that cannot be read; its id is null where
// none could be made out.
#include "runtime/cli/check_batch.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "runtime/cli/exit_status.h"
#include "runtime/cli/json_reader.h"
#include "runtime/cli/text_match.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/engine/compile_report.h"

namespace maskloom::cli {
namespace {

// A line as read.
struct Request {
  std::string_view id = "null";  // as JSON
  Definition definition;
  std::vector<std::string> texts;
};

Status Malformed(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}

Status ReadOptions(std::string_view raw, SchemaOptions* options) {
  Result<std::vector<JsonMember>> members = ReadJsonObject(raw);
  if (!members.ok()) return Malformed("\"options\": " + members.status().message());
  for (const JsonMember& member : *members) {
    std::string value(member.raw);
    if (member.raw.starts_with('"')) {
      Result<std::string> text = ReadJsonString(member.raw);
      if (!text.ok()) return text.status();
      value = std::move(*text);
    }
    if (Status status = SetSchemaOption(member.key, value, options); !status.ok()) return status;
  }
  return Status::Ok();
}

Result<std::string> DecodeHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    unsigned byte = 0;
    for (size_t j = i; j < i + 2; ++j) {
      size_t digit = j < hex.size()
                         ? std::string_view("0123456789abcdef0123456789ABCDEF").find(hex[j])
                         : std::string_view::npos;
      if (digit == std::string_view::npos) return Malformed("\"hex\" is not pairs of hex digits");
      byte = byte * 16 + static_cast<unsigned>(digit % 16);
    }
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

Result<std::string> ReadText(std::string_view raw) {
  if (raw.starts_with('"')) return ReadJsonString(raw);
  Result<std::vector<JsonMember>> members = ReadJsonObject(raw);
  if (!members.ok() || members->size() != 1 || members->front().key != "hex") {
    return Malformed("a text is a string or {\"hex\":\"..\"}");
  }
  Result<std::string> hex = ReadJsonString(members->front().raw);
  if (!hex.ok()) return hex.status();
  return DecodeHex(*hex);
}

Status ReadTexts(std::string_view raw, std::vector<std::string>* texts) {
  Result<std::vector<std::string_view>> elements = ReadJsonArray(raw);
  if (!elements.ok()) return Malformed("\"texts\": " + elements.status().message());
  for (std::string_view element : *elements) {
    Result<std::string> text = ReadText(element);
    if (!text.ok()) {
      return Malformed(fmt::format("text {}: {}", texts->size(), text.status().message()));
    }
    texts->push_back(std::move(*text));
  }
  return Status::Ok();
}

std::optional<DefinitionKind> FindKind(std::string_view raw) {
  Result<std::string> name = ReadJsonString(raw);
  return name.ok() ? ParseDefinitionKind(*name) : std::nullopt;
}

// Fills `request`, which has the options and the cache of the batch. On error it has the id, if the
// line has one.
Status ReadRequest(std::string_view line, Request* request) {
  std::vector<JsonMember> members;
  const Status readable = ReadJsonMembers(line, &members);
  for (const JsonMember& member : members) {
    if (member.key == "id") request->id = member.raw;
  }
  if (!readable.ok()) return readable;
  std::string_view kind, definition;
  std::optional<std::string_view> options, texts;
  std::string unknown;
  for (const JsonMember& member : members) {
    if (member.key == "kind") {
      kind = member.raw;
    } else if (member.key == "definition") {
      definition = member.raw;
    } else if (member.key == "options") {
      options = member.raw;
    } else if (member.key == "texts") {
      texts = member.raw;
    } else if (member.key != "id" && unknown.empty()) {
      unknown = fmt::format("unknown member \"{}\"", member.key);
    }
  }
  if (!unknown.empty()) return Malformed(std::move(unknown));
  if (kind.empty()) return Malformed("\"kind\" is missing");
  const std::optional<DefinitionKind> known = FindKind(kind);
  if (!known) return Malformed("\"kind\" is none of json_schema, regex, ebnf and gbnf");
  if (definition.empty()) return Malformed("\"definition\" is missing");
  if (!texts) return Malformed("\"texts\" is missing");
  Definition& own = request->definition;
  own.kind = *known;
  if (definition.starts_with('"')) {
    Result<std::string> text = ReadJsonString(definition);
    if (!text.ok()) return Malformed("\"definition\": " + text.status().message());
    own.text = std::move(*text);
  } else if (own.kind == DefinitionKind::kJsonSchema) {
    own.text = definition;
  } else {
    return Malformed("\"definition\" is not a string");
  }
  if (options) {
    if (Status status = ReadOptions(*options, &own.options); !status.ok()) return status;
  }
  return ReadTexts(*texts, &request->texts);
}

}  // namespace

std::string AnswerBatchLine(const std::string& line, size_t line_number,
                            std::shared_ptr<const VocabularyIndex> vocabulary,
                            const Definition& common) {
  Request request;
  request.definition = common;
  const Status readable = ReadRequest(line, &request);
  std::string answer = fmt::format("{{\"id\":{}", request.id);
  if (!readable.ok()) {
    answer += fmt::format(",\"status\":\"error\",\"line\":{},\"message\":", line_number);
    AppendJsonString(readable.message(), &answer);
    return answer + "}";
  }
  auto compiled = Compile(&request.definition, std::move(vocabulary));
  if (!compiled.ok()) {
    answer += ",\"status\":\"refused\",\"message\":";
    AppendJsonString(OneLine(compiled.status()), &answer);
    return answer + ",\"accepted\":[]}";
  }
  answer += ",\"status\":\"ok\",\"message\":\"\",\"accepted\":[";
  Matcher matcher(compiled->definition.grammar);
  for (size_t i = 0; i < request.texts.size(); ++i) {
    if (i > 0) answer += ',';
    answer += Matches(request.texts[i], &matcher) ? "true" : "false";
  }
  return answer + "]}";
}

int RunCheckBatch(const std::string& path, std::shared_ptr<const VocabularyIndex> vocabulary,
                  const Definition& common, OutputFile* out) {
  Result<LineReader> reader = LineReader::Open(path);
  if (!reader.ok()) return ReportFailure(reader.status());
  CatchInterrupts();
  std::string line;
  for (size_t number = 1; !Interrupted(); ++number) {
    Result<bool> more = reader->Next(&line);
    if (Interrupted()) break;
    if (!more.ok()) return ReportFailure(more.status());
    if (!*more) return kExitDone;
    Status status = out->Write(AnswerBatchLine(line, number, vocabulary, common) + "\n");
    if (status.ok()) status = out->Flush();
    if (!status.ok()) return ReportFailure(status);
  }
  PrintError("interrupted; every answer so far is complete");
  return kExitInterrupted;
}

}  // namespace maskloom::cli
