#include "compiler/item_trace.h"

#include "compiler/number_automaton.h"

namespace maskloom {

std::string TraceText(const TraceByte* trace, uint32_t length) {
  if (trace == nullptr || trace->length <= length) return {};
  std::string text(trace->length - length, '\0');
  for (size_t i = text.size(); i-- > 0; trace = trace->previous) {
    text[i] = static_cast<char>(trace->byte);
  }
  return text;
}

std::string TraceNumber(const TraceByte* trace) {
  const TraceByte* begin = trace;
  while (begin != nullptr && NumberAutomaton::IsNumberByte(begin->byte)) begin = begin->previous;
  return TraceText(trace, begin == nullptr ? 0 : begin->length);
}

std::string TraceString(const TraceByte* trace) {
  for (const TraceByte* at = trace; at != nullptr; at = at->previous) {
    if (at->byte != '"') continue;
    size_t escapes = 0;
    const TraceByte* before = at->previous;
    for (; before != nullptr && before->byte == '\\'; before = before->previous) ++escapes;
    if (escapes % 2 == 0) return TraceText(trace, at->length - 1);
  }
  return {};
}

}  // namespace maskloom
