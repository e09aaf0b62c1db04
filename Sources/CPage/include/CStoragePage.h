#ifndef CSTORAGEPAGE_H
#define CSTORAGEPAGE_H

#include <stddef.h>

/// The script of a report's page as it stands in the sources (Sources/Report/Page/*.js), in the order in which the parts
/// need each other. UTF-8, ended by a zero; it lives as long as the process.
const char *csp_script(void);

/// snprintf of a format with a precision and a number (`%.*f`), which Swift cannot call as it takes any number of
/// arguments.
void csp_print(char *text, size_t size, const char *format, int digits, double number);

#endif
