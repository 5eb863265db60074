/* The samples: each of them is accepted by the schema and comes up, given what its text asks for.
 */
#include "base/str.h"
#include "kube/client/yaml.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "tests/sim/play_fleets.h"
#include "tests/test.h"

#include <dirent.h>

enum { SAMPLE_BYTES_MAX = 1 << 16 };

#define PART "\n---\n"

static const char *root(void)
{
    const char *path = getenv("SEI_SOURCE_ROOT"); /* NOLINT(concurrency-mt-unsafe) */

    return path ? path : ".";
}

static char *read_sample(Arena *a, const char *name)
{
    char *text = arena_alloc(a, SAMPLE_BYTES_MAX);
    FILE *file = fopen(str_format(a, "%s/samples/%s", root(), name), "re");

    then_true(file != NULL);
    text[fread(text, 1, SAMPLE_BYTES_MAX - 1, file)] = '\0';
    fclose(file);
    return text;
}

static const Kind *kind_of(const Json *object)
{
    const Kind *kinds[] = {kind_serviceaccount, kind_seinode, kind_seinodedeployment};

    for (size_t i = 0; i < array_count(kinds); i++)
        if (str_eq(kinds[i]->name, json_str(object, ".kind")))
            return kinds[i];
    fail_msg("a sample of a kind that no operator reads: %s", json_str(object, ".kind"));
    return NULL;
}

/* What a sample is about: its node or its fleet. */
typedef struct Subject {
    const Kind *kind;
    const char *name;
} Subject;

static void create_part(Play *p, const char *text, Subject *ret)
{
    const Json *object;

    then_ok(yaml_parse(play_arena(p), text, &object));
    const Kind *kind = kind_of(object);
    play_create(p, kind, json_write(play_arena(p), object).data);
    if (kind != kind_serviceaccount)
        *ret = (Subject){kind, meta_name(object)};
}

static Subject create_sample(Play *p, char *text)
{
    Subject subject = {0};

    for (char *part = text, *next; part; part = next) {
        next = strstr(part, PART);
        if (next) {
            *next = '\0';
            next += strlen(PART);
        }
        create_part(p, part, &subject);
    }
    then_true(subject.name != NULL);
    return subject;
}

static void create_secret(Play *p, const char *name, const char *data)
{
    if (name)
        play_create(p,
            kind_secret,
            str_format(play_arena(p),
                "{apiVersion: 'v1', kind: 'Secret', metadata: {name: '%s'}, stringData: {%s}}",
                name,
                data));
}

#define KEY                                                                                        \
    "'{\"address\":\"A1\",\"pub_key\":{\"type\":\"t\",\"value\":\"p\"},"                           \
    "\"priv_key\":{\"type\":\"t\",\"value\":\"v\"}}'"

/* What its comment asks for. */
static void give_what_it_needs(Play *p, const NodeSpec *spec)
{
    Arena *a = play_arena(p);
    Outside *outside = kubelet_outside(play_kubelet(p));
    const KeyringSource *ring = &spec->keyring;

    if (spec->snapshot.has_s3) { /* the chain has come as far, and was saved on its way */
        Chain *chain = outside_chain(outside, spec->chain_id);
        chain->height = spec->snapshot.s3_height + 500;
        chain->snapshot_height = spec->snapshot.s3_height - 50;
    }
    create_secret(p, spec->signing_key.secret, "'priv_validator_key.json': " KEY);
    create_secret(p, spec->node_key.secret, "'node_key.json': " KEY);
    create_secret(
        p, ring->secret, str_format(a, "'%s.info': 'x', 'a.address': 'x'", ring->key_name));
    create_secret(p, ring->passphrase, str_format(a, "%s: 'x'", ring->passphrase_key));
    if (spec->ceremony.is_set) {
        then_true(outside_put(outside, str_format(a, "%s/genesis.json", spec->chain_id), "hash"));
        then_true(outside_put(outside, str_format(a, "%s/peers.json", spec->chain_id), "[]"));
    }
}

static void then_comes_up(const char *file)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 7}});

    Subject subject = create_sample(p, read_sample(play_arena(p), file));
    if (subject.kind == kind_seinode)
        give_what_it_needs(p, &play_node(p, subject.name)->spec);
    const char *wrong = play_settle(p);
    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    bool is_node = subject.kind == kind_seinode;
    const char *(*message)(Play *, const char *, const char *) =
        is_node ? play_message : play_fleet_message;
    const char *(*status)(Play *, const char *, const char *) =
        is_node ? play_condition : play_fleet_condition;
    then_str(message(p, subject.name, COND_STALLED), "nothing needs a person");
    then_str(status(p, subject.name, COND_READY), "True");
}

/* O-35 */
TEST(every_sample_is_accepted_by_the_schema_and_becomes_ready)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    DIR *folder = opendir(str_format(a, "%s/samples", root()));
    int count = 0;

    then_true(folder != NULL);
    for (const struct dirent *entry; (entry = readdir(folder));) { /* NOLINT(concurrency-*) */
        if (!str_has_suffix(entry->d_name, ".yaml"))
            continue;
        test_name_case(entry->d_name);
        then_comes_up(entry->d_name);
        count++;
    }
    closedir(folder);
    test_name_case(NULL);
    then_true(count >= 8);
}
