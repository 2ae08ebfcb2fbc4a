// Products and unions of type-wise unions.
#include "grammar/schema/alternatives.h"

#include <cstring>
#include <utility>

namespace maskloom {

const AlternativesAlgebra::TypeOperations AlternativesAlgebra::kOperations[4] = {
    {&Alternatives::strings, &ConstraintPool::JoinStrings, &ConstraintPool::SimplifyStrings},
    {&Alternatives::numbers, &ConstraintPool::JoinNumbers, &ConstraintPool::SimplifyNumbers},
    {&Alternatives::arrays, &ConstraintPool::JoinArrays, &ConstraintPool::SimplifyArrays},
    {&Alternatives::objects, &ConstraintPool::JoinObjects, &ConstraintPool::SimplifyObjects},
};

Alternatives Alternatives::Everything() {
  std::vector<ConstraintId> any{kUnconstrained};
  return {true, true, true, any, any, any, any};
}

std::string KeyOf(const Alternatives& alternatives) {
  std::string key(1, static_cast<char>(alternatives.allows_null * 4 + alternatives.allows_true * 2 +
                                       alternatives.allows_false));
  auto put = [&key](const std::vector<ConstraintId>& ids) {
    uint32_t count = static_cast<uint32_t>(ids.size());
    key.append(reinterpret_cast<const char*>(&count), sizeof(count));
    key.append(reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(ConstraintId));
  };
  put(alternatives.strings);
  put(alternatives.numbers);
  put(alternatives.arrays);
  put(alternatives.objects);
  return key;
}

Status AlternativesAlgebra::JoinMembers(const Alternatives& a, const Alternatives& b,
                                        const TypeOperations& operations, Alternatives* joint) {
  const std::vector<ConstraintId>& x = a.*operations.members;
  const std::vector<ConstraintId>& y = b.*operations.members;
  std::vector<ConstraintId>& out = joint->*operations.members;
  auto is_any = [](const std::vector<ConstraintId>& members) {
    return members.size() == 1 && members[0] == kUnconstrained;
  };
  if (x.empty() || y.empty()) return Status::Ok();
  if (is_any(y) || x == y) {
    out = x;
    return Status::Ok();
  }
  if (is_any(x)) {
    out = y;
    return Status::Ok();
  }
  join_count_ += static_cast<uint64_t>(x.size()) * y.size();
  if (join_count_ > kMaxJoins) {
    return Status(StatusCode::kResourceLimit,
                  "joining the alternatives of this schema takes more than " +
                      std::to_string(kMaxJoins) +
                      " combinations, which is the limit; it joins too many `anyOf`s");
  }
  for (ConstraintId left : x) {
    for (ConstraintId right : y) {
      ConstraintId id = (pool_->*operations.join)(left, right);
      if (id != kNoConstraint) out.push_back(id);
    }
  }
  (pool_->*operations.simplify)(&out);
  if (out.size() > kMaxMembers) {
    return Status(StatusCode::kResourceLimit, "this schema has more than " +
                                                  std::to_string(kMaxMembers) +
                                                  " alternatives, which is the limit");
  }
  return Status::Ok();
}

Result<Alternatives> AlternativesAlgebra::Join(const Alternatives& a, const Alternatives& b) {
  Alternatives joint;
  joint.allows_null = a.allows_null && b.allows_null;
  joint.allows_true = a.allows_true && b.allows_true;
  joint.allows_false = a.allows_false && b.allows_false;
  for (const TypeOperations& operations : kOperations) {
    if (Status status = JoinMembers(a, b, operations, &joint); !status.ok()) return status;
  }
  return joint;
}

Result<Alternatives> AlternativesAlgebra::Unite(const std::vector<const Alternatives*>& parts) {
  Alternatives all;
  for (const Alternatives* part : parts) {
    all.allows_null |= part->allows_null;
    all.allows_true |= part->allows_true;
    all.allows_false |= part->allows_false;
    for (const TypeOperations& operations : kOperations) {
      const std::vector<ConstraintId>& members = part->*operations.members;
      std::vector<ConstraintId>& out = all.*operations.members;
      out.insert(out.end(), members.begin(), members.end());
    }
  }
  for (const TypeOperations& operations : kOperations) {
    std::vector<ConstraintId>& out = all.*operations.members;
    if (parts.size() > 1) (pool_->*operations.simplify)(&out);
    if (out.size() > kMaxMembers) {
      return Status(StatusCode::kResourceLimit, "this schema has more than " +
                                                    std::to_string(kMaxMembers) +
                                                    " alternatives, which is the limit");
    }
  }
  return all;
}

}  // namespace maskloom
