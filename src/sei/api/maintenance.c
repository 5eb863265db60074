/* Maintenance: one annotation, so that it comes and goes in one write. What people could have
 * written into it by hand is looked at before it is believed: names of objects are made from it. */
#include "sei/api/maintenance.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/timestamp.h"

#include <string.h>

enum { JOB_NAME_MAX = 63 }; /* it becomes the value of a label of its pods */

static bool is_run(const char *text)
{
    return text && strlen(text) == MAINTENANCE_RUN_SIZE - 1
        && strspn(text, "0123456789abcdef") == strlen(text);
}

static bool is_command(const Json *command)
{
    const Json *word;

    if (!command)
        return true;
    if (json_type(command) != JSON_ARRAY || json_count(command) == 0)
        return false;
    json_each(word, command)
        if (json_type(word) != JSON_STRING)
            return false;
    return true;
}

static bool makes_sense(const Maintenance *m)
{
    int64_t since_ns;

    return is_run(m->run) && !str_empty(m->by) && strlen(m->by) <= MAINTENANCE_BY_MAX
        && timestamp_parse(m->since, &since_ns) && !str_empty(m->image) && is_command(m->command);
}

bool maintenance_is_marked(const Json *node)
{
    return !str_empty(meta_annotation(node, ANNOTATION_MAINTENANCE));
}

bool maintenance_decode(Arena *a, const Json *node, Maintenance *ret)
{
    const char *text = meta_annotation(node, ANNOTATION_MAINTENANCE);
    const Json *mark = NULL;

    *ret = (Maintenance){0};
    if (str_empty(text) || json_parse(a, bytes_of(text), &mark))
        return false;
    Maintenance m = {
        .run = json_str(mark, ".run"),
        .by = json_str(mark, ".by"),
        .since = json_str(mark, ".since"),
        .image = json_str(mark, ".image"),
        .command = json_find(mark, ".command"),
        .job = json_str(mark, ".job"),
        .was_paused = json_bool(mark, ".wasPaused", false),
        .unpauses_always = json_bool(mark, ".unpausesAlways", false),
    };
    if (!makes_sense(&m))
        return false;
    *ret = m;
    return true;
}

const char *maintenance_encode(Arena *a, const Maintenance *m)
{
    Draft *mark = draft(a,
        str("run", m->run),
        str("by", m->by),
        str("since", m->since),
        str("image", m->image),
        draft_json("command", m->command),
        str("job", m->job),
        draft_flag_if("wasPaused", m->was_paused),
        draft_flag_if("unpausesAlways", m->unpauses_always));

    return json_write(a, json_seal(a, mark)).data;
}

const char *maintenance_message(Arena *a, const Maintenance *m)
{
    if (!m->run)
        return MAINTENANCE_UNREADABLE;
    return str_format(a, "maintenance run %s by %s since %s", m->run, m->by, m->since);
}

const char *maintenance_job_name(Arena *a, const char *node, const char *run)
{
    static const char infix[] = "-maintain-";
    size_t room = JOB_NAME_MAX - strlen(infix) - strlen(run);
    size_t len = strlen(node) < room ? strlen(node) : room;

    while (len > 0 && (node[len - 1] == '-' || node[len - 1] == '.'))
        len--;
    return str_format(a, "%.*s%s%s", (int)len, node, infix, run);
}
