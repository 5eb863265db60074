/* Version: of this program, as the build says it. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

#ifndef CLI_VERSION
#define CLI_VERSION "unknown"
#endif

#endif
