// SPDX-License-Identifier: Apache-2.0
#include "CAllocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_bool is_counting;
static atomic_int_fast64_t count;

void allocations_start(void) {
  atomic_store(&count, 0);
  atomic_store(&is_counting, true);
}

int64_t allocations_stop(void) {
  atomic_store(&is_counting, false);
  return atomic_load(&count);
}

#if defined(__linux__) && defined(__GLIBC__)

// A program's own `malloc` goes before that of the C library, in every library that it loads; what
// really allocates is still there under another name.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static inline void note(void) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed))
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  note();
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  note();
  void *bytes = __libc_memalign(alignment, size);
  if (bytes == NULL) return ENOMEM;
  *result = bytes;
  return 0;
}

bool allocations_can_be_counted(void) { return true; }

#else

bool allocations_can_be_counted(void) { return false; }

#endif
