/* YamlText: a JSON value as YAML, in the layout that kubectl prints. */
#ifndef CLI_YAML_TEXT_H
#define CLI_YAML_TEXT_H

#include "base/json.h"

/* The document, ended by a newline. ERR_TERMINAL when it would be larger than 64 MiB. */
Err *yaml_text(Arena *a, const Json *value, const char **ret) MUST_CHECK;

#endif
