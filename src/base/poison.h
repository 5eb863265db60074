/* Poison: tells the address sanitizer which bytes nobody may touch, so that use after a reset or a
 * free of our own allocators is caught like use after free. Nothing at all in other builds. */
#ifndef SRC_BASE_POISON_H
#define SRC_BASE_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define POISON_IS_CHECKED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISON_IS_CHECKED
#endif
#endif

#ifdef POISON_IS_CHECKED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(data, size)   ((void)(data), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(data, size) ((void)(data), (void)(size))
#endif

#endif
