// A FlatArray for whoever builds it: like a vector as long as it changes, like a view of a file
// where it was read from one.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "grammar/base/flat_array.h"

namespace maskloom {

// Reading is as with FlatArray: one pointer to follow, no question whose memory it is. Whoever
// changes a view gets elements of their own first, so a file that is mapped is never written to.
// Not thread-safe while it changes; const calls from any thread.
template <typename T>
class EditableArray : public FlatArray<T> {
  using Base = FlatArray<T>;

 public:
  using iterator = T*;

  EditableArray() = default;
  EditableArray(std::vector<T> elements)  // NOLINT(google-explicit-constructor)
      : Base(std::move(elements)) {}
  EditableArray(FlatArray<T> elements)  // NOLINT(google-explicit-constructor)
      : Base(std::move(elements)) {}
  EditableArray(std::initializer_list<T> elements) : Base(std::vector<T>(elements)) {}

  using Base::back;
  using Base::begin;
  using Base::data;
  using Base::end;
  using Base::operator[];
  T* data() { return Own().data(); }
  T* begin() { return Own().data(); }
  T* end() { return Own().data() + Base::size(); }
  T& back() { return Own().back(); }
  T& operator[](size_t index) { return Own()[index]; }

  void push_back(const T& element) {
    Own().push_back(element);
    Settle();
  }
  void pop_back() {
    Own().pop_back();
    Settle();
  }
  void resize(size_t size, const T& element = T()) {
    Own().resize(size, element);
    Settle();
  }
  void assign(size_t size, const T& element) {
    Own().assign(size, element);
    Settle();
  }
  // Appends [first, last), which lies in another array.
  template <typename Iterator>
  void append(Iterator first, Iterator last) {
    std::vector<T>& own = Own();
    own.insert(own.end(), first, last);
    Settle();
  }
  void clear() { *this = EditableArray(); }

 private:
  std::vector<T>& Own() {
    if (Base::is_view()) Base::owned_.assign(Base::data_, Base::data_ + Base::size_);
    Settle();
    return Base::owned_;
  }
  void Settle() {
    Base::data_ = Base::owned_.data();
    Base::size_ = Base::owned_.size();
  }
};

}  // namespace maskloom
