#include "compiler/exit_index.h"

#include <algorithm>
#include <numeric>

#include "compiler/text_coding.h"

namespace maskloom {

CategoriesBelow::CategoriesBelow(const TokenTrie& trie) {
  std::vector<CategorySet> all(trie.node_count());
  std::vector<uint16_t> most(trie.node_count());
  for (uint32_t i = trie.node_count(); i-- > 0;) {
    const TokenTrie::Node& node = trie.node(i);
    CategorySet categories = CategorySet{1} << node.category();
    uint32_t code_points = 0;
    for (const TokenTrie::Node& child : trie.children(node)) {
      const uint32_t index = trie.IndexOf(child);
      categories |= all[index];
      code_points = std::max<uint32_t>(code_points, most[index]);
    }
    all[i] = categories;
    code_points += BeginsCodePoint(node.byte);
    most[i] = static_cast<uint16_t>(std::min<uint32_t>(code_points, 0xFFFF));
  }
  categories_ = std::move(all);
  code_points_ = std::move(most);
}

void ExitIndex::SetBeginningParts(const std::vector<std::string_view>& texts) {
  std::vector<CategorySet> categories, behind_space;
  std::vector<uint16_t> lengths;
  for (const std::string_view text : texts) {
    const TextParts parts = PartsOf(text);
    categories.push_back(parts.categories);
    behind_space.push_back(parts.behind_space);
    lengths.push_back(static_cast<uint16_t>(std::min<uint32_t>(parts.code_points, 0xFFFF)));
  }
  beginning_categories_ = std::move(categories);
  beginning_behind_space_ = std::move(behind_space);
  beginning_lengths_ = std::move(lengths);
}

ExitIndex::ExitIndex(const std::vector<Split>& tokens) {
  std::vector<std::string_view> texts;
  texts.reserve(tokens.size());
  for (const Split& token : tokens) texts.push_back(token.bytes.substr(0, token.mark));
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  std::vector<TokenTrie::Entry> entries;
  for (uint32_t i = 0; i < texts.size(); ++i) entries.push_back({texts[i], i});
  beginnings_ = TokenTrie(std::move(entries));
  SetBeginningParts(texts);
  std::vector<uint32_t> beginnings, order;
  for (const Split& token : tokens) {
    const auto text =
        std::lower_bound(texts.begin(), texts.end(), token.bytes.substr(0, token.mark));
    order.push_back(static_cast<uint32_t>(beginnings.size()));
    beginnings.push_back(static_cast<uint32_t>(text - texts.begin()));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return beginnings[a] < beginnings[b]; });
  std::vector<TokenTrie::Entry> tails;
  std::vector<Exit> exits;
  exits.reserve(tokens.size());
  for (const uint32_t i : order) {
    tails.push_back({tokens[i].bytes.substr(tokens[i].mark), static_cast<uint32_t>(exits.size())});
    exits.push_back({tokens[i].id, beginnings[i]});
  }
  std::vector<uint32_t> firsts(texts.size() + 1);
  for (const uint32_t beginning : beginnings) ++firsts[beginning + 1];
  std::partial_sum(firsts.begin(), firsts.end(), firsts.begin());
  beginning_firsts_ = std::move(firsts);
  tails_ = TokenTrie(std::move(tails));
  exits_ = std::move(exits);
  below_ = CategoriesBelow(tails_);
}

}  // namespace maskloom
