// SPDX-License-Identifier: Apache-2.0
#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations can be counted on this platform.
bool allocations_can_be_counted(void);

/// Starts counting the allocations of all threads, from zero.
void allocations_start(void);

/// Stops counting, and returns how many allocations there were.
int64_t allocations_stop(void);

#endif
