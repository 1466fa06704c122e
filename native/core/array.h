// Numbers in a row: owned, or lent by somebody who outlives the array (a caller's buffer, a mapped
// file). Those that it allocates itself are aligned for every SIMD register.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace skillspan {

template <typename T>
class Array {
 public:
  Array() = default;
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }

  // n zeros. An array of another size (0) comes back where memory is short.
  static Array zeros(size_t n) {
    Array array = uninitialised(n);
    if (array.size_ > 0) std::memset(array.owned_.get(), 0, n * sizeof(T));
    return array;
  }

  static Array uninitialised(size_t n) {
    Array array;
    array.owned_.reset(static_cast<T*>(allocate(n * sizeof(T))));
    array.data_ = array.owned_.get();
    array.size_ = array.data_ ? n : 0;
    return array;
  }

  // Owns the numbers of a vector, where they are.
  static Array of(std::vector<T> values) {
    Array array;
    array.adopted_ = std::move(values);
    array.data_ = array.adopted_.data();
    array.size_ = array.adopted_.size();
    return array;
  }

  static Array lent(const T* data, size_t n) {
    Array array;
    array.data_ = data;
    array.size_ = n;
    return array;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* data() const { return data_; }
  const T& operator[](size_t i) const { return data_[i]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  // Null unless the array allocated the numbers itself.
  T* writable() { return owned_.get(); }

 private:
  // Scans of many megabytes run up to a quarter faster over huge pages.
  static constexpr size_t kHugePage = size_t{2} << 20;

  static void* allocate(size_t bytes) {
    void* const p = ::operator new(bytes, std::align_val_t{kAlignment}, std::nothrow);
#if defined(__linux__)
    if (p && bytes >= 2 * kHugePage) {
      const uintptr_t at = reinterpret_cast<uintptr_t>(p);
      const uintptr_t first = (at + kHugePage - 1) / kHugePage * kHugePage;
      madvise(reinterpret_cast<void*>(first), at + bytes - first, MADV_HUGEPAGE);
    }
#endif
    return p;
  }

  static constexpr size_t kAlignment = 64;

  struct Delete {
    void operator()(T* p) const { ::operator delete(p, std::align_val_t{kAlignment}); }
  };

  void swap(Array& other) {
    std::swap(owned_, other.owned_);
    std::swap(adopted_, other.adopted_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::unique_ptr<T[], Delete> owned_;
  std::vector<T> adopted_;
  const T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace skillspan
