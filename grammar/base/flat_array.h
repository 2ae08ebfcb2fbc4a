// A sequence that never changes once it is made, in memory of its own or in a file's.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace maskloom {

// Read like a const vector. It either owns its elements, moved in from a vector, or views elements
// that someone else keeps: where they are makes no difference to a reader, who follows one pointer.
// Copies of views are views; copies of owners are deep. Thread safety: const calls from any thread.
template <typename T>
class FlatArray {
  static_assert(std::is_trivially_copyable_v<T>, "elements may lie in a mapped file");

 public:
  using value_type = T;
  using const_iterator = const T*;
  using iterator = const_iterator;

  FlatArray() = default;
  FlatArray(std::vector<T> elements)  // NOLINT(google-explicit-constructor)
      : owned_(std::move(elements)), data_(owned_.data()), size_(owned_.size()) {}
  // Requires: `elements` outlive this and its copies.
  static FlatArray ViewOf(std::span<const T> elements) {
    FlatArray view;
    view.data_ = elements.data();
    view.size_ = elements.size();
    return view;
  }

  FlatArray(const FlatArray& other) { *this = other; }
  FlatArray(FlatArray&& other) noexcept { *this = std::move(other); }
  FlatArray& operator=(const FlatArray& other) {
    if (this == &other) return *this;
    owned_ = other.owned_;
    data_ = other.is_view() ? other.data_ : owned_.data();
    size_ = other.size_;
    return *this;
  }
  FlatArray& operator=(FlatArray&& other) noexcept {
    if (this == &other) return *this;
    // The elements of a vector stay where they are when it is moved.
    owned_ = std::move(other.owned_);
    other.owned_.clear();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~FlatArray() = default;

  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Requires: index < size().
  const T& operator[](size_t index) const { return data_[index]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }
  operator std::span<const T>() const { return {data_, size_}; }  // NOLINT

  bool is_view() const { return data_ != owned_.data(); }
  // Memory that this itself holds; 0 of a view.
  size_t owned_bytes() const { return owned_.capacity() * sizeof(T); }

  friend bool operator==(const FlatArray& a, const FlatArray& b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i) {
      if (!(a.data_[i] == b.data_[i])) return false;
    }
    return true;
  }

 protected:
  std::vector<T> owned_;  // empty in a view
  const T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace maskloom
