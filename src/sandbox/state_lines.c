/* StateLines: each is an object whose first member says what it is about. */
#include "sandbox/state_lines.h"

#include "base/draft.h"
#include "base/str.h"

const Json *state_self_line(Arena *a, const StateSelf *self)
{
    return json_seal(a,
        draft(a,
            obj("self",
                str("certificate", self->authority.certificate),
                str("server", self->authority.server),
                str("serverKey", self->authority.server_key),
                str("clients", self->clients.certificate),
                str("clientsKey", self->clients.key),
                str("adminToken", self->admin_token),
                str("tokenKey", self->token_key))));
}

const Json *state_time_line(Arena *a, World *w)
{
    return json_seal(a,
        draft(a,
            obj("time",
                num("world", world_now_ms(w)),
                num("wall", clock_wall_ms(world_clock(w))),
                num("version", (int64_t)server_version(world_server(w))))));
}

const Json *state_object_line(Arena *a, const Kind *kind, Key key, const Json *object)
{
    return json_seal(a,
        draft(a,
            strs("kind", kind->group, kind->version, kind->plural, kind->name),
            str("key", key_text(a, key)),
            draft_json("object", object)));
}

const Json *state_disk_line(Arena *a, const char *uid, const Json *contents)
{
    return json_seal(a, draft(a, str("disk", uid), draft_json("contents", contents)));
}

const Json *state_task_line(Arena *a, const char *uid, const char *id, const Json *row)
{
    return json_seal(a, draft(a, str("taskOf", uid), str("id", id), draft_json("row", row)));
}

const Json *state_bucket_line(Arena *a, const char *key, const char *value)
{
    return json_seal(a, draft(a, str("bucket", key), str("value", value)));
}

const Json *state_chain_line(Arena *a, const Chain *chain)
{
    Draft *upgrades = draft_array(a);

    for (size_t i = 0; i < chain->upgrade_count; i++)
        draft_push(upgrades,
            draft(a,
                num("height", chain->upgrades[i].height),
                str("image", chain->upgrades[i].image)));
    return json_seal(a, draft(a, str("chain", chain->id), sub("upgrades", upgrades)));
}

const char *state_line_id(Arena *a, const Json *line)
{
    static const char *const whole[] = {"disk", "bucket", "chain"};

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        const char *of = json_text(json_member(line, whole[i]));
        if (of)
            return str_format(a, "%s:%s", whole[i], of);
    }
    if (json_str(line, ".taskOf") && json_str(line, ".id"))
        return str_format(a, "task:%s %s", json_str(line, ".taskOf"), json_str(line, ".id"));
    if (json_str(line, ".kind[3]") && json_str(line, ".key"))
        return str_format(a,
            "%s %s %s",
            json_str(line, ".kind[0]"),
            json_str(line, ".kind[2]"),
            json_str(line, ".key"));
    return NULL;
}

bool state_line_is_end(const Json *line)
{
    if (json_find(line, ".taskOf"))
        return !json_find(line, ".row");
    return json_find(line, ".kind") && !json_find(line, ".object");
}

void state_read_chain(const Json *line, Outside *outside)
{
    Chain *chain = outside_chain(outside, json_str(line, ".chain"));
    const Json *upgrade;

    chain->upgrade_count = 0;
    json_each(upgrade, json_find(line, ".upgrades"))
        if (!json_str(upgrade, ".image")
            || !chain_schedule_upgrade(
                chain, json_int(upgrade, ".height", 0), json_str(upgrade, ".image")))
            return; /* it had as many as a chain can have */
}
