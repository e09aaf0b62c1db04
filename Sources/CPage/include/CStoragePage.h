#ifndef CSTORAGEPAGE_H
#define CSTORAGEPAGE_H

/// The script of a report's page as it stands in the sources (Sources/Report/Page/*.js), in the order in which the parts
/// need each other. UTF-8, ended by a zero; it lives as long as the process.
const char *csp_script(void);

#endif
