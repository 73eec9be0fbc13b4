// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A queue as somebody writes it who wants nothing but speed: one table, one partial index,
/// prepared statements, no checks. All calls return seconds, or less than zero where SQLite failed.

/// Adds `count` jobs of `bytes` bytes, `batch` to a transaction, to a new file.
double raw_enqueue(const char *path, int count, int batch, int bytes, int synchronous);

/// Takes `count` jobs that are there: each batch is claimed in one transaction and deleted in
/// another.
double raw_drain(const char *path, int count, int batch, int synchronous);

/// The median of how long it takes to write 4 KB and wait for the disk.
double raw_sync(const char *path);
