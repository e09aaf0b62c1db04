// libsecret: the memory that each read of a secret of 10,000 bytes keeps. cc libsecret-answer.c -l:libsecret-1.so.0
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct schema { const char *name; int flags; struct { const char *name; int type; } attributes[32]; void *unused[8]; };
int secret_password_store_sync(struct schema *, const char *, const char *, const char *, void *, void *, ...);
char *secret_password_lookup_sync(struct schema *, void *, void *, ...);
void secret_password_free(char *);

int main(int count, char **arguments) {
  if (count == 1) // runs again with a bus, a keyring and a home directory that are removed at its end
    return execl("/bin/sh", "sh", "-c", "d=$(mktemp -d) && export HOME=$d XDG_RUNTIME_DIR=$d XDG_DATA_HOME=$d && "
      "dbus-run-session -- \"$0\" child 2>/dev/null; s=$?; rm -rf \"$d\"; [ $s -lt 2 ] || "
      "{ echo 'not tried: dbus-run-session or gnome-keyring is missing'; s=2; }; exit $s", arguments[0], NULL);
  static struct schema schema = {.name = "org.example.read", .attributes = {{"name", 0}}};
  char secret[10001] = "", *read;
  memset(secret, 'x', 10000);
  if (!secret_password_store_sync(&schema, "session", "x", secret, NULL, NULL, "name", "a", NULL)) return 2;
  size_t used[601]; // bytes in use after each read
  for (int i = 0; i <= 600; i++, secret_password_free(read), used[i - 1] = mallinfo2().uordblks)
    if (!(read = secret_password_lookup_sync(&schema, NULL, NULL, "name", "a", NULL))) return 2;
  long kept = ((long)used[600] - (long)used[100]) / 500;
  printf("expected: memory is freed after a read\nobserved: %ld bytes are kept after each read\n", kept);
  return kept > 5000;
}
