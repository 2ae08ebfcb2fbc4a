#include "grammar/base/expr.h"

#include <utility>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

void AppendEscaped(uint32_t c, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  if (c == '\n') {
    *out += "\\n";
  } else if (c == '"' || c == '\\' || c == ']' || c == '-' || c == '^') {
    *out += '\\';
    *out += static_cast<char>(c);
  } else if (c < 0x20 || c == 0x7F) {
    *out += "\\x";
    *out += kHex[c >> 4];
    *out += kHex[c & 15];
  } else {
    AppendUtf8(c, out);
  }
}

void AppendClass(const CodePointSet& set, std::string* out) {
  const auto append = [out](const CodePointSet& members, const char* open) {
    *out += open;
    for (const CodePointRange& range : members.ranges()) {
      AppendEscaped(range.first, out);
      if (range.last > range.first) {
        if (range.last > range.first + 1) *out += '-';
        AppendEscaped(range.last, out);
      }
    }
    *out += ']';
  };
  CodePointSet complement = set.Complement();
  if (complement.empty()) {
    *out += '.';
  } else if (complement.ranges().size() < set.ranges().size()) {
    append(complement, "[^");
  } else {
    append(set, "[");
  }
}

}  // namespace

ExprId ExprPool::Add(Node node) {
  nodes_.push_back(node);
  return size() - 1;
}

ExprId ExprPool::AddParent(ExprKind kind, const std::vector<ExprId>& children) {
  Node node{kind, static_cast<uint32_t>(children_.size()), static_cast<uint32_t>(children.size())};
  children_.insert(children_.end(), children.begin(), children.end());
  return Add(node);
}

ExprId ExprPool::Never() { return Add({ExprKind::kNever}); }
ExprId ExprPool::Empty() { return Add({ExprKind::kEmpty}); }

ExprId ExprPool::Text(std::u32string text) {
  if (text.empty()) return Empty();
  texts_.push_back(std::move(text));
  return Add({ExprKind::kText, static_cast<uint32_t>(texts_.size() - 1)});
}

ExprId ExprPool::Class(CodePointSet set) {
  if (set.empty()) return Never();
  sets_.push_back(std::move(set));
  return Add({ExprKind::kClass, static_cast<uint32_t>(sets_.size() - 1)});
}

ExprId ExprPool::Sequence(std::vector<ExprId> children) {
  if (children.empty()) return Empty();
  if (children.size() == 1) return children[0];
  return AddParent(ExprKind::kSequence, children);
}

ExprId ExprPool::Choice(std::vector<ExprId> children) {
  if (children.empty()) return Never();
  if (children.size() == 1) return children[0];
  return AddParent(ExprKind::kChoice, children);
}

ExprId ExprPool::Repeat(ExprId child, uint32_t min, uint32_t max) {
  if (min == 1 && max == 1) return child;
  if (max == 0) return Empty();
  // (x{a,b}){c,d} is x{ac,bd} where the counts k*a to k*b of one more x{a,b} after another leave no
  // gap between them, which shows at the least k. One counter instead of two: their pairs multiply.
  if (kind(child) == ExprKind::kRepeat) {
    uint64_t a = nodes_[child].min;
    uint64_t b = nodes_[child].max;
    uint64_t low = a * min;
    uint64_t high = b == kUnbounded || max == kUnbounded ? kUnbounded : b * max;
    bool closed =
        min == max || (b == kUnbounded && min > 0) || min * b + 1 >= (min + uint64_t{1}) * a;
    bool fits = low < kUnbounded && (high < kUnbounded || b == kUnbounded || max == kUnbounded);
    if (closed && fits) {
      child = children_[nodes_[child].first];
      return Repeat(child, static_cast<uint32_t>(low), static_cast<uint32_t>(high));
    }
  }
  ExprId id = AddParent(ExprKind::kRepeat, {child});
  nodes_[id].min = min;
  nodes_[id].max = max;
  return id;
}

ExprId ExprPool::AssertBegin() { return Add({ExprKind::kAssertBegin}); }
ExprId ExprPool::AssertEnd() { return Add({ExprKind::kAssertEnd}); }

ExprId ExprPool::LookAround(Look look, ExprId child) {
  const bool negated = look == Look::kNotAhead || look == Look::kNotBehind;
  if (kind(child) == ExprKind::kNever) return negated ? Empty() : Never();
  if (kind(child) == ExprKind::kEmpty) return negated ? Never() : Empty();
  ExprId id = AddParent(ExprKind::kLook, {child});
  nodes_[id].min = static_cast<uint32_t>(look);
  return id;
}

ExprId ExprPool::Rule(uint32_t rule) { return Add({ExprKind::kRule, rule}); }
ExprId ExprPool::Token(uint32_t token) { return Add({ExprKind::kToken, token}); }
ExprId ExprPool::Value(uint32_t value) { return Add({ExprKind::kValue, value}); }

std::string ExprPool::ToString(ExprId root, size_t max_bytes) const {
  // An explicit stack of expressions to print and strings to print between them.
  struct Piece {
    ExprId expr;
    std::string text;
    bool is_text;
  };
  std::string out;
  std::vector<Piece> stack{{root, "", false}};
  const auto push_text = [&](std::string text) { stack.push_back({0, std::move(text), true}); };
  while (!stack.empty() && out.size() < max_bytes) {
    Piece piece = std::move(stack.back());
    stack.pop_back();
    if (piece.is_text) {
      out += piece.text;
      continue;
    }
    ExprId id = piece.expr;
    switch (kind(id)) {
      case ExprKind::kNever:
        out += "never";
        break;
      case ExprKind::kEmpty:
        out += "\"\"";
        break;
      case ExprKind::kAssertBegin:
        out += "begin";
        break;
      case ExprKind::kAssertEnd:
        out += "end";
        break;
      case ExprKind::kText:
        out += '"';
        for (char32_t c : text(id)) AppendEscaped(c, &out);
        out += '"';
        break;
      case ExprKind::kClass:
        AppendClass(set(id), &out);
        break;
      case ExprKind::kRule:
        out += "rule_" + std::to_string(payload(id));
        break;
      case ExprKind::kToken:
        out += "token_" + std::to_string(payload(id));
        break;
      case ExprKind::kValue:
        out += "value_" + std::to_string(payload(id));
        break;
      case ExprKind::kRepeat: {
        std::string bounds = "{" + std::to_string(min(id)) + ",";
        if (max(id) != kUnbounded) bounds += std::to_string(max(id));
        push_text(bounds + "}");
        stack.push_back({children(id)[0], "", false});
        break;
      }
      case ExprKind::kLook: {
        static constexpr const char* kNames[] = {"ahead(", "not_ahead(", "behind(", "not_behind("};
        out += kNames[min(id)];
        push_text(")");
        stack.push_back({children(id)[0], "", false});
        break;
      }
      case ExprKind::kSequence:
      case ExprKind::kChoice: {
        const char* separator = kind(id) == ExprKind::kChoice ? " | " : " ";
        push_text(")");
        auto list = children(id);
        for (size_t i = list.size(); i-- > 0;) {
          stack.push_back({list[i], "", false});
          if (i > 0) push_text(separator);
        }
        push_text("(");
        break;
      }
    }
  }
  if (!stack.empty()) out += "...";
  return out;
}

}  // namespace maskloom
