// SPDX-License-Identifier: Apache-2.0
// Disks, and what they remember of their files.

#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Disks are few at a time, but a run of all tests makes many: places are used again, and what was
/// let go stays in memory, since a connection may still know it.
enum { MAXIMUM = 4096 };
static struct disk *disks[MAXIMUM];
static pthread_mutex_t disks_lock = PTHREAD_MUTEX_INITIALIZER;

void *faulty_disk_memory(void *old, size_t size) {
  void *memory = realloc(old, size > 0 ? size : 1);
  if (memory == NULL) abort();
  return memory;
}

struct disk *faulty_disk_of(const char *path) {
  struct disk *found = NULL;
  pthread_mutex_lock(&disks_lock);
  for (int i = 0; i < MAXIMUM && found == NULL; i++) {
    struct disk *disk = disks[i];
    if (disk != NULL && strncmp(path, disk->folder, disk->length) == 0) found = disk;
  }
  pthread_mutex_unlock(&disks_lock);
  return found;
}

struct disk *faulty_disk_locked(int number) {
  pthread_mutex_lock(&disks_lock);
  struct disk *disk = number >= 0 && number < MAXIMUM ? disks[number] : NULL;
  pthread_mutex_unlock(&disks_lock);
  if (disk == NULL) abort();
  pthread_mutex_lock(&disk->lock);
  return disk;
}

int faulty_disk_make(const char *folder) {
  char *path = realpath(folder, NULL);
  if (path == NULL || faulty_disk_register() != 0) {
    free(path);
    return -1;
  }
  struct disk *disk = faulty_disk_memory(NULL, sizeof *disk);
  memset(disk, 0, sizeof *disk);
  pthread_mutex_init(&disk->lock, NULL);
  disk->length = strlen(path) + 1;
  disk->folder = faulty_disk_memory(path, disk->length + 1);
  disk->folder[disk->length - 1] = '/';
  disk->folder[disk->length] = 0;
  int number = -1;
  pthread_mutex_lock(&disks_lock);
  for (int i = 0; i < MAXIMUM && number < 0; i++) {
    if (disks[i] == NULL) number = i;
  }
  if (number >= 0) disks[number] = disk;
  pthread_mutex_unlock(&disks_lock);
  return number;
}

static void free_nodes(struct disk *disk) {
  while (disk->nodes != NULL) {
    struct node *node = disk->nodes;
    disk->nodes = node->next;
    faulty_disk_forget(node);
    free(node->changes);
    free(node->image);
    free(node);
  }
}

void faulty_disk_free(int number) {
  struct disk *disk = faulty_disk_locked(number);
  pthread_mutex_lock(&disks_lock);
  disks[number] = NULL;
  pthread_mutex_unlock(&disks_lock);
  // The rest is small, and stays for connections that are still open.
  disk->life++;
  disk->is_off = 1;
  free_nodes(disk);
  while (disk->names != NULL) {
    struct name *name = disk->names;
    disk->names = name->next;
    free(name->since);
    free(name->path);
    free(name);
  }
  pthread_mutex_unlock(&disk->lock);
}

int64_t faulty_disk_count(int number, int kind) {
  struct disk *disk = faulty_disk_locked(number);
  int64_t count = disk->counts[kind];
  pthread_mutex_unlock(&disk->lock);
  return count;
}

int64_t faulty_disk_changes(int number) {
  struct disk *disk = faulty_disk_locked(number);
  int64_t count = disk->changes;
  pthread_mutex_unlock(&disk->lock);
  return count;
}

void faulty_disk_fail(int number, int kind, int64_t nth, int error, int forever) {
  struct disk *disk = faulty_disk_locked(number);
  disk->faults[kind] = (struct fault){disk->counts[kind] + nth, error, forever};
  pthread_mutex_unlock(&disk->lock);
}

void faulty_disk_cut(int number, int64_t nth) {
  struct disk *disk = faulty_disk_locked(number);
  if (nth <= 0) disk->is_off = 1;
  disk->cut_at = nth <= 0 ? 0 : disk->changes + nth;
  pthread_mutex_unlock(&disk->lock);
}

int faulty_disk_is_off(int number) {
  struct disk *disk = faulty_disk_locked(number);
  int is_off = disk->is_off;
  pthread_mutex_unlock(&disk->lock);
  return is_off;
}

void faulty_disk_clear(struct disk *disk) {
  memset(disk->faults, 0, sizeof disk->faults);
  disk->cut_at = 0;
}

void faulty_disk_heal(int number) {
  struct disk *disk = faulty_disk_locked(number);
  faulty_disk_clear(disk);
  pthread_mutex_unlock(&disk->lock);
}

void faulty_disk_set_lying(int number, int lies) {
  struct disk *disk = faulty_disk_locked(number);
  disk->is_lying = lies;
  pthread_mutex_unlock(&disk->lock);
}

void faulty_disk_set_read_only(int number, int is_read_only) {
  struct disk *disk = faulty_disk_locked(number);
  disk->is_read_only = is_read_only;
  pthread_mutex_unlock(&disk->lock);
}

struct name *faulty_disk_name(struct disk *disk, const char *path) {
  for (struct name *name = disk->names; name != NULL; name = name->next) {
    if (strcmp(name->path, path) == 0) return name;
  }
  struct name *name = faulty_disk_memory(NULL, sizeof *name);
  memset(name, 0, sizeof *name);
  name->path = faulty_disk_memory(NULL, strlen(path) + 1);
  strcpy(name->path, path);
  name->next = disk->names;
  disk->names = name;
  return name;
}

struct node *faulty_disk_meaning(const struct name *name) {
  return name->count > 0 ? name->since[name->count - 1] : name->synced;
}

void faulty_disk_settle(struct name *name, struct node *node) {
  name->synced = node;
  name->count = 0;
}

static int load(struct node *node, const char *path, int64_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  node->size = 0;
  unsigned char *bytes = faulty_disk_memory(NULL, (size_t)size);
  int64_t got = 0;
  while (got < size) {
    ssize_t part = read(file, bytes + got, (size_t)(size - got));
    if (part <= 0) break;
    got += part;
  }
  close(file);
  faulty_disk_apply(node, bytes, got, 0);
  free(bytes);
  return 0;
}

struct node *faulty_disk_look(struct disk *disk, struct name *name) {
  struct node *known = faulty_disk_meaning(name);
  struct stat found;
  if (stat(name->path, &found) != 0) {
    if (known != NULL) faulty_disk_settle(name, NULL);
    return NULL;
  }
  struct node *node = disk->nodes;
  while (node != NULL && (node->device != found.st_dev || node->number != found.st_ino)) {
    node = node->next;
  }
  if (node == NULL) {
    node = faulty_disk_memory(NULL, sizeof *node);
    memset(node, 0, sizeof *node);
    node->device = found.st_dev;
    node->number = found.st_ino;
    node->next = disk->nodes;
    disk->nodes = node;
    if (found.st_size > 0) load(node, name->path, found.st_size);
  } else if (node->handles == 0 && node->change_count == 0) {
    load(node, name->path, found.st_size);
  }
  if (node != known) {
    // Somebody else put it here: it has no other name.
    for (struct name *other = disk->names; other != NULL; other = other->next) {
      if (faulty_disk_meaning(other) == node) faulty_disk_settle(other, NULL);
    }
    faulty_disk_settle(name, node);
  }
  return node;
}

void faulty_disk_rename(struct name *name, struct node *node) {
  if (name->count == name->room) {
    name->room = name->room * 2 + 4;
    name->since = faulty_disk_memory(name->since, name->room * sizeof *name->since);
  }
  name->since[name->count++] = node;
}

void faulty_disk_sync_folder(struct disk *disk) {
  for (struct name *name = disk->names; name != NULL; name = name->next) {
    faulty_disk_settle(name, faulty_disk_meaning(name));
  }
}

void faulty_disk_note(
    struct disk *disk, struct node *node, const void *bytes, int64_t length, int64_t offset) {
  if (node->change_count == node->change_room) {
    node->change_room = node->change_room * 2 + 64;
    node->changes = faulty_disk_memory(node->changes, node->change_room * sizeof *node->changes);
  }
  struct change *change = &node->changes[node->change_count++];
  *change = (struct change){++disk->time, offset, length, NULL};
  if (bytes != NULL) {
    change->bytes = faulty_disk_memory(NULL, (size_t)length);
    memcpy(change->bytes, bytes, (size_t)length);
  }
}

void faulty_disk_apply(
    struct node *node, const unsigned char *bytes, int64_t length, int64_t offset) {
  int64_t end = offset + length;
  if (end > node->room) {
    node->room = end + end / 2;
    node->image = faulty_disk_memory(node->image, (size_t)node->room);
  }
  int64_t target = bytes == NULL || end > node->size ? end : node->size;
  if (target > node->size) memset(node->image + node->size, 0, (size_t)(target - node->size));
  node->size = target;
  if (bytes != NULL) memcpy(node->image + offset, bytes, (size_t)length);
}

void faulty_disk_forget(struct node *node) {
  for (size_t i = 0; i < node->change_count; i++) free(node->changes[i].bytes);
  node->change_count = 0;
}

void faulty_disk_sync_node(struct node *node) {
  for (size_t i = 0; i < node->change_count; i++) {
    const struct change *change = &node->changes[i];
    faulty_disk_apply(node, change->bytes, change->length, change->offset);
  }
  faulty_disk_forget(node);
}
