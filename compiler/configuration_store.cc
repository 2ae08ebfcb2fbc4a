#include "compiler/configuration_store.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <atomic>

namespace maskloom {
namespace {

constexpr size_t kArenaChunkBytes = 16 << 10;
constexpr size_t kMinCompactBytes = 256 << 10;
constexpr size_t kMaxSharedArenas = 16;

// Where objects were copied to: a list, for the few that one token makes, ...
class ShortForwarding {
 public:
  // Returns the slot of `from`, null where it is new.
  void** Find(const void* from) {
    for (auto& [key, to] : entries_) {
      if (key == from) return &to;
    }
    entries_.push_back({from, nullptr});
    return &entries_.back().second;
  }
  void Clear() { entries_.clear(); }

 private:
  std::vector<std::pair<const void*, void*>> entries_;
};

// ... and a table, for all that a matcher remembers.
class Forwarding {
 public:
  void** Find(const void* from) { return &map_.try_emplace(from, nullptr).first.value(); }
  void Clear() { map_.clear(); }  // keeps its memory

 private:
  tsl::robin_map<const void*, void*> map_;
};

// Copies the part of a configuration that lies in arenas to be left behind.
class Copier {
 public:
  // Copies what `must_copy(pointer)` holds for; the rest is pointed to where it is.
  template <typename Map, typename MustCopy>
  static Item* CopyItems(Items items, Arena* to, Map* map, MustCopy must_copy) {
    Item* result = to->NewArray<Item>(items.size());
    // Nodes whose edges are still to be copied, with the copies.
    static thread_local std::vector<std::pair<const StackNode*, StackNode*>> pending;
    pending.clear();
    const auto node_of = [&](const StackNode* node) -> const StackNode* {
      if (node == nullptr || !must_copy(node)) return node;
      void** slot = map->Find(node);
      if (*slot == nullptr) {
        StackNode* copy = to->New<StackNode>(nullptr, node->blocked, node->traced_depth);
        *slot = copy;
        pending.push_back({node, copy});
      }
      return static_cast<const StackNode*>(*slot);
    };
    for (size_t i = 0; i < items.size(); ++i) {
      new (&result[i]) Item(items[i]);
      result[i].level = 0;
      CopyRegisters(&result[i].frame, to, map, must_copy);
      result[i].stack = node_of(items[i].stack);
      result[i].trace = CopyList(items[i].trace, to, map, must_copy, [](TraceByte*) {});
    }
    while (!pending.empty()) {
      const auto [node, copy] = pending.back();
      pending.pop_back();
      const ReturnEdge** link = &copy->edges;
      for (const ReturnEdge* edge = node->edges; edge != nullptr; edge = edge->next) {
        ReturnEdge* edge_copy = to->New<ReturnEdge>(edge->frame, nullptr, 0u, nullptr);
        *link = edge_copy;
        link = const_cast<const ReturnEdge**>(&edge_copy->next);
        CopyRegisters(&edge_copy->frame, to, map, must_copy);
        edge_copy->below = node_of(edge->below);
        edge_copy->traced = edge->traced;
      }
    }
    return result;
  }

 private:
  template <typename Map, typename MustCopy>
  static void CopyRegisters(Frame* frame, Arena* to, Map* map, MustCopy must_copy) {
    if (frame->seen_words != nullptr && must_copy(frame->seen_words)) {
      const uint32_t words = frame->seen_word_count;
      uint64_t* copy = to->NewArray<uint64_t>(words);
      std::copy(frame->seen_words, frame->seen_words + words, copy);
      frame->seen_words = copy;
    }
    frame->key_text = CopyList(frame->key_text, to, map, must_copy, [](KeyText*) {});
    frame->seen_keys = CopyList(frame->seen_keys, to, map, must_copy, [&](SeenKey* key) {
      key->text = CopyList(key->text, to, map, must_copy, [](KeyText*) {});
    });
    if (frame->seen_values != nullptr) {
      frame->seen_values = CopySeenValues(frame->seen_values, to, map, must_copy);
    }
  }

  template <typename Map, typename MustCopy>
  static const SeenValue* CopySeenValues(const SeenValue* list, Arena* to, Map* map,
                                         MustCopy must_copy) {
    static thread_local std::vector<SeenValue*> copies;
    copies.clear();
    const uint32_t newest = list->count;
    const SeenValue* result = CopyList(list, to, map, must_copy, [&](SeenValue* value) {
      copies.push_back(value);
      if (!must_copy(value->bytes)) return;
      char* bytes = to->NewArray<char>(value->size);
      std::copy(value->bytes, value->bytes + value->size, bytes);
      value->bytes = bytes;
    });
    // Each counts one less than the one before it, which tells where its copy is.
    const auto copy_of = [&](const SeenValue* value) -> const SeenValue* {
      if (value == nullptr) return nullptr;
      const size_t place = newest - value->count;
      if (place < copies.size()) return copies[place];
      return must_copy(value) ? static_cast<const SeenValue*>(*map->Find(value)) : value;
    };
    for (SeenValue* copy : copies) {
      copy->twin = copy_of(copy->twin);
      if (copy->depth == 0) continue;
      const SeenValue** others = to->NewArray<const SeenValue*>(copy->depth);
      for (uint32_t i = 0; i < copy->depth; ++i) others[i] = copy_of(copy->others[i]);
      copy->others = others;
    }
    return result;
  }

  // Copies the front part of a `previous`-linked list, as far as it must be copied.
  template <typename Node, typename Map, typename MustCopy, typename Adapt>
  static const Node* CopyList(const Node* list, Arena* to, Map* map, MustCopy must_copy,
                              Adapt adapt) {
    const Node* head = nullptr;
    const Node** link = &head;
    for (; list != nullptr; list = list->previous) {
      if (!must_copy(list)) break;
      void** slot = map->Find(list);
      if (*slot != nullptr) {
        *link = static_cast<const Node*>(*slot);
        return head;
      }
      Node* copy = to->New<Node>(*list);
      *slot = copy;
      adapt(copy);
      *link = copy;
      link = const_cast<const Node**>(&copy->previous);
    }
    *link = list;
    return head;
  }
};

}  // namespace

ConfigurationStore::ConfigurationStore() : own_(std::make_shared<Arena>(kArenaChunkBytes)) {}

ConfigurationStore::ConfigurationStore(const ConfigurationStore& other)
    : shared_(other.shared_),
      own_(std::make_shared<Arena>(kArenaChunkBytes)),
      alive_bytes_(other.alive_bytes_) {
  // What the other store adds from now on is unknown here; what is there stays readable.
  shared_.push_back(other.own_);
}

const Configuration* ConfigurationStore::Keep(const Arena& scratch, Items items,
                                              const Configuration* previous, uint32_t max_history) {
  // Reused between calls so that a steady state allocates nothing.
  static thread_local ShortForwarding forwarding;
  forwarding.Clear();
  const Item* copy = Copier::CopyItems(items, own_.get(), &forwarding,
                                       [&](const void* p) { return scratch.Contains(p); });
  Configuration* configuration = New(previous, max_history);
  configuration->items = copy;
  configuration->item_count = static_cast<uint32_t>(items.size());
  return configuration;
}

const Configuration* ConfigurationStore::KeepWhole(Items items) {
  Forwarding map;
  Configuration* configuration = New(nullptr, 0);
  configuration->items =
      Copier::CopyItems(items, own_.get(), &map, [](const void*) { return true; });
  configuration->item_count = static_cast<uint32_t>(items.size());
  return configuration;
}

const Configuration* ConfigurationStore::KeepEnd(const Configuration* previous,
                                                 uint32_t max_history) {
  Configuration* configuration = New(previous, max_history);
  configuration->terminated = true;
  return configuration;
}

Configuration* ConfigurationStore::New(const Configuration* previous, uint32_t max_history) {
  Configuration* configuration = own_->New<Configuration>();
  configuration->previous = previous;
  if (previous != nullptr) {
    configuration->history = std::min(previous->history + 1, max_history);
    configuration->token_count = previous->token_count + 1;
  }
  return configuration;
}

const Configuration* ConfigurationStore::CompactIfGrown(const Configuration* current) {
  const bool grown = own_->UsedBytes() > std::max(kMinCompactBytes, 2 * alive_bytes_);
  if (!grown && shared_.size() <= kMaxSharedArenas) return current;
  return Compact(current);
}

std::shared_ptr<Arena> ConfigurationStore::TakeSpare() {
  return spare_ != nullptr ? std::move(spare_) : std::make_shared<Arena>(kArenaChunkBytes);
}

const Configuration* ConfigurationStore::Compact(const Configuration* current) {
  std::shared_ptr<Arena> to = TakeSpare();
  static thread_local Forwarding map;
  map.Clear();
  const Configuration* result = nullptr;
  const Configuration** link = &result;
  uint32_t left = current->history + 1;
  for (const Configuration* old = current; left > 0; old = old->previous, --left) {
    Configuration* copy = to->New<Configuration>(*old);
    copy->items = Copier::CopyItems(old->span(), to.get(), &map, [](const void*) { return true; });
    copy->history = left - 1;
    copy->previous = nullptr;
    *link = copy;
    link = &copy->previous;
  }
  MoveTo(std::move(to));
  return result;
}

void ConfigurationStore::Compact(std::span<const Configuration*> kept) {
  std::shared_ptr<Arena> to = TakeSpare();
  Forwarding map;
  for (const Configuration*& one : kept) {
    Configuration* copy = to->New<Configuration>(*one);
    copy->items = Copier::CopyItems(one->span(), to.get(), &map, [](const void*) { return true; });
    copy->history = 0;
    copy->previous = nullptr;
    one = copy;
  }
  MoveTo(std::move(to));
}

void ConfigurationStore::MoveTo(std::shared_ptr<Arena> to) {
  shared_.clear();
  // A fork may still read the old arena; then it is left to it.
  if (OwnIsUnshared()) {
    own_->Reset();
    spare_ = std::move(own_);
  }
  own_ = std::move(to);
  alive_bytes_ = own_->UsedBytes();
}

bool ConfigurationStore::OwnIsUnshared() const {
  if (own_.use_count() != 1) return false;
  // What the last fork read must be behind us before the memory is written again.
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

void ConfigurationStore::Clear() {
  shared_.clear();
  if (OwnIsUnshared()) {
    own_->Reset();
  } else {
    own_ = std::make_shared<Arena>(kArenaChunkBytes);
  }
  alive_bytes_ = 0;
}

}  // namespace maskloom
