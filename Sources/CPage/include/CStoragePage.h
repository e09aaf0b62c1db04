#ifndef CSTORAGEPAGE_H
#define CSTORAGEPAGE_H

#include <stddef.h>

/// Returns the script of a report's page as it is in the sources (Sources/Report/Page/*.js), with the parts in the
/// order of their dependencies. It is UTF-8, terminated by a zero, and exists as long as the process.
const char *csp_script(void);

/// Returns the style of a report's page as it is in the sources (Sources/Report/Page/page.css), in which comments stand
/// for generated parts. It is UTF-8, terminated by a zero, and exists as long as the process.
const char *csp_page_style(void);

/// Returns the style rules of all charts (Sources/Report/Page/charts.css), in the form of ``csp_page_style``.
const char *csp_chart_style(void);

/// Calls snprintf with a format that has a precision and a number (`%.*f`). Swift cannot call it directly, because it
/// takes a variable number of arguments.
void csp_print(char *text, size_t size, const char *format, int digits, double number);

#endif
