/* The commands of kubectl-sei. Everything that is said about them anywhere is made from these
 * rows. */
#include "cli/command.h"

#include "base/str.h"

#include <string.h>

#define READS  (FLAGS_CONNECTION | FLAGS_NAMESPACE | FLAGS_OUTPUT)
#define WRITES (READS | FLAGS_WRITE)

#define TOPIC_LOOK  "Look"
#define TOPIC_ROLL  "Roll"
#define TOPIC_ADMIN "Administer"

const Command commands[] = {
    {.topic = TOPIC_ADMIN,
        .name = "version",
        .args = "",
        .about = "say the version of this program, of the server and of the operator",
        .more = "The operator's is that of the image of the pods that hold or await its Lease, "
                "where these can be seen.",
        .examples = "version\nversion --client\nversion -o json",
        .flag_groups = FLAGS_CONNECTION | FLAGS_OUTPUT | FLAGS_CLIENT,
        .run = version_command},
    {.name = "__man", .args = "", .about = "the man page", .run = man_command},
    {.name = "__reference", .args = "", .about = "the reference page", .run = reference_command},
    {.name = NULL},
};

/* How many of the words are the name: 0, 1 or 2. */
static size_t matches(const char *name, const char *const *words, size_t count)
{
    const char *space = strchr(name, ' ');
    size_t len = space ? (size_t)(space - name) : strlen(name);

    if (count == 0 || strlen(words[0]) != len || strncmp(name, words[0], len) != 0)
        return 0;
    if (!space)
        return 1;
    return count > 1 && str_eq(space + 1, words[1]) ? 2 : 0;
}

const Command *command_find(const char *const *words, size_t count, size_t *ret_used)
{
    for (const Command *c = commands; c->name; c++) {
        *ret_used = matches(c->name, words, count);
        if (*ret_used)
            return c;
    }
    return NULL;
}
