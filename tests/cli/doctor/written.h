/* Written: a cluster that is written down (healthy.json5) instead of read. */
#ifndef TESTS_CLI_DOCTOR_WRITTEN_H
#define TESTS_CLI_DOCTOR_WRITTEN_H

#include "base/draft.h"
#include "cli/doctor/exam.h"
#include "kube/timestamp.h"
#include "sei/api/node.h"
#include "tests/crds/crds.h"
#include "tests/tables.h"
#include "tests/test.h"

#define HEALTHY "tests/cli/doctor/healthy.json5"

/* "sei/rpc-0" is a namespace and a name; what has no slash is of the cluster. */
static inline const Json *written_object(Arena *a, const Json *member)
{
    const char *key = json_key(member), *slash = strchr(key, '/');
    const Json *name = json_seal(a,
        draft(a,
            obj("metadata",
                str("namespace", slash ? str_slice(a, key, (size_t)(slash - key)) : NULL),
                str("name", slash ? slash + 1 : key))));

    return json_merge(a, member, name);
}

static inline void written_list(Chart *c, const Json *document, ChartList list)
{
    const Json *member, *all = json_member(document, chart_list_name(list));
    Objects objects = {.items = arena_array(c->arena, const Json *, json_count(all) + 1)};

    json_each(member, all)
        objects.items[objects.count++] = written_object(c->arena, member);
    chart_put(c, list, objects);
}

/* Lists that the document says cannot be had. */
static inline void written_gaps(
    Chart *c, const Json *document, const char *member, ChartState state)
{
    const Json *name;

    json_each(name, json_member(document, member))
        for (int list = 0; list < CHART_LISTS; list++)
            if (str_eq(chart_list_name((ChartList)list), json_text(name)))
                chart_miss(c, (ChartList)list, state, member);
}

static inline Chart *written_chart(Arena *a, const Json *document)
{
    Chart *c = arena_new(a, Chart);
    const char *version = json_str(document, ".version");

    *c = (Chart){
        .arena = a,
        .program = "kubectl sei",
        .cli_version = "0.1.0",
        .server_version = version,
        .server_minor = -1,
        .has_server_time = !json_bool(document, ".isTimeless", false),
        .ahead_ns = json_int(document, ".aheadSeconds", 0) * 1000000000,
        .namespace = json_str(document, ".namespace"),
        .is_pre = json_bool(document, ".pre", false),
    };
    if (version)
        then_true(
            str_to_int(str_slice(a, version + 3, strcspn(version + 3, ".")), &c->server_minor));
    then_true(timestamp_parse(json_str(document, ".now"), &c->now_ns));
    c->now_ns += c->ahead_ns;
    for (int list = CHART_NOTHING + 1; list < CHART_LISTS; list++)
        written_list(c, document, (ChartList)list);
    written_gaps(c, document, "unserved", CHART_UNSERVED);
    written_gaps(c, document, "forbidden", CHART_FORBIDDEN);
    return c;
}

/* The document in which all is well, with the definitions of deploy/crds. */
static inline const Json *written_healthy(Arena *a)
{
    const Json *definitions = json_seal(a,
        draft(a,
            obj("definitions",
                draft_json("seinodes.sei.io", crd_load(a, kind_seinode)),
                draft_json("seinodedeployments.sei.io", crd_load(a, kind_seinodedeployment)))));

    return json_merge(a, definitions, table_load(a, HEALTHY));
}

#endif
