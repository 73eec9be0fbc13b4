// SPDX-License-Identifier: Apache-2.0
// What a disk remembers; see CFaultyDisk.h for what it is.

#ifndef MAINSTAY_CFAULTYDISK_INTERNAL_H
#define MAINSTAY_CFAULTYDISK_INTERNAL_H

#include "CFaultyDisk.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>

/// A change of a file that is not synced.
struct change {
  /// When it was made, among all changes of the disk.
  uint64_t time;
  int64_t offset;
  int64_t length;
  /// What is written; NULL where the file is cut at the offset.
  unsigned char *bytes;
};

/// A file, under whatever name.
struct node {
  struct node *next;
  dev_t device;
  ino_t number;
  /// As of the last sync.
  unsigned char *image;
  int64_t size;
  int64_t room;
  struct change *changes;
  size_t change_count;
  size_t change_room;
  int handles;
};

/// A name in the folder, and what it meant.
struct name {
  struct name *next;
  char *path;
  /// As of the last sync of the folder; NULL for nothing.
  struct node *synced;
  /// What it came to mean since then, in order.
  struct node **since;
  size_t count;
  size_t room;
};

/// An order to fail.
struct fault {
  /// The number of the call, as `counts` counts; 0 for none.
  int64_t at;
  int error;
  int forever;
};

struct disk {
  pthread_mutex_t lock;
  /// Its folder, with a slash at the end; NULL where it was let go.
  char *folder;
  size_t length;
  /// Raised with each restart: what was opened before is dead.
  uint64_t life;
  int is_off;
  int is_lying;
  int is_read_only;
  int64_t counts[FAULTY_DISK_KINDS];
  int64_t changes;
  int64_t cut_at;
  uint64_t time;
  struct fault faults[FAULTY_DISK_KINDS];
  struct node *nodes;
  struct name *names;
};

/// The disk that a path lies on; NULL for none.
struct disk *faulty_disk_of(const char *path);

/// Memory that is there, or the process ends.
void *faulty_disk_memory(void *old, size_t size);

/// The disk of a number, locked.
struct disk *faulty_disk_locked(int number);

// All of these are called with the disk locked.

/// Forgets what was ordered.
void faulty_disk_clear(struct disk *disk);

/// What a name means counts as synced.
void faulty_disk_settle(struct name *name, struct node *node);

/// The name of a path, which is made where it is new.
struct name *faulty_disk_name(struct disk *disk, const char *path);

/// What a name means now.
struct node *faulty_disk_meaning(const struct name *name);

/// Takes over what others have done under a name.
/// Returns what it means now; NULL where there is nothing.
struct node *faulty_disk_look(struct disk *disk, struct name *name);

/// A name means something else, and the folder is not synced.
void faulty_disk_rename(struct name *name, struct node *node);

/// Syncs the folder.
void faulty_disk_sync_folder(struct disk *disk);

/// Remembers a change.
void faulty_disk_note(
    struct disk *disk, struct node *node, const void *bytes, int64_t length, int64_t offset);

/// Syncs a file.
void faulty_disk_sync_node(struct node *node);

/// Makes a change to what counts as synced.
void faulty_disk_apply(
    struct node *node, const unsigned char *bytes, int64_t length, int64_t offset);

/// Forgets what is not synced.
void faulty_disk_forget(struct node *node);

/// Registers the layer, once.
int faulty_disk_register(void);

#endif
