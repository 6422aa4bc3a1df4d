/* A faulty layer below a program: fails one call with EIO, kills the program there, or moves its clock.
 *
 * FAULT_AT=n       the n-th of write to a file, fsync, rename, link, mkdir, unlink and open-to-create fails
 * KILL_AT=n        the program dies by SIGKILL right before that call
 * KILL_SEND=n      the program dies by SIGKILL right before its n-th message to a socket
 * COUNT_MESSAGES=1 messages to a socket count as such calls too
 * FAULT_COUNT=file receives how many such calls there were
 * NO_FLUSH=1       fsync does nothing: what a kill leaves does not hang on it
 * CLOCK_FILE=file  holds seconds to add to the wall clock; read again at every look at it (openssl asks in older ways)
 * CLOCK_START=n    the wall clock shows n seconds since 1970 at the first look, and whole seconds after it
 * CLOCK_STILL=1    with CLOCK_START: the wall clock stands, however slow the machine is
 * CLOCK_LEAP=n     every look at the wall clock finds it n seconds further
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls;

static long number(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

static int fails(void) {
  static long at = -1, end = -1;
  if (at == -1) {
    end = number("KILL_AT");
    at = number("FAULT_AT");
  }
  long call = atomic_fetch_add(&calls, 1) + 1;
  if (call == end) kill(getpid(), SIGKILL);
  if (call != at) return 0;
  errno = EIO;
  return 1;
}

#define REAL(type, name, ...)                                                                      \
  static type (*real)(__VA_ARGS__);                                                                \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

/* Sockets and what wakes a thread are no part of a disk. */
static int on_disk(int fd) {
  struct stat found;
  return fd > 2 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  REAL(ssize_t, "write", int, const void *, size_t);
  return on_disk(fd) && fails() ? -1 : real(fd, bytes, count);
}
static void sends(int fd) {
  static atomic_long messages;
  struct stat found;
  if (fstat(fd, &found) != 0 || !S_ISSOCK(found.st_mode)) return;
  if (number("COUNT_MESSAGES")) fails();
  if (atomic_fetch_add(&messages, 1) + 1 == number("KILL_SEND")) kill(getpid(), SIGKILL);
}
ssize_t send(int fd, const void *bytes, size_t count, int flags) {
  REAL(ssize_t, "send", int, const void *, size_t, int);
  sends(fd);
  return real(fd, bytes, count, flags);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  sends(fd);
  return real(fd, parts, count);
}
int fsync(int fd) {
  REAL(int, "fsync", int);
  return fails() ? -1 : number("NO_FLUSH") ? 0 : real(fd);
}
int fdatasync(int fd) {
  REAL(int, "fdatasync", int);
  return fails() ? -1 : number("NO_FLUSH") ? 0 : real(fd);
}
int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  return fails() ? -1 : real(from, to);
}
int linkat(int from, const char *old, int to, const char *new, int flags) {
  REAL(int, "linkat", int, const char *, int, const char *, int);
  return fails() ? -1 : real(from, old, to, new, flags);
}
int link(const char *from, const char *to) {
  REAL(int, "link", const char *, const char *);
  return fails() ? -1 : real(from, to);
}
int mkdir(const char *path, mode_t mode) {
  REAL(int, "mkdir", const char *, mode_t);
  return fails() ? -1 : real(path, mode);
}
int unlink(const char *path) {
  REAL(int, "unlink", const char *);
  return fails() ? -1 : real(path);
}
int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
  va_end(more);
  REAL(int, "open64", const char *, int, ...);
  return (flags & O_CREAT) && fails() ? -1 : real(path, flags, mode);
}

static long moved(void) {
  const char *file = getenv("CLOCK_FILE");
  FILE *open = file ? fopen(file, "r") : NULL;
  long seconds = 0;
  if (open) {
    if (fscanf(open, "%ld", &seconds) != 1) seconds = 0;
    fclose(open);
  }
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  REAL(int, "clock_gettime", clockid_t, struct timespec *);
  int result = real(clock, time);
  const char *start = getenv("CLOCK_START");
  if (result == 0 && clock == CLOCK_REALTIME && start) {
    static atomic_long first;
    long none = 0;
    atomic_compare_exchange_strong(&first, &none, time->tv_sec);
    if (number("CLOCK_STILL")) atomic_store(&first, time->tv_sec);
    time->tv_sec += atol(start) - atomic_load(&first);
    time->tv_nsec = 0;
  }
  static atomic_long looks;
  if (result == 0 && clock == CLOCK_REALTIME) {
    time->tv_sec += number("CLOCK_LEAP") * (atomic_fetch_add(&looks, 1) + 1);
  }
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += moved();
  return result;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  REAL(int, "gettimeofday", struct timeval *, void *);
  int result = real(now, zone);
  if (result == 0) now->tv_sec += moved();
  return result;
}
time_t time(time_t *place) {
  REAL(time_t, "time", time_t *);
  time_t now = real(NULL) + moved();
  if (place) *place = now;
  return now;
}

__attribute__((destructor)) static void told(void) {
  const char *file = getenv("FAULT_COUNT");
  FILE *open = file ? fopen(file, "w") : NULL;
  if (open) {
    fprintf(open, "%ld\n", atomic_load(&calls));
    fclose(open);
  }
}
