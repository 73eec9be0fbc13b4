// SPDX-License-Identifier: Apache-2.0
#include "CRawQueue.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int run(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, 0, 0, 0); }

static sqlite3 *open_queue(const char *path, int synchronous) {
  sqlite3 *db = 0;
  char level[64];
  snprintf(level, sizeof level, "PRAGMA synchronous = %d", synchronous);
  if (sqlite3_open(path, &db) || run(db, "PRAGMA journal_mode = WAL") || run(db, level) ||
      run(db, "CREATE TABLE IF NOT EXISTS job (id INTEGER PRIMARY KEY, state INTEGER NOT NULL,"
              " payload BLOB NOT NULL);"
              "CREATE INDEX IF NOT EXISTS ready ON job (id) WHERE state = 0")) {
    sqlite3_close(db);
    return 0;
  }
  return db;
}

double raw_enqueue(const char *path, int count, int batch, int bytes, int synchronous) {
  sqlite3 *db = open_queue(path, synchronous);
  if (!db) return -1;
  sqlite3_stmt *insert = 0, *begin = 0, *commit = 0;
  sqlite3_prepare_v2(db, "INSERT INTO job (state, payload) VALUES (0, ?)", -1, &insert, 0);
  sqlite3_prepare_v2(db, "BEGIN IMMEDIATE", -1, &begin, 0);
  sqlite3_prepare_v2(db, "COMMIT", -1, &commit, 0);
  char *payload = malloc((size_t)bytes);
  memset(payload, 'x', (size_t)bytes);
  double start = now();
  int failed = 0;
  for (int done = 0; done < count && !failed; done += batch) {
    failed |= sqlite3_step(begin) != SQLITE_DONE;
    sqlite3_reset(begin);
    for (int index = 0; index < batch; index++) {
      sqlite3_bind_blob(insert, 1, payload, bytes, SQLITE_STATIC);
      failed |= sqlite3_step(insert) != SQLITE_DONE;
      sqlite3_reset(insert);
    }
    failed |= sqlite3_step(commit) != SQLITE_DONE;
    sqlite3_reset(commit);
  }
  double seconds = now() - start;
  free(payload);
  sqlite3_finalize(insert);
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  sqlite3_close(db);
  return failed ? -1 : seconds;
}

/// Claims up to `batch` jobs, and reads them; returns how many.
static int claim(sqlite3_stmt *statement, int batch, sqlite3_int64 *ids) {
  int found = 0;
  sqlite3_bind_int(statement, 1, batch);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    ids[found++] = sqlite3_column_int64(statement, 0);
    (void)sqlite3_column_blob(statement, 1);
  }
  sqlite3_reset(statement);
  return found;
}

double raw_drain(const char *path, int count, int batch, int synchronous) {
  sqlite3 *db = open_queue(path, synchronous);
  if (!db) return -1;
  sqlite3_stmt *take = 0, *drop = 0;
  sqlite3_prepare_v2(db,
                     "UPDATE job SET state = 1 WHERE id IN"
                     " (SELECT id FROM job WHERE state = 0 ORDER BY id LIMIT ?)"
                     " RETURNING id, payload",
                     -1, &take, 0);
  sqlite3_prepare_v2(db, "DELETE FROM job WHERE id = ?", -1, &drop, 0);
  sqlite3_int64 *ids = calloc((size_t)batch, sizeof *ids);
  double start = now();
  int failed = 0;
  for (int done = 0; done < count && !failed;) {
    failed |= run(db, "BEGIN IMMEDIATE");
    int found = claim(take, batch, ids);
    failed |= run(db, "COMMIT") || found == 0;
    failed |= run(db, "BEGIN IMMEDIATE");
    for (int index = 0; index < found; index++) {
      sqlite3_bind_int64(drop, 1, ids[index]);
      failed |= sqlite3_step(drop) != SQLITE_DONE;
      sqlite3_reset(drop);
    }
    failed |= run(db, "COMMIT");
    done += found;
  }
  double seconds = now() - start;
  free(ids);
  sqlite3_finalize(take);
  sqlite3_finalize(drop);
  sqlite3_close(db);
  return failed ? -1 : seconds;
}

static int compare(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return difference < 0 ? -1 : difference > 0;
}

double raw_sync(const char *path) {
  enum { samples = 41 };
  double seconds[samples];
  char block[4096];
  memset(block, 'x', sizeof block);
  int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0) return -1;
  for (int index = 0; index < samples; index++) {
    double start = now();
    if (pwrite(file, block, sizeof block, (off_t)index * (off_t)sizeof block) < 0 || fsync(file)) {
      close(file);
      return -1;
    }
    seconds[index] = now() - start;
  }
  close(file);
  unlink(path);
  qsort(seconds, samples, sizeof *seconds, compare);
  return seconds[samples / 2];
}
