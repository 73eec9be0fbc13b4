// SPDX-License-Identifier: Apache-2.0
// A disk that fails, for tests: a layer between SQLite and the files below one folder.
//
// It is registered as the default VFS of SQLite over the one that was the default before. A file
// whose path is not below the folder of a disk is opened by that one, and this layer never sees it
// again; so tests run side by side, each with a disk of its own, and code that opens its database
// by a path needs to know nothing.
//
// What a process sees is in the real files: a write reaches them at once, as it reaches the cache
// of an operating system. What would be left after a power cut is kept apart, in memory:
//
// - For each file, the bytes as of its last sync, and the writes and truncations since then.
// - For each name, the file that it meant when its folder was last synced, and what was created and
//   deleted under it since then. SQLite syncs the folder with the first sync of a log or journal
//   that it has opened, and with some deletions; a sync of the database itself does not.
//
// When the power is cut, every call fails from then on. `faulty_disk_restart` then draws lots: for
// each name how many of its changes happened, and for each file which of the changes since its last
// sync did. All of them, none, those before some moment, or any of them, whole or torn at sectors
// of 512 bytes; a sector that was being written may also hold rubbish. Bytes around a write stay as
// they were (SQLite's "powersafe overwrite", which it takes for granted by default). Real files are
// replaced by what is left of them, and the shared memory beside them goes away. A connection from
// before the cut never reaches the new files: all it gets are I/O errors. It should be closed
// before the restart, as a process that has lost its power holds no locks.
//
// Files that others than SQLite create, rename, delete or change in place are taken as they are
// found when SQLite opens them next, and count as synced.
//
// Calls can be made to fail: the n-th one of a kind, once or from then on. A failed write leaves
// nothing, and a failed sync leaves what is not synced as it was. Locks never fail.

#ifndef MAINSTAY_CFAULTYDISK_H
#define MAINSTAY_CFAULTYDISK_H

#include <stdint.h>

/// What SQLite asks of a disk. Opening is counted whether it creates a file or not.
enum {
  FAULTY_DISK_OPEN = 0,
  FAULTY_DISK_READ = 1,
  FAULTY_DISK_WRITE = 2,
  FAULTY_DISK_SYNC = 3,
  FAULTY_DISK_TRUNCATE = 4,
  FAULTY_DISK_DELETE = 5,
  FAULTY_DISK_KINDS = 6
};

/// How a call fails. A short read returns zeros; a call that has no such error fails with EIO.
enum { FAULTY_DISK_EIO = 0, FAULTY_DISK_ENOSPC = 1, FAULTY_DISK_SHORT_READ = 2 };

/// Makes the disk of a folder, which has to be there. Returns its number, or -1.
int faulty_disk_make(const char *folder);

/// Lets go of a disk. Its files stay; connections that are still open get I/O errors.
void faulty_disk_free(int disk);

/// How many calls of a kind there were, since the disk was made.
int64_t faulty_disk_count(int disk, int kind);

/// How many calls there were that can change what is on the disk: all but reads.
int64_t faulty_disk_changes(int disk);

/// Makes the n-th call of a kind from now on fail, from 1; with `forever`, and all after it. There
/// is one such order for each kind.
void faulty_disk_fail(int disk, int kind, int64_t nth, int error, int forever);

/// Cuts the power at the n-th call from now on that is not a read, from 1; 0 for at once.
void faulty_disk_cut(int disk, int64_t nth);

/// Whether the power was cut.
int faulty_disk_is_off(int disk);

/// Forgets all orders to fail or to cut.
void faulty_disk_heal(int disk);

/// Makes syncs return without doing anything.
void faulty_disk_set_lying(int disk, int lies);

/// Lets nothing be changed, as a disk that was mounted to be read.
void faulty_disk_set_read_only(int disk, int is_read_only);

/// Switches the power on again, after it was cut or by cutting it now; `seed` draws the lots. What
/// was ordered is forgotten. Returns 0, or the error number of the real file system.
int faulty_disk_restart(int disk, uint64_t seed);

#endif
