// The matcher and batch calls of the C API.
#include <algorithm>
#include <optional>
#include <span>

#include "compiler/read_epochs.h"
#include "runtime/c_api/handles.h"

using maskloom::MatcherOptions;
using maskloom::ThreadPool;
using maskloom::c_api::CopyOut;
using maskloom::c_api::Guard;
using maskloom::c_api::ReadOptions;
using maskloom::c_api::Report;

namespace {

size_t RowWords(const maskloom_matcher* matcher) {
  return matcher->matcher.grammar().vocabulary().row_words();
}

// Runs `body(pool)`, which may throw, while no other batch runs. `workers` may be null.
template <typename Body>
maskloom_status WithPool(maskloom_workers* workers, Body&& body) {
  return Guard(nullptr, [&] {
    if (workers == nullptr) return body(nullptr);
    const std::lock_guard<std::mutex> lock(workers->mutex);
    return body(&workers->pool);
  });
}

}  // namespace

void maskloom_matcher_options_init(maskloom_matcher_options* options) {
  if (options == nullptr) return;
  options->struct_size = sizeof(*options);
  options->max_rollback = MatcherOptions().max_rollback;
}

maskloom_status maskloom_matcher_create(const maskloom_grammar* grammar,
                                        const maskloom_matcher_options* options,
                                        maskloom_matcher** matcher, maskloom_error* error) {
  return Guard(error, [&] {
    if (matcher != nullptr) *matcher = nullptr;
    if (grammar == nullptr || matcher == nullptr) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "grammar or matcher is NULL", error);
    }
    maskloom_matcher_options read;
    if (!ReadOptions(options, maskloom_matcher_options_init, &read)) {
      return Report(MASKLOOM_INVALID_ARGUMENT,
                    "struct_size of the matcher options is not set; call "
                    "maskloom_matcher_options_init first",
                    error);
    }
    MatcherOptions own;
    own.max_rollback = read.max_rollback;
    *matcher = new maskloom_matcher{maskloom::Matcher(grammar->definition.grammar, own)};
    return MASKLOOM_OK;
  });
}

void maskloom_matcher_free(maskloom_matcher* matcher) { delete matcher; }

maskloom_status maskloom_matcher_fork(const maskloom_matcher* matcher, maskloom_matcher** fork,
                                      maskloom_error* error) {
  return Guard(error, [&] {
    if (fork != nullptr) *fork = nullptr;
    if (matcher == nullptr || fork == nullptr) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "matcher or fork is NULL", error);
    }
    *fork = new maskloom_matcher{matcher->matcher.Fork()};
    return MASKLOOM_OK;
  });
}

maskloom_status maskloom_matcher_accept_token(maskloom_matcher* matcher, uint32_t token) {
  if (matcher == nullptr) return MASKLOOM_INVALID_ARGUMENT;
  if (token >= matcher->matcher.grammar().vocabulary().size()) return MASKLOOM_REJECTED;
  return matcher->matcher.Accept(token) ? MASKLOOM_OK : MASKLOOM_REJECTED;
}

maskloom_status maskloom_matcher_accept_bytes(maskloom_matcher* matcher, const char* bytes,
                                              size_t length, size_t* taken) {
  if (matcher == nullptr || (bytes == nullptr && length > 0)) return MASKLOOM_INVALID_ARGUMENT;
  size_t count = matcher->matcher.AcceptBytes(std::string_view(bytes, length));
  if (taken != nullptr) *taken = count;
  return count == length ? MASKLOOM_OK : MASKLOOM_REJECTED;
}

maskloom_status maskloom_matcher_fill_mask(maskloom_matcher* matcher, uint32_t* row,
                                           size_t row_words) {
  if (matcher == nullptr || row == nullptr || row_words < RowWords(matcher)) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  matcher->matcher.FillMask(row);
  return MASKLOOM_OK;
}

maskloom_status maskloom_matcher_find_mask(maskloom_matcher* matcher, uint32_t* base, uint32_t* ids,
                                           size_t capacity, size_t* count) {
  if (matcher == nullptr || base == nullptr || count == nullptr ||
      (ids == nullptr && capacity > 0)) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  const maskloom::ReadGuard guard;
  const std::optional<maskloom::MaskView> view = matcher->matcher.FindMask();
  if (!view) return MASKLOOM_REJECTED;
  std::span<const maskloom::TokenId> ends;
  if (view->end_tokens) ends = matcher->matcher.grammar().vocabulary().vocabulary().end_tokens();
  *base = view->base_id;
  *count = view->exceptions.size() + ends.size();
  if (*count > capacity) return MASKLOOM_REJECTED;
  std::copy(ends.begin(), ends.end(),
            std::copy(view->exceptions.begin(), view->exceptions.end(), ids));
  return MASKLOOM_OK;
}

maskloom_status maskloom_matcher_fill_base(maskloom_matcher* matcher, uint32_t* row,
                                           size_t row_words) {
  if (matcher == nullptr || row == nullptr || row_words < RowWords(matcher)) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  const maskloom::ReadGuard guard;
  const std::optional<maskloom::MaskView> view = matcher->matcher.FindMask();
  if (!view) return MASKLOOM_REJECTED;
  if (view->base == nullptr) {
    std::fill_n(row, RowWords(matcher), 0u);
  } else {
    std::copy_n(view->base, RowWords(matcher), row);
  }
  return MASKLOOM_OK;
}

int maskloom_matcher_is_allowed(const maskloom_matcher* matcher, uint32_t token) {
  if (matcher == nullptr) return -1;
  if (token >= matcher->matcher.grammar().vocabulary().size()) return 0;
  return matcher->matcher.IsAllowed(token) ? 1 : 0;
}

maskloom_status maskloom_matcher_rollback(maskloom_matcher* matcher, uint32_t count) {
  if (matcher == nullptr) return MASKLOOM_INVALID_ARGUMENT;
  return Report(matcher->matcher.Rollback(count), nullptr);
}

maskloom_status maskloom_matcher_reset(maskloom_matcher* matcher) {
  if (matcher == nullptr) return MASKLOOM_INVALID_ARGUMENT;
  return Guard(nullptr, [&] {
    matcher->matcher.Reset();
    return MASKLOOM_OK;
  });
}

maskloom_status maskloom_matcher_validate(const maskloom_matcher* matcher, const uint32_t* tokens,
                                          size_t count, size_t* accepted) {
  if (matcher == nullptr || accepted == nullptr || (tokens == nullptr && count > 0)) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  return Guard(nullptr, [&] {
    uint32_t size = matcher->matcher.grammar().vocabulary().size();
    auto known = std::find_if(tokens, tokens + count, [size](uint32_t id) { return id >= size; });
    *accepted = matcher->matcher.Validate(
        std::span<const uint32_t>(tokens, static_cast<size_t>(known - tokens)));
    return MASKLOOM_OK;
  });
}

maskloom_status maskloom_matcher_forced_bytes(const maskloom_matcher* matcher, char* buffer,
                                              size_t capacity, size_t* length) {
  if (matcher == nullptr) return MASKLOOM_INVALID_ARGUMENT;
  return Guard(nullptr,
               [&] { return CopyOut(matcher->matcher.ForcedBytes(), buffer, capacity, length); });
}

maskloom_status maskloom_matcher_completion(const maskloom_matcher* matcher, char* buffer,
                                            size_t capacity, size_t* length) {
  if (matcher == nullptr) return MASKLOOM_INVALID_ARGUMENT;
  return Guard(nullptr,
               [&] { return CopyOut(matcher->matcher.Completion(), buffer, capacity, length); });
}

maskloom_status maskloom_matcher_next_bytes(const maskloom_matcher* matcher, uint8_t bytes[32]) {
  if (matcher == nullptr || bytes == nullptr) return MASKLOOM_INVALID_ARGUMENT;
  return Guard(nullptr, [&] {
    std::bitset<256> next = matcher->matcher.NextBytes();
    std::fill(bytes, bytes + 32, uint8_t{0});
    for (size_t b = 0; b < 256; ++b) {
      if (next[b]) bytes[b / 8] = static_cast<uint8_t>(bytes[b / 8] | (1u << (b % 8)));
    }
    return MASKLOOM_OK;
  });
}

int maskloom_matcher_is_accepting(const maskloom_matcher* matcher) {
  return matcher == nullptr ? -1 : matcher->matcher.IsAccepting() ? 1 : 0;
}

int maskloom_matcher_is_terminated(const maskloom_matcher* matcher) {
  return matcher == nullptr ? -1 : matcher->matcher.IsTerminated() ? 1 : 0;
}

uint64_t maskloom_matcher_token_count(const maskloom_matcher* matcher) {
  return matcher == nullptr ? 0 : matcher->matcher.token_count();
}

maskloom_status maskloom_workers_create(uint32_t threads, maskloom_workers** workers,
                                        maskloom_error* error) {
  return Guard(error, [&] {
    if (workers == nullptr) return Report(MASKLOOM_INVALID_ARGUMENT, "workers is NULL", error);
    *workers = nullptr;
    if (threads < 1 || threads > 256) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "the number of threads must be 1 to 256", error);
    }
    *workers = new maskloom_workers(threads);
    return MASKLOOM_OK;
  });
}

void maskloom_workers_free(maskloom_workers* workers) { delete workers; }

maskloom_status maskloom_fill_masks(maskloom_workers* workers, maskloom_matcher* const* matchers,
                                    size_t count, uint32_t* rows, size_t row_stride) {
  if (count == 0) return MASKLOOM_OK;
  if (matchers == nullptr || rows == nullptr) return MASKLOOM_INVALID_ARGUMENT;
  for (size_t i = 0; i < count; ++i) {
    if (matchers[i] != nullptr && RowWords(matchers[i]) > row_stride) {
      return MASKLOOM_INVALID_ARGUMENT;
    }
  }
  const auto fill = [&](size_t begin, size_t end, size_t) {
    for (size_t i = begin; i < end; ++i) {
      if (matchers[i] != nullptr) matchers[i]->matcher.FillMask(rows + i * row_stride);
    }
  };
  return WithPool(workers, [&](ThreadPool* pool) {
    if (pool != nullptr) {
      pool->ParallelFor(count, 1, fill);
    } else {
      fill(0, count, 0);
    }
    return MASKLOOM_OK;
  });
}

maskloom_status maskloom_fill_tree_masks(maskloom_workers* workers, const maskloom_matcher* matcher,
                                         const uint32_t* tokens, const uint32_t* parents,
                                         size_t count, uint32_t* rows, size_t row_stride,
                                         uint8_t* accepted) {
  if (matcher == nullptr) return MASKLOOM_INVALID_ARGUMENT;
  if (count == 0) return MASKLOOM_OK;
  if (tokens == nullptr || parents == nullptr || rows == nullptr ||
      row_stride < RowWords(matcher)) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  return WithPool(workers, [&](ThreadPool* pool) {
    return Report(matcher->matcher.FillTreeMasks({{tokens, count}, {parents, count}},
                                                 {rows, row_stride, accepted}, pool),
                  nullptr);
  });
}
