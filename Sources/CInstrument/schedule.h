// The points of a schedule, for watched.c and accesses.c.
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "CStorageInstrument.h"
#include "log.h"

#include <stddef.h>
#include <stdint.h>

/// Returns whether this process is one of the two of a schedule.
int ci_is_scheduled(void);
/// Waits until it is this process's turn to make a call. Does nothing in a process that is not scheduled.
void ci_schedule_pass(void);
/// Records a finished call as a point.
void ci_schedule_record(const struct ci_note *note);
/// Appends an entry to the record. It is a point if ci_schedule_pass was called before.
struct ci_point *ci_schedule_add(
    uint32_t call, const char *name, uint64_t offset, uint64_t length, int64_t result);
/// Prepares this process for ci_schedule_map.
void ci_schedule_begin_stepping(void);
/// Makes each access to a shared mapping of a store's file a point, where the processor can step through them.
void ci_schedule_map(const char *name, void *address, size_t length, uint64_t offset);
void ci_schedule_unmap(const void *address, size_t length);

#endif
