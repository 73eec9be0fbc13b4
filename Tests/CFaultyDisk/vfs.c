// SPDX-License-Identifier: Apache-2.0
// The layer under SQLite.

#include "internal.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// An open file on a disk; the file of the layer below lies behind it in memory.
struct handle {
  sqlite3_file base;
  struct disk *disk;
  struct node *node;
  uint64_t life;
  /// Whether its first sync is one of the folder too.
  int syncs_folder;
  int is_read_only;
};

enum { HEAD = (sizeof(struct handle) + 15) / 16 * 16 };

static sqlite3_vfs *below;

static struct handle *handle_of(sqlite3_file *file) { return (struct handle *)file; }

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((char *)file + HEAD); }

/// Locks the disk and counts a call. Returns its error, with what an order says it is.
static int begin(struct disk *disk, uint64_t life, int kind, int otherwise, int *ordered) {
  pthread_mutex_lock(&disk->lock);
  *ordered = -1;
  if (disk->is_off || disk->life != life) return otherwise;
  int64_t number = ++disk->counts[kind];
  struct fault *fault = &disk->faults[kind];
  if (fault->at > 0 && (number == fault->at || (number > fault->at && fault->forever))) {
    *ordered = fault->error;
    return fault->error == FAULTY_DISK_ENOSPC && kind == FAULTY_DISK_WRITE ? SQLITE_FULL
                                                                           : otherwise;
  }
  return SQLITE_OK;
}

/// Whether the power is cut by this call.
static int is_last(struct disk *disk) {
  disk->changes++;
  if (disk->cut_at == 0 || disk->changes < disk->cut_at) return 0;
  disk->is_off = 1;
  return 1;
}

static int end(struct disk *disk, int code) {
  pthread_mutex_unlock(&disk->lock);
  return code;
}

static int is_dead(sqlite3_file *file) {
  struct handle *handle = handle_of(file);
  pthread_mutex_lock(&handle->disk->lock);
  return end(handle->disk, handle->disk->is_off || handle->disk->life != handle->life);
}

// What is asked of a file.

static int file_close(sqlite3_file *file) {
  struct handle *handle = handle_of(file);
  struct disk *disk = handle->disk;
  pthread_mutex_lock(&disk->lock);
  if (disk->life == handle->life && handle->node->handles > 0) handle->node->handles--;
  int code = real(file)->pMethods->xClose(real(file));
  return end(disk, code);
}

static int file_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
  struct handle *handle = handle_of(file);
  int ordered;
  int code = begin(handle->disk, handle->life, FAULTY_DISK_READ, SQLITE_IOERR_READ, &ordered);
  if (ordered == FAULTY_DISK_SHORT_READ) {
    memset(bytes, 0, (size_t)length);
    code = SQLITE_IOERR_SHORT_READ;
  }
  if (code == SQLITE_OK) code = real(file)->pMethods->xRead(real(file), bytes, length, offset);
  return end(handle->disk, code);
}

static int file_write(
    sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
  struct handle *handle = handle_of(file);
  struct disk *disk = handle->disk;
  int ordered;
  int code = begin(disk, handle->life, FAULTY_DISK_WRITE, SQLITE_IOERR_WRITE, &ordered);
  if (code == SQLITE_OK && (handle->is_read_only || disk->is_read_only)) {
    code = SQLITE_IOERR_WRITE;
  }
  if (code == SQLITE_OK) code = real(file)->pMethods->xWrite(real(file), bytes, length, offset);
  if (code == SQLITE_OK) {
    faulty_disk_note(disk, handle->node, bytes, length, offset);
    if (is_last(disk)) code = SQLITE_IOERR_WRITE;
  }
  return end(disk, code);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  struct handle *handle = handle_of(file);
  struct disk *disk = handle->disk;
  int ordered;
  int code = begin(disk, handle->life, FAULTY_DISK_TRUNCATE, SQLITE_IOERR_TRUNCATE, &ordered);
  if (code == SQLITE_OK && (handle->is_read_only || disk->is_read_only)) {
    code = SQLITE_IOERR_TRUNCATE;
  }
  if (code == SQLITE_OK) code = real(file)->pMethods->xTruncate(real(file), size);
  if (code == SQLITE_OK) {
    faulty_disk_note(disk, handle->node, NULL, 0, size);
    if (is_last(disk)) code = SQLITE_IOERR_TRUNCATE;
  }
  return end(disk, code);
}

/// The real file is not synced: no power is cut that it would have to survive.
static int file_sync(sqlite3_file *file, int flags) {
  (void)flags;
  struct handle *handle = handle_of(file);
  struct disk *disk = handle->disk;
  int ordered;
  int code = begin(disk, handle->life, FAULTY_DISK_SYNC, SQLITE_IOERR_FSYNC, &ordered);
  if (code == SQLITE_OK && is_last(disk)) code = SQLITE_IOERR_FSYNC;
  if (code == SQLITE_OK && !disk->is_lying) {
    faulty_disk_sync_node(handle->node);
    if (handle->syncs_folder) faulty_disk_sync_folder(disk);
    handle->syncs_folder = 0;
  }
  return end(disk, code);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  if (is_dead(file)) return SQLITE_IOERR_FSTAT;
  return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
  if (is_dead(file)) return SQLITE_IOERR_LOCK;
  return real(file)->pMethods->xLock(real(file), level);
}

static int file_unlock(sqlite3_file *file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}

static int file_check_reserved_lock(sqlite3_file *file, int *is_locked) {
  *is_locked = 0;
  if (is_dead(file)) return SQLITE_IOERR_CHECKRESERVEDLOCK;
  return real(file)->pMethods->xCheckReservedLock(real(file), is_locked);
}

static int file_control(sqlite3_file *file, int request, void *argument) {
  switch (request) {
    // Memory that is mapped would be read and written past this layer.
    case SQLITE_FCNTL_MMAP_SIZE:
    case SQLITE_FCNTL_SIZE_HINT:
    case SQLITE_FCNTL_CHUNK_SIZE:
    case SQLITE_FCNTL_BEGIN_ATOMIC_WRITE: return SQLITE_NOTFOUND;
    default: return real(file)->pMethods->xFileControl(real(file), request, argument);
  }
}

static int file_sector_size(sqlite3_file *file) {
  return real(file)->pMethods->xSectorSize(real(file));
}

static int file_characteristics(sqlite3_file *file) {
  // Whatever the real disk can do, this one promises no more than any.
  return real(file)->pMethods->xDeviceCharacteristics(real(file)) &
         SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **at) {
  struct handle *handle = handle_of(file);
  *at = NULL;
  if (is_dead(file)) return SQLITE_IOERR_SHMMAP;
  if (handle->is_read_only) return SQLITE_CANTOPEN;
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, at);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  if (!(flags & SQLITE_SHM_UNLOCK) && is_dead(file)) return SQLITE_IOERR_SHMLOCK;
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) {
  real(file)->pMethods->xShmBarrier(real(file));
}

static int file_shm_unmap(sqlite3_file *file, int is_deleted) {
  // What lies there may be that of another life.
  if (is_dead(file)) is_deleted = 0;
  return real(file)->pMethods->xShmUnmap(real(file), is_deleted);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

// What is asked of the file system.

/// Opens a file on a disk that is locked.
static int open_on(
    struct disk *disk, const char *path, sqlite3_file *file, int flags, int *opened) {
  struct handle *handle = handle_of(file);
  struct name *name = faulty_disk_name(disk, path);
  struct node *node = faulty_disk_look(disk, name);
  if (disk->is_read_only) {
    if (node == NULL) return SQLITE_CANTOPEN;
    flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
  }
  int given = flags;
  int code = below->xOpen(below, path, real(file), flags, &given);
  if (code != SQLITE_OK) {
    if (real(file)->pMethods != NULL) real(file)->pMethods->xClose(real(file));
    return code;
  }
  if (node == NULL) {
    // It was not there, so nothing of it is synced.
    node = faulty_disk_look(disk, name);
    if (node == NULL) {
      real(file)->pMethods->xClose(real(file));
      return SQLITE_CANTOPEN;
    }
    name->synced = NULL;
    faulty_disk_rename(name, node);
  }
  node->handles++;
  handle->disk = disk;
  handle->node = node;
  handle->life = disk->life;
  handle->is_read_only = disk->is_read_only;
  handle->syncs_folder =
      (flags & SQLITE_OPEN_CREATE) != 0 &&
      (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL)) != 0;
  handle->base.pMethods = &methods;
  if (opened != NULL) *opened = given;
  return SQLITE_OK;
}

static int vfs_open(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *opened) {
  (void)vfs;
  file->pMethods = NULL;
  struct disk *disk = path == NULL ? NULL : faulty_disk_of(path);
  if (disk == NULL) return below->xOpen(below, path, file, flags, opened);
  pthread_mutex_lock(&disk->lock);
  uint64_t life = disk->life;
  pthread_mutex_unlock(&disk->lock);
  int ordered;
  int code = begin(disk, life, FAULTY_DISK_OPEN, SQLITE_CANTOPEN, &ordered);
  if (code == SQLITE_OK && is_last(disk)) code = SQLITE_CANTOPEN;
  if (code == SQLITE_OK) code = open_on(disk, path, file, flags, opened);
  return end(disk, code);
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
  (void)vfs;
  struct disk *disk = faulty_disk_of(path);
  if (disk == NULL) return below->xDelete(below, path, syncs_folder);
  pthread_mutex_lock(&disk->lock);
  uint64_t life = disk->life;
  pthread_mutex_unlock(&disk->lock);
  int ordered;
  int code = begin(disk, life, FAULTY_DISK_DELETE, SQLITE_IOERR_DELETE, &ordered);
  if (code == SQLITE_OK && disk->is_read_only) code = SQLITE_IOERR_DELETE;
  if (code == SQLITE_OK && is_last(disk)) code = SQLITE_IOERR_DELETE;
  if (code != SQLITE_OK) return end(disk, code);
  struct name *name = faulty_disk_name(disk, path);
  struct node *node = faulty_disk_look(disk, name);
  code = below->xDelete(below, path, 0);
  if (code == SQLITE_OK && node != NULL) faulty_disk_rename(name, NULL);
  if (code == SQLITE_OK && syncs_folder && !disk->is_lying) faulty_disk_sync_folder(disk);
  return end(disk, code);
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *answer) {
  (void)vfs;
  struct disk *disk = faulty_disk_of(path);
  if (disk != NULL) {
    pthread_mutex_lock(&disk->lock);
    int is_off = disk->is_off;
    int is_refused = disk->is_read_only && flags == SQLITE_ACCESS_READWRITE;
    pthread_mutex_unlock(&disk->lock);
    *answer = 0;
    if (is_off) return SQLITE_IOERR_ACCESS;
    if (is_refused) return SQLITE_OK;
  }
  return below->xAccess(below, path, flags, answer);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int length, char *full) {
  (void)vfs;
  return below->xFullPathname(below, path, length, full);
}

static void *vfs_dl_open(sqlite3_vfs *vfs, const char *path) {
  (void)vfs;
  return below->xDlOpen(below, path);
}

static void vfs_dl_error(sqlite3_vfs *vfs, int length, char *message) {
  (void)vfs;
  below->xDlError(below, length, message);
}

static void (*vfs_dl_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
  (void)vfs;
  return below->xDlSym(below, library, name);
}

static void vfs_dl_close(sqlite3_vfs *vfs, void *library) {
  (void)vfs;
  below->xDlClose(below, library);
}

static int vfs_randomness(sqlite3_vfs *vfs, int length, char *bytes) {
  (void)vfs;
  return below->xRandomness(below, length, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return below->xSleep(below, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *days) {
  (void)vfs;
  return below->xCurrentTime(below, days);
}

static int vfs_last_error(sqlite3_vfs *vfs, int length, char *message) {
  (void)vfs;
  return below->xGetLastError(below, length, message);
}

static int vfs_time_int64(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
  (void)vfs;
  return below->xCurrentTimeInt64(below, milliseconds);
}

static int outcome = -1;

static void add(void) {
  static sqlite3_vfs layer;
  if (sqlite3_initialize() != SQLITE_OK) return;
  below = sqlite3_vfs_find(NULL);
  if (below == NULL || below->iVersion < 2) return;
  layer = (sqlite3_vfs){
      .iVersion = 2,
      .szOsFile = HEAD + below->szOsFile,
      .mxPathname = below->mxPathname,
      .zName = "mainstay-faulty-disk",
      .xOpen = vfs_open,
      .xDelete = vfs_delete,
      .xAccess = vfs_access,
      .xFullPathname = vfs_full_path,
      .xDlOpen = vfs_dl_open,
      .xDlError = vfs_dl_error,
      .xDlSym = vfs_dl_symbol,
      .xDlClose = vfs_dl_close,
      .xRandomness = vfs_randomness,
      .xSleep = vfs_sleep,
      .xCurrentTime = vfs_time,
      .xGetLastError = vfs_last_error,
      .xCurrentTimeInt64 = vfs_time_int64,
  };
  outcome = sqlite3_vfs_register(&layer, 1);
}

int faulty_disk_register(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, add);
  return outcome == SQLITE_OK ? 0 : -1;
}
