// SPDX-License-Identifier: Apache-2.0
// Disks, and what they remember of their files.

#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

static struct disk *with(int number) {
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
  struct disk *disk = with(number);
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
  struct disk *disk = with(number);
  int64_t count = disk->counts[kind];
  pthread_mutex_unlock(&disk->lock);
  return count;
}

int64_t faulty_disk_changes(int number) {
  struct disk *disk = with(number);
  int64_t count = disk->changes;
  pthread_mutex_unlock(&disk->lock);
  return count;
}

void faulty_disk_fail(int number, int kind, int64_t nth, int error, int forever) {
  struct disk *disk = with(number);
  disk->faults[kind] = (struct fault){disk->counts[kind] + nth, error, forever};
  pthread_mutex_unlock(&disk->lock);
}

void faulty_disk_cut(int number, int64_t nth) {
  struct disk *disk = with(number);
  if (nth <= 0) disk->is_off = 1;
  disk->cut_at = nth <= 0 ? 0 : disk->changes + nth;
  pthread_mutex_unlock(&disk->lock);
}

int faulty_disk_is_off(int number) {
  struct disk *disk = with(number);
  int is_off = disk->is_off;
  pthread_mutex_unlock(&disk->lock);
  return is_off;
}

static void heal(struct disk *disk) {
  memset(disk->faults, 0, sizeof disk->faults);
  disk->cut_at = 0;
}

void faulty_disk_heal(int number) {
  struct disk *disk = with(number);
  heal(disk);
  pthread_mutex_unlock(&disk->lock);
}

void faulty_disk_set_lying(int number, int lies) {
  struct disk *disk = with(number);
  disk->is_lying = lies;
  pthread_mutex_unlock(&disk->lock);
}

void faulty_disk_set_read_only(int number, int is_read_only) {
  struct disk *disk = with(number);
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

/// What lies under the name counts as synced.
static void settle(struct name *name, struct node *node) {
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
    if (known != NULL) settle(name, NULL);
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
      if (faulty_disk_meaning(other) == node) settle(other, NULL);
    }
    settle(name, node);
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
    settle(name, faulty_disk_meaning(name));
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

/// How lots are drawn.
struct lots {
  uint64_t state;
  enum { NONE, ALL, UNTIL, SOME, SECTORS, RUBBISH } rule;
  /// Out of 8.
  unsigned chance;
  /// The last moment whose changes happen.
  uint64_t moment;
};

static uint64_t draw(struct lots *lots) {
  uint64_t z = (lots->state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static int happens(struct lots *lots) { return draw(lots) % 8 < lots->chance; }

/// Writes some of the sectors of a change.
static void tear(struct node *node, const struct change *change, struct lots *lots) {
  enum { SECTOR = 512 };
  int64_t start = change->offset;
  int64_t end = change->offset + change->length;
  while (start < end) {
    int64_t stop = (start / SECTOR + 1) * SECTOR;
    if (stop > end) stop = end;
    if (happens(lots)) {
      faulty_disk_apply(node, change->bytes + (start - change->offset), stop - start, start);
    } else if (lots->rule == RUBBISH && draw(lots) % 8 == 0) {
      unsigned char rubbish[SECTOR];
      for (int i = 0; i < SECTOR; i++) rubbish[i] = (unsigned char)draw(lots);
      faulty_disk_apply(node, rubbish, stop - start, start);
    }
    start = stop;
  }
}

static void survive(struct node *node, struct lots *lots) {
  for (size_t i = 0; i < node->change_count; i++) {
    const struct change *change = &node->changes[i];
    int is_torn = lots->rule >= SECTORS || (lots->rule == UNTIL && change->time == lots->moment);
    if (is_torn && change->bytes != NULL) {
      tear(node, change, lots);
      continue;
    }
    int is_there = lots->rule == ALL || (lots->rule == UNTIL && change->time <= lots->moment) ||
                   (lots->rule >= SOME && happens(lots));
    if (is_there) faulty_disk_apply(node, change->bytes, change->length, change->offset);
  }
  faulty_disk_forget(node);
}

/// Replaces the real file: what still has the old one open keeps it.
static int replace(struct node *node, const char *path) {
  char *fresh = faulty_disk_memory(NULL, strlen(path) + 16);
  sprintf(fresh, "%s.after-cut", path);
  int error = 0;
  int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  struct stat found;
  if (file < 0) {
    error = errno;
  } else {
    int64_t done = 0;
    while (done < node->size && error == 0) {
      ssize_t part = write(file, node->image + done, (size_t)(node->size - done));
      if (part < 0) error = errno;
      else done += part;
    }
    if (error == 0 && fstat(file, &found) != 0) error = errno;
    close(file);
    if (error == 0 && rename(fresh, path) != 0) error = errno;
  }
  if (error == 0) {
    node->device = found.st_dev;
    node->number = found.st_ino;
  }
  free(fresh);
  return error;
}

static int restart(struct name *name, struct lots *lots) {
  size_t count = name->count;
  if (lots->rule == NONE) count = 0;
  if (lots->rule >= UNTIL) count = (size_t)(draw(lots) % (name->count + 1));
  struct node *node = count == 0 ? name->synced : name->since[count - 1];
  int error = 0;
  if (node == NULL) {
    if (unlink(name->path) != 0 && errno != ENOENT) error = errno;
  } else {
    survive(node, lots);
    error = replace(node, name->path);
  }
  settle(name, node);
  char *shared = faulty_disk_memory(NULL, strlen(name->path) + 8);
  sprintf(shared, "%s-shm", name->path);
  unlink(shared);
  free(shared);
  return error;
}

int faulty_disk_restart(int number, uint64_t seed) {
  struct disk *disk = with(number);
  struct lots lots = {seed, NONE, 4, 0};
  lots.rule = draw(&lots) % (RUBBISH + 1);
  lots.chance = (unsigned)(draw(&lots) % 7 + 1);
  // Most of what happened long ago is synced.
  uint64_t oldest = disk->time + 1;
  for (struct node *node = disk->nodes; node != NULL; node = node->next) {
    if (node->change_count > 0 && node->changes[0].time < oldest) oldest = node->changes[0].time;
    node->handles = 0;
  }
  lots.moment = oldest + draw(&lots) % (disk->time + 2 - oldest);
  disk->life++;
  int error = 0;
  for (struct name *name = disk->names; name != NULL; name = name->next) {
    int other = restart(name, &lots);
    if (error == 0) error = other;
  }
  // What has no name any more is gone.
  struct node **place = &disk->nodes;
  while (*place != NULL) {
    struct node *node = *place;
    int is_named = 0;
    for (struct name *name = disk->names; name != NULL; name = name->next) {
      if (name->synced == node) is_named = 1;
    }
    if (is_named) {
      place = &node->next;
      continue;
    }
    *place = node->next;
    faulty_disk_forget(node);
    free(node->changes);
    free(node->image);
    free(node);
  }
  heal(disk);
  disk->is_off = 0;
  pthread_mutex_unlock(&disk->lock);
  return error;
}
