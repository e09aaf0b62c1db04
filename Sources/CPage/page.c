#include "CStoragePage.h"

#include <stdio.h>

// The script is embedded, so that the executable is a single file. It is embedded in C for the compile time: as array
// literals of SwiftPM's `.embedInCode`, the same bytes took a fifth of the time of compiling all reports.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char script[] = {
#embed "../Report/Page/elements.js" suffix(, '\n', )
#embed "../Report/Page/numbers.js" suffix(, '\n', )
#embed "../Report/Page/view.js" suffix(, '\n', )
#embed "../Report/Page/plot.js" suffix(, '\n', )
#embed "../Report/Page/drawer.js" suffix(, '\n', )
#embed "../Report/Page/downloads.js" suffix(, '\n', )
#embed "../Report/Page/explorer.js" suffix(, '\n', )
#embed "../Report/Page/calculator.js" suffix(, '\n', )
#embed "../Report/Page/page.js" suffix(, '\n', )
    0};

static const char page_style[] = {
#embed "../Report/Page/page.css" suffix(, )
    0};

static const char chart_style[] = {
#embed "../Report/Page/charts.css" suffix(, )
    0};

const char *csp_script(void) { return script; }

const char *csp_page_style(void) { return page_style; }

const char *csp_chart_style(void) { return chart_style; }

void csp_print(char *text, size_t size, const char *format, int digits, double number) {
    snprintf(text, size, format, digits, number);
}
