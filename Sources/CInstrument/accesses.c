// The accesses to shared mappings, as points of a schedule.
//
// A mapping is inaccessible between its points. The access raises SIGSEGV, which is the point. Then the mapping is made
// accessible, the processor executes the one instruction, and SIGTRAP protects the mapping again. A copy of the
// instruction is executed, with a breakpoint behind it. The trap flag is for instructions that cannot be copied: a
// hypervisor takes its trap, and it takes 20 us instead of 2.
#define _GNU_SOURCE
#include "CStorageInstrument.h"
#include "counters.h"
#include "schedule.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__) && !defined(CI_SANITIZED)
#define TRAP_FLAG 0x100
#define WRITES 2

struct region {
  char *address;
  size_t length;
  uint64_t offset;
  char name[sizeof((struct ci_point *)0)->name];
};
static struct region regions[64];
/// The point whose instruction is being executed, the address that it reads or writes, and the instruction after it.
static struct ci_point *stepped;
static const char *stepped_address;
static greg_t stepped_next;
/// A page for a copy of the instruction with a breakpoint behind it, or NULL.
static unsigned char *copy;

static struct region *region_of(const char *address) {
  for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
    if (address >= regions[i].address && address < regions[i].address + regions[i].length) return &regions[i];
  return NULL;
}

static void protect(int protection) {
  for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
    // A mapping of a file that is open for reading only cannot be made writable.
    if (regions[i].length > 0 && syscall(SYS_mprotect, regions[i].address, regions[i].length, protection) != 0)
      syscall(SYS_mprotect, regions[i].address, regions[i].length, PROT_READ);
}

/// An instruction, as far as its access to memory is concerned.
struct instruction {
  /// The number of its bytes, if it can be executed at another address; otherwise 0.
  uint64_t size;
  /// The greatest number of bytes that it reads or writes at once.
  uint64_t width;
  /// Whether it is a repeated `stos` or `movs`, and which.
  int is_string, copies;
};

/// Returns the size of a ModRM byte with what belongs to it.
static uint64_t operand_size(const unsigned char *operand) {
  int mode = *operand >> 6, base = *operand & 7;
  if (mode == 3) return 1;
  uint64_t size = 1;
  if (base == 4) {
    size = 2;
    if (mode == 0 && (operand[1] & 7) == 5) return size + 4;
  } else if (mode == 0 && base == 5) {
    return size + 4;
  }
  return size + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
}

/// Returns the size of what follows the operand of an opcode of one byte, or -1 if the opcode is another one than those
/// that compilers use to read and write memory.
static int immediate_size(unsigned char opcode, unsigned char operand, int is_short) {
  int word = is_short ? 2 : 4, kind = operand >> 3 & 7;
  if (opcode < 0x40 && (opcode & 7) < 4) return 0;
  if (opcode >= 0x84 && opcode <= 0x8b) return 0;
  switch (opcode) {
    case 0x63: case 0xd0: case 0xd1: case 0xd2: case 0xd3: return 0;
    case 0x6b: case 0x80: case 0x83: case 0xc0: case 0xc1: case 0xc6: return 1;
    case 0x69: case 0x81: case 0xc7: return word;
    case 0xf6: return kind < 2 ? 1 : 0;
    case 0xf7: return kind < 2 ? word : 0;
    case 0xfe: return 0;
    case 0xff: return kind < 2 ? 0 : -1;
    default: return -1;
  }
}

/// Returns whether an opcode of SSE or AVX has an immediate.
static int has_immediate(unsigned char opcode) {
  return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6);
}

static struct instruction decode(const unsigned char *code) {
  const unsigned char *byte = code;
  int repeats = 0, is_short = 0, is_wide = 0;
  for (;; byte++) {
    if (*byte == 0xf3) repeats = 1;
    else if (*byte == 0x66) is_short = 1;
    else if ((*byte & 0xf0) == 0x40) is_wide = *byte & 8;
    else if (*byte != 0xf2 && *byte != 0xf0) break;
  }
  uint64_t width = is_wide ? 8 : is_short ? 2 : 4;
  if (repeats && (*byte & 0xfe) == 0xaa)
    return (struct instruction){(uint64_t)(byte + 1 - code), *byte & 1 ? width : 1, 1, 0};
  if (repeats && (*byte & 0xfe) == 0xa4)
    return (struct instruction){(uint64_t)(byte + 1 - code), *byte & 1 ? width : 1, 1, 1};
  int immediate = 0;
  if (*byte == 0x0f) {
    unsigned char opcode = *++byte;
    // 0f38 and 0f3a are prefixes of rare instructions.
    if (opcode == 0x38 || opcode == 0x3a) return (struct instruction){0, 16, 0, 0};
    immediate = has_immediate(opcode) || opcode == 0xa4 || opcode == 0xac || opcode == 0xba;
    // Conditional moves, extending moves, and locked exchanges; the others are those of SSE.
    if (!((opcode & 0xf0) == 0x40 || (opcode & 0xf0) == 0xb0 || opcode == 0xc0 || opcode == 0xc1)) width = 16;
  } else if (*byte == 0xc5 || *byte == 0xc4) {
    // AVX: of the third map every opcode has an immediate, of the first one only some have.
    int map = *byte == 0xc5 ? 1 : byte[1] & 31;
    width = byte[*byte == 0xc5 ? 1 : 2] & 4 ? 32 : 16;
    byte += *byte == 0xc5 ? 2 : 3;
    immediate = map == 3 || (map == 1 && has_immediate(*byte));
  } else if (*byte == 0x62) {
    return (struct instruction){0, 64, 0, 0};
  } else {
    immediate = immediate_size(*byte, byte[1], is_short);
    if (immediate < 0) return (struct instruction){0, 8, 0, 0};
  }
  uint64_t size = (uint64_t)(byte + 1 - code) + operand_size(byte + 1) + (uint64_t)immediate;
  return (struct instruction){size, width, 0, 0};
}

/// Executes a repeated instruction as a whole, because the processor would trap after each repetition.
static void execute_string(const struct instruction *instruction, greg_t *registers) {
  uint64_t length = (uint64_t)registers[REG_RCX] * instruction->width;
  char *to = (char *)registers[REG_RDI];
  const char *from = (const char *)(instruction->copies ? registers[REG_RSI] : (greg_t)(intptr_t)&registers[REG_RAX]);
  for (uint64_t i = 0; i < length; i++) to[i] = from[instruction->copies ? i : i % instruction->width];
  registers[REG_RDI] += (greg_t)length;
  if (instruction->copies) registers[REG_RSI] += (greg_t)length;
  registers[REG_RCX] = 0;
  registers[REG_RIP] += (greg_t)instruction->size;
}

static void see(void) {
  struct region *region = region_of(stepped_address);
  uint32_t value = 0;
  if (region != NULL && stepped_address + sizeof value <= region->address + region->length)
    memcpy(&value, stepped_address, sizeof value);
  stepped->result = value;
  stepped = NULL;
  protect(PROT_NONE);
}

static void on_fault(int signal_number, siginfo_t *info, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  struct region *region = region_of(info->si_addr);
  if (region == NULL || stepped != NULL) {
    // Not the access of a point: it is made again, and ends the process.
    signal(signal_number, SIG_DFL);
    return;
  }
  int kept = errno;
  struct instruction instruction = decode((const unsigned char *)registers[REG_RIP]);
  int is_string = instruction.is_string && registers[REG_RCX] > 0;
  uint64_t length = is_string ? (uint64_t)registers[REG_RCX] * instruction.width : instruction.width;
  ci_schedule_pass();
  stepped_address = info->si_addr;
  stepped = ci_schedule_add(
      registers[REG_ERR] & WRITES ? CI_CALL_STORE : CI_CALL_LOAD, region->name,
      region->offset + (uint64_t)(stepped_address - region->address), length, 0);
  protect(PROT_READ | PROT_WRITE);
  if (is_string) {
    execute_string(&instruction, registers);
    see();
  } else if (instruction.size > 0 && !instruction.is_string && copy != NULL) {
    memcpy(copy, (const void *)registers[REG_RIP], instruction.size);
    copy[instruction.size] = 0xcc;
    stepped_next = registers[REG_RIP] + (greg_t)instruction.size;
    registers[REG_RIP] = (greg_t)copy;
  } else {
    stepped_next = 0;
    registers[REG_EFL] |= TRAP_FLAG;
  }
  errno = kept;
}

static void on_step(int signal_number, siginfo_t *info, void *context) {
  (void)info;
  if (stepped == NULL) {
    signal(signal_number, SIG_DFL);
    return;
  }
  int kept = errno;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  if (stepped_next != 0) registers[REG_RIP] = stepped_next;
  else registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
  see();
  errno = kept;
}

void ci_schedule_begin_stepping(void) {
  memset(regions, 0, sizeof regions);
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  copy = page == MAP_FAILED ? NULL : page;
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  action.sa_sigaction = on_fault;
  sigaction(SIGSEGV, &action, NULL);
  action.sa_sigaction = on_step;
  sigaction(SIGTRAP, &action, NULL);
}

int ci_schedule_steps(void) { return 1; }

void ci_schedule_map(const char *name, void *address, size_t length, uint64_t offset) {
  if (!ci_is_scheduled()) return;
  for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
    if (regions[i].length != 0) continue;
    regions[i] = (struct region){address, length, offset, ""};
    strncpy(regions[i].name, name, sizeof regions[i].name - 1);
    syscall(SYS_mprotect, address, length, PROT_NONE);
    return;
  }
}

void ci_schedule_unmap(const void *address, size_t length) {
  for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
    if (regions[i].address == address && regions[i].length <= length) regions[i].length = 0;
}
#else
void ci_schedule_begin_stepping(void) {}
#ifdef CI_SANITIZED
int ci_schedule_steps(void) { return -1; }
#else
int ci_schedule_steps(void) { return 0; }
#endif
void ci_schedule_map(const char *name, void *address, size_t length, uint64_t offset) {
  (void)name, (void)address, (void)length, (void)offset;
}
void ci_schedule_unmap(const void *address, size_t length) { (void)address, (void)length; }
#endif
