#include "runtime/cli/mask_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "compiler/mask_cache.h"
#include "compiler/read_epochs.h"
#include "runtime/cli/bench_clock.h"
#include "runtime/cli/state_kind.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/matcher.h"

namespace maskloom::cli {
namespace {

using Row = std::vector<uint32_t>;

constexpr int kRepeats = 2;  // of the worst masks, beyond the first measurement

bool IsSet(const Row& row, TokenId token) { return (row[token >> 5] >> (token & 31) & 1) != 0; }
void SetBit(Row* row, TokenId token) { (*row)[token >> 5] |= 1u << (token & 31); }

Result<CompiledDefinition> CompileSchema(const BenchCase& read, const MaskBenchSetup& setup) {
  return CompileDefinition(DefinitionKind::kJsonSchema, read.schema, {}, setup.vocabulary);
}

bool MayEnd(const Matcher& matcher, const Row& row) {
  for (TokenId token : matcher.grammar().vocabulary().vocabulary().end_tokens()) {
    if (IsSet(row, token)) return true;
  }
  return false;
}

// Follows the texts of a file through one matcher and measures on the way.
class Walker {
 public:
  Walker(MaskBenchRow* row, std::shared_ptr<const CompiledGrammar> grammar, Stopwatch* watch)
      : row_(row),
        watch_(watch),
        matcher_(std::move(grammar)),
        mask_(matcher_.grammar().vocabulary().row_words()) {}

  // Fills one mask; returns its time in microseconds.
  double TimedFill() {
    return TimeOf([this] { matcher_.FillMask(mask_.data()); });
  }

  // Walks along a text from the start, appending times and the outcome to the row. Calls
  // `after_fill` behind each timed fill.
  template <typename AfterFill>
  void Walk(const BenchText& text, AfterFill after_fill) {
    matcher_.Reset();
    MaskBenchRow::Test test{text.valid, true, 0, 0};
    for (TokenId token : text.tokens) {
      int64_t cpu = CpuNs();
      int64_t t0 = WallNs();
      matcher_.FillMask(mask_.data());
      int64_t t1 = WallNs();
      AppendKind();
      after_fill(test.masks++);
      if (!first_fill_us_) first_fill_us_ = watch_->SettleUs(t1 - t0, cpu);
      if (!IsSet(mask_, token)) {
        row_->tbm_us.push_back(watch_->SettleUs(t1 - t0, cpu));
        test.accepted = false;
        break;
      }
      int64_t t2 = WallNs();
      bool taken = matcher_.Accept(token);
      int64_t t3 = WallNs();
      row_->tbm_us.push_back(watch_->SettleUs(t1 - t0 + t3 - t2, cpu));
      if (!taken) {
        row_->message = fmt::format("the mask allowed token {} but accept refused it", token);
        test.accepted = false;
        break;
      }
      ++test.tokens;
    }
    if (test.accepted) {
      matcher_.FillMask(mask_.data());
      test.accepted = MayEnd(matcher_, mask_);
    }
    row_->tests.push_back(test);
  }

  // The same walk once more: what calls cost in states that were met before.
  void WalkAgain(const BenchText& text) {
    matcher_.Reset();
    for (TokenId token : text.tokens) {
      row_->seen_us.push_back(TimedFill());
      if (!IsSet(mask_, token)) return;
      if (++steps_ % MaskBenchRow::kSample == 0) TimeSingleCalls(token);
      if (!matcher_.Accept(token)) return;
    }
  }

  std::optional<double> first_fill_us() const { return first_fill_us_; }
  Matcher* matcher() { return &matcher_; }
  Row* mask() { return &mask_; }

 private:
  // Appends the kind of the state whose mask was filled; behind the fill, so that it warms nothing.
  void AppendKind() {
    const char kind = StateKindOf(matcher_);
    const uint64_t masks = matcher_.grammar().masks().built_count();
    row_->kinds.push_back(masks > masks_ ? static_cast<char>(std::toupper(kind)) : kind);
    masks_ = masks;
  }

  // Returns the time of `call` in microseconds.
  template <typename Call>
  double TimeOf(Call call) {
    const int64_t cpu = CpuNs();
    const int64_t begin = WallNs();
    call();
    return watch_->SettleUs(WallNs() - begin, cpu);
  }

  void TimeSingleCalls(TokenId token) {
    bool done = false;
    const double view_us = TimeOf([&] {
      const ReadGuard guard;
      done = matcher_.FindMask().has_value();
    });
    if (done) row_->view_us.push_back(view_us);
    row_->accept_us.push_back(TimeOf([&] { done = matcher_.Accept(token); }));
    if (!done) return;
    row_->rollback_us.push_back(TimeOf([&] { done = matcher_.Rollback(1).ok(); }));
    row_->fork_us.push_back(TimeOf([&] { matcher_.Fork(); }));
  }

  MaskBenchRow* row_;
  Stopwatch* watch_;
  Matcher matcher_;
  Row mask_;
  std::optional<double> first_fill_us_;
  uint64_t masks_ = 0;  // made for the grammar, when the last fill was done
  size_t steps_ = 0;
};

// Compiles the file's schema into `row`; what remains in `walker` is empty where it is refused.
void CompileInto(const BenchCase& read, const MaskBenchSetup& setup, Stopwatch* watch,
                 MaskBenchRow* row, std::optional<Walker>* walker) {
  int64_t cpu = CpuNs();
  int64_t begin = WallNs();
  auto compiled = CompileSchema(read, setup);
  row->compile_us = watch->SettleUs(WallNs() - begin, cpu);
  setup.stage->compile_us = row->compile_us;
  if (!compiled.ok()) {
    row->status = "refused";
    row->message = compiled.status().message();
    if (compiled.status().pointer()) row->message += " (at " + *compiled.status().pointer() + ")";
    return;
  }
  setup.stage->walking = true;
  row->status = "ok";
  begin = WallNs();
  walker->emplace(row, compiled->grammar, watch);
  row->ttfm_us = row->compile_us + static_cast<double>(WallNs() - begin) / 1000;
}

// Adds the first mask to the time up to there.
void AddFirstMask(Walker* walker, MaskBenchRow* row) {
  row->ttfm_us += walker->first_fill_us() ? *walker->first_fill_us() : walker->TimedFill();
}

// Is the mask as base and exceptions the same as the row?
bool ViewIsRow(Matcher* matcher, const Row& row) {
  const ReadGuard guard;
  const std::optional<MaskView> view = matcher->FindMask();
  if (!view) return true;
  Row made(row.size());
  if (view->base != nullptr) std::copy_n(view->base, row.size(), made.begin());
  for (TokenId token : view->exceptions) SetBit(&made, token);
  if (view->end_tokens) {
    for (TokenId token : matcher->grammar().vocabulary().vocabulary().end_tokens()) {
      SetBit(&made, token);
    }
  }
  return made == row;
}

// Returns the first wrong answer on the way along `text`, or "".
std::string CheckText(const BenchText& text, Matcher* matcher, Row* row) {
  matcher->Reset();
  bool accepted = true;
  for (size_t i = 0; i < text.tokens.size() && accepted; ++i) {
    const TokenId token = text.tokens[i];
    matcher->FillMask(row->data());
    const bool allowed = IsSet(*row, token);
    if (!ViewIsRow(matcher, *row)) {
      return fmt::format("token {}: the mask as base and exceptions is not the row", i);
    }
    accepted = matcher->Accept(token);
    if (accepted != allowed) {
      return fmt::format("token {}: the mask {} it, accept {} it", i,
                         allowed ? "allows" : "forbids", accepted ? "takes" : "refuses");
    }
  }
  if (accepted) {
    matcher->FillMask(row->data());
    accepted = MayEnd(*matcher, *row);
  }
  if (accepted == text.valid) return "";
  return text.valid ? "a valid text is rejected" : "an invalid text is accepted";
}

std::string PlaceOf(size_t test, size_t token) { return fmt::format("{}/{}", test, token); }

}  // namespace

Result<std::string> CheckMaskBench(const std::string& path, const MaskBenchSetup& setup) {
  Result<BenchCase> read = ReadBenchCase(path, setup.cut);
  if (!read.ok()) return read.status();
  auto compiled = CompileSchema(*read, setup);
  if (!compiled.ok()) return std::string();
  setup.stage->walking = true;
  Matcher matcher(compiled->grammar);
  Row row(setup.vocabulary->row_words());
  for (size_t i = 0; i < read->texts.size(); ++i) {
    const std::string wrong = CheckText(read->texts[i], &matcher, &row);
    if (!wrong.empty()) return fmt::format("test {}: {}", i, wrong);
  }
  return std::string();
}

Result<MaskBenchRow> TimeMaskBench(const std::string& path, const MaskBenchSetup& setup) {
  Result<BenchCase> read = ReadBenchCase(path, setup.cut);
  if (!read.ok()) return read.status();
  MaskBenchRow row;
  row.file = FileNameOf(path);
  Stopwatch watch;
  std::optional<Walker> walker;
  CompileInto(*read, setup, &watch, &row, &walker);
  if (walker) {
    for (const BenchText& text : read->texts) walker->Walk(text, [](size_t) {});
    AddFirstMask(&*walker, &row);
    for (const BenchText& text : read->texts) walker->WalkAgain(text);
    row.masks_made = walker->matcher()->grammar().masks().built_count();
    row.mem_bytes = walker->matcher()->grammar().MemoryBytes();
  }
  row.stolen_us = watch.stolen_us();
  return row;
}

Status RetimeMaskBench(const MaskBenchSetup& setup, RetimeRequest* request) {
  Result<BenchCase> read = ReadBenchCase(request->path, setup.cut);
  if (!read.ok()) return read.status();
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    MaskBenchRow row;
    Stopwatch watch;
    std::optional<Walker> walker;
    CompileInto(*read, setup, &watch, &row, &walker);
    if (!walker) return Status(StatusCode::kInternal, row.message);
    auto next = request->masks.begin();
    size_t byte = 0;
    for (size_t test = 0; test < read->texts.size(); ++test) {
      const size_t first = row.tbm_us.size();
      const auto begin = next;
      walker->Walk(read->texts[test], [&](size_t token) {
        if (token == 0) byte = 0;
        if (next != request->masks.end() && next->test == test && next->token == token) {
          const Item& item = walker->matcher()->items().front();
          const MaskInfo info = walker->matcher()->FillMaskWithInfo(walker->mask()->data());
          next->byte = byte;
          next->kind = row.kinds.back();
          next->base =
              BaseKindName(MaskCache::Reader(walker->matcher()->grammar().masks()).Find(item));
          next->exceptions = info.exceptions;
          next->allowed = info.allowed_count;
          next->items = walker->matcher()->items().size();
          ++next;
        }
        byte += setup.vocabulary->vocabulary().bytes(read->texts[test].tokens[token]).size();
      });
      for (auto mask = begin; mask != next; ++mask) {
        mask->us.push_back(row.tbm_us[first + mask->token]);
      }
    }
    if (next != request->masks.end()) {
      return Status(StatusCode::kInternal,
                    "mask " + PlaceOf(next->test, next->token) + " was not met again");
    }
    AddFirstMask(&*walker, &row);
    if (!request->first_us.empty()) request->first_us.push_back(row.ttfm_us);
  }
  return Status::Ok();
}

}  // namespace maskloom::cli
