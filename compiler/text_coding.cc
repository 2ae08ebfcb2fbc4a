#include "compiler/text_coding.h"

#include <tsl/robin_set.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

// Forms of a partial, in its upper bits; the payload is described beside each.
enum Form : uint32_t {
  kFormBoundary = 0,
  kFormUtf8Last1,  // one continuation byte to come; payload: the bits read
  kFormUtf8Last2,  // two
  kFormUtf8Last3,  // three
  kFormBackslash,  // behind a backslash
  kFormHex0,       // behind \u and 0 to 3 hex digits; payload: their value
  kFormHex1,
  kFormHex2,
  kFormHex3,
  kFormHigh,        // behind a high surrogate; payload: its ten bits
  kFormHighEscape,  // and the backslash of the low one
  kFormLow0,        // and its u; payload: ten bits of the high one, then those read of the low one
  kFormLow1,
  kFormLow2,
  kFormLow3,
  // In plain strings:
  kFormPlainBackslash,  // behind a backslash
  kFormPlainHex0,       // behind \u and 0 to 2 zeros
  kFormPlainHex1,
  kFormPlainHex2,
  kFormPlainHex3,  // and its third digit, the payload: 0 or 1
};
constexpr uint32_t kPayloadBits = 24;

constexpr Partial Pack(uint32_t form, uint32_t payload) { return form << kPayloadBits | payload; }
constexpr uint32_t FormOf(Partial partial) { return partial >> kPayloadBits; }
constexpr uint32_t PayloadOf(Partial partial) { return partial & ((1u << kPayloadBits) - 1); }

constexpr CodingStep Dead() { return {}; }
constexpr CodingStep More(Partial partial) { return {CodingStep::Outcome::kPartial, partial, 0}; }
constexpr CodingStep Done(uint32_t code_point) {
  return {CodingStep::Outcome::kCodePoint, kBoundary, code_point};
}

int HexDigit(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
  return -1;
}

CodingStep StepUtf8(Partial partial, uint8_t byte) {
  const uint32_t form = FormOf(partial);
  if (form == kFormBoundary) {
    if (byte < 0x80) return Done(byte);
    if (byte < 0xC2 || byte > 0xF4) return Dead();
    if (byte < 0xE0) return More(Pack(kFormUtf8Last1, byte & 0x1F));
    if (byte < 0xF0) return More(Pack(kFormUtf8Last2, byte & 0x0F));
    return More(Pack(kFormUtf8Last3, byte & 0x07));
  }
  if ((byte & 0xC0) != 0x80) return Dead();
  const uint32_t bits = PayloadOf(partial) << 6 | (byte & 0x3F);
  if (form == kFormUtf8Last1) return Done(bits);
  const Partial next = Pack(form - 1, bits);
  if (PayloadOf(partial) == 0) {  // E0 and F0 need the shortest form
    if (form == kFormUtf8Last2 && bits < 0x20) return Dead();
    if (form == kFormUtf8Last3 && bits < 0x10) return Dead();
  }
  if (form == kFormUtf8Last2 && IsSurrogate(bits << 6)) return Dead();
  if (form == kFormUtf8Last3 && bits > (kMaxCodePoint >> 12)) return Dead();
  return More(next);
}

uint32_t ShortEscape(uint8_t byte) {
  switch (byte) {
    case '"':
    case '\\':
    case '/':
      return byte;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return kInvalidCodePoint;
  }
}

// Is `code_point` a control that has no short escape?
bool IsLongControl(uint32_t code_point) {
  return code_point < 0x20 && code_point != '\b' && code_point != '\f' && code_point != '\n' &&
         code_point != '\r' && code_point != '\t';
}

CodingStep StepPlainEscape(Partial partial, uint8_t byte) {
  const uint32_t form = FormOf(partial);
  if (form == kFormPlainBackslash) {
    if (byte == 'u') return More(Pack(kFormPlainHex0, 0));
    const uint32_t code_point = byte == '/' ? kInvalidCodePoint : ShortEscape(byte);
    return code_point == kInvalidCodePoint ? Dead() : Done(code_point);
  }
  if (form < kFormPlainHex2) return byte == '0' ? More(Pack(form + 1, 0)) : Dead();
  if (form == kFormPlainHex2) {
    return byte == '0' || byte == '1' ? More(Pack(kFormPlainHex3, byte - '0')) : Dead();
  }
  if (byte >= 'A' && byte <= 'F') return Dead();
  const int digit = HexDigit(byte);
  if (digit < 0) return Dead();
  const uint32_t code_point = PayloadOf(partial) << 4 | static_cast<uint32_t>(digit);
  return IsLongControl(code_point) ? Done(code_point) : Dead();
}

CodingStep StepEscape(Partial partial, uint8_t byte) {
  const uint32_t form = FormOf(partial);
  const uint32_t payload = PayloadOf(partial);
  if (form == kFormBackslash) {
    if (byte == 'u') return More(Pack(kFormHex0, 0));
    const uint32_t code_point = ShortEscape(byte);
    return code_point == kInvalidCodePoint ? Dead() : Done(code_point);
  }
  if (form == kFormHigh) return byte == '\\' ? More(Pack(kFormHighEscape, payload)) : Dead();
  if (form == kFormHighEscape) {
    return byte == 'u' ? More(Pack(kFormLow0, payload << 12)) : Dead();
  }
  const int digit = HexDigit(byte);
  if (digit < 0) return Dead();
  if (form < kFormHigh) {
    const uint32_t value = payload << 4 | static_cast<uint32_t>(digit);
    if (form == kFormHex1 && (value & 0xFC) == 0xDC) return Dead();  // a low surrogate alone
    if (form != kFormHex3) return More(Pack(form + 1, value));
    if (!IsSurrogate(value)) return Done(value);
    return More(Pack(kFormHigh, value & 0x3FF));
  }
  // The low half must be DC00 to DFFF; its digits are shifted in below the ten high bits.
  const uint32_t high = payload >> 12;
  const uint32_t low = (payload & 0xFFF) << 4 | static_cast<uint32_t>(digit);
  if (form == kFormLow0 && digit != 0xD) return Dead();
  if (form == kFormLow1 && digit < 0xC) return Dead();
  if (form == kFormLow3) return Done(0x10000 + (high << 10) + (low & 0x3FF));
  return More(Pack(form + 1, high << 12 | (low & 0xFFF)));
}

}  // namespace

CodingStep StepCoding(TextCoding coding, Partial partial, uint8_t byte) {
  const uint32_t form = FormOf(partial);
  if (form >= kFormPlainBackslash) return StepPlainEscape(partial, byte);
  if (form >= kFormBackslash) return StepEscape(partial, byte);
  if (coding != TextCoding::kUtf8 && form == kFormBoundary && byte < 0x80) {
    if (byte == '"') return {CodingStep::Outcome::kQuote, kBoundary, 0};
    if (byte == '\\') {
      const bool plain = coding == TextCoding::kPlainString;
      return More(Pack(plain ? kFormPlainBackslash : kFormBackslash, 0));
    }
    if (byte < 0x20) return Dead();
  }
  return StepUtf8(partial, byte);
}

PartialRanges RangesOf(Partial partial) {
  const uint32_t form = FormOf(partial);
  const uint32_t payload = PayloadOf(partial);
  const auto one = [](uint32_t first, uint32_t last) {
    return PartialRanges{{{first, last}, {}, {}}, 1};
  };
  switch (form) {
    case kFormBoundary:
      return one(0, kMaxCodePoint);
    // Behind a backslash any code point can still be spelled by \uXXXX.
    case kFormBackslash:
    case kFormHex0:
      return one(0, kMaxCodePoint);
    case kFormUtf8Last1:
      return one(payload << 6, payload << 6 | 0x3F);
    case kFormUtf8Last2: {
      const uint32_t first = payload == 0 ? 0x800 : payload << 12;
      const uint32_t last = payload << 12 | 0xFFF;
      return one(first, payload == 0xD ? 0xD7FF : last);
    }
    case kFormUtf8Last3: {
      const uint32_t last = payload << 18 | 0x3FFFF;
      return one(payload == 0 ? 0x10000 : payload << 18,
                 last > kMaxCodePoint ? kMaxCodePoint : last);
    }
    case kFormHex1:
    case kFormHex2:
    case kFormHex3: {
      const uint32_t shift = 4 * (4 - (form - kFormHex0));
      uint32_t first = payload << shift;
      uint32_t last = first | ((1u << shift) - 1);
      if (form == kFormHex1 && payload == 0xD) {
        return {{{0xD000, 0xD7FF}, {0x10000, kMaxCodePoint}, {}}, 2};
      }
      if (!IsSurrogate(first)) return one(first, last);
      const uint32_t high_first = first & 0x3FF;
      const uint32_t high_last = last & 0x3FF;
      return one(0x10000 + (high_first << 10), 0x10000 + (high_last << 10) + 0x3FF);
    }
    case kFormHigh:
    case kFormHighEscape:
      return one(0x10000 + (payload << 10), 0x10000 + (payload << 10) + 0x3FF);
    case kFormPlainBackslash:
      return {{{0, 0x1F}, {'"', '"'}, {'\\', '\\'}}, 3};
    case kFormPlainHex0:
    case kFormPlainHex1:
    case kFormPlainHex2:
      return {{{0, 7}, {0xB, 0xB}, {0xE, 0x1F}}, 3};
    case kFormPlainHex3:
      if (payload == 1) return one(0x10, 0x1F);
      return {{{0, 7}, {0xB, 0xB}, {0xE, 0xF}}, 3};
    default: {
      const uint32_t base = 0x10000 + ((payload >> 12) << 10);
      const uint32_t digits = form - kFormLow0;  // read so far
      if (digits < 2) return one(base, base + 0x3FF);
      const uint32_t shift = 4 * (4 - digits);
      const uint32_t low = (payload & 0xFFF) << shift & 0x3FF;
      return one(base + low, base + low + (1u << shift) - 1);
    }
  }
}

const std::bitset<256>& BytesAfter(TextCoding coding, Partial partial) {
  // Exact where it is cheap to be; every byte is checked again by StepCoding.
  struct Table {
    std::bitset<256> utf8_start, json_start, continuation, escape, hex, backslash, u;
  };
  static const Table table = [] {
    Table t;
    for (int b = 0; b < 256; ++b) {
      const bool start = b < 0x80 || (b >= 0xC2 && b <= 0xF4);
      t.utf8_start[b] = start;
      t.json_start[b] = start && b >= 0x20;
      t.continuation[b] = b >= 0x80 && b < 0xC0;
      t.hex[b] = HexDigit(static_cast<uint8_t>(b)) >= 0;
      t.escape[b] = b == 'u' || ShortEscape(static_cast<uint8_t>(b)) != kInvalidCodePoint;
    }
    t.backslash['\\'] = true;
    t.u['u'] = true;
    return t;
  }();
  switch (FormOf(partial)) {
    case kFormBoundary:
      return coding == TextCoding::kUtf8 ? table.utf8_start : table.json_start;
    case kFormUtf8Last1:
    case kFormUtf8Last2:
    case kFormUtf8Last3:
      return table.continuation;
    case kFormBackslash:
    case kFormPlainBackslash:
      return table.escape;
    case kFormHigh:
      return table.backslash;
    case kFormHighEscape:
      return table.u;
    default:
      return table.hex;
  }
}

struct Spelling::Memo {
  std::shared_mutex mutex;
  std::unordered_map<Partial, std::shared_ptr<const CodePointSet>> sets;
};

std::shared_ptr<Spelling::Memo> Spelling::MakeMemo() { return std::make_shared<Memo>(); }

Spelling::Spelling(TextCoding coding, const std::bitset<256>& spellable)
    : coding_(coding), spellable_(spellable), memo_(MakeMemo()) {
  continuations_ = true;
  for (int b = 0x80; b < 0xC0; ++b) continuations_ &= spellable[b];
  const bool plain = coding == TextCoding::kPlainString;
  bool utf8 = continuations_;
  for (int b = plain ? 0x20 : 0; b < 0x80; ++b) utf8 &= spellable[b];
  for (int b = 0xC2; b <= 0xF4; ++b) utf8 &= spellable[b];
  escapes_ = spellable['\\'] && spellable['u'];
  for (const char c : {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9'}) {
    escapes_ &= spellable[static_cast<uint8_t>(c)];
  }
  for (int i = 0; i < 6; ++i) {
    escapes_ &= spellable['a' + i] || (spellable['A' + i] && !plain);
  }
  for (const char c : {'"', 'n', 'r', 't'}) {
    escapes_ &= !plain || spellable[static_cast<uint8_t>(c)];
  }
  const bool json = coding == TextCoding::kJsonString;
  complete_ = json ? continuations_ && escapes_ : plain ? utf8 && escapes_ : utf8;
  const bool all = json ? escapes_ : complete_;
  code_points_ = all ? CodePointSet::All() : FindFinishable(kBoundary);
}

bool Spelling::FinishesAll(Partial partial) const {
  const uint32_t form = FormOf(partial);
  const bool in_utf8 = form >= kFormUtf8Last1 && form <= kFormUtf8Last3;
  return complete_ || (in_utf8 ? continuations_ : escapes_);
}

bool Spelling::CanBeFinished(Partial partial) const {
  return partial == kBoundary || FinishesAll(partial) || !FinishableFrom(partial)->empty();
}

std::shared_ptr<const CodePointSet> Spelling::FinishableFrom(Partial partial) const {
  constexpr size_t kMaxKept = 1 << 16;
  {
    const std::shared_lock<std::shared_mutex> lock(memo_->mutex);
    const auto found = memo_->sets.find(partial);
    if (found != memo_->sets.end()) return found->second;
  }
  auto result = std::make_shared<const CodePointSet>(FindFinishable(partial));
  const std::unique_lock<std::shared_mutex> lock(memo_->mutex);
  if (memo_->sets.size() < kMaxKept) memo_->sets.emplace(partial, result);
  return result;
}

CodePointSet Spelling::FindFinishable(Partial partial) const {
  std::vector<uint8_t> bytes;
  for (int b = 0; b < 256; ++b) {
    if (spellable_[b]) bytes.push_back(static_cast<uint8_t>(b));
  }
  std::vector<uint32_t> members;
  std::vector<Partial> stack{partial};
  tsl::robin_set<Partial> visited{partial};
  while (!stack.empty()) {
    const Partial top = stack.back();
    stack.pop_back();
    for (const uint8_t byte : bytes) {
      const CodingStep step = StepCoding(coding_, top, byte);
      if (step.outcome == CodingStep::Outcome::kCodePoint) members.push_back(step.code_point);
      if (step.outcome == CodingStep::Outcome::kPartial && visited.insert(step.partial).second) {
        stack.push_back(step.partial);
      }
    }
  }
  std::sort(members.begin(), members.end());
  CodePointSet result;
  for (size_t i = 0; i < members.size();) {
    size_t end = i + 1;
    while (end < members.size() && members[end] <= members[end - 1] + 1) ++end;
    result.Add(members[i], members[end - 1]);
    i = end;
  }
  return result;
}

}  // namespace maskloom
