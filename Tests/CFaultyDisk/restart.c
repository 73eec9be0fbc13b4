// SPDX-License-Identifier: Apache-2.0
// What a power cut leaves of the files.

#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
  faulty_disk_settle(name, node);
  char *shared = faulty_disk_memory(NULL, strlen(name->path) + 8);
  sprintf(shared, "%s-shm", name->path);
  unlink(shared);
  free(shared);
  return error;
}

int faulty_disk_restart(int number, uint64_t seed) {
  struct disk *disk = faulty_disk_locked(number);
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
  faulty_disk_clear(disk);
  disk->is_off = 0;
  pthread_mutex_unlock(&disk->lock);
  return error;
}
