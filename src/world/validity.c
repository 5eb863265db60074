/* Validity of metadata, in the words of the API server. On an update the real server checks
 * metadata twice and lists each fault twice among the causes; so does this one. */
#include "world/validity.h"

#include "base/str.h"
#include "kube/meta.h"
#include "world/naming.h"

#include <string.h>

enum { ANNOTATIONS_BYTES_MAX = 256 << 10 };

static const char invalid[] = "FieldValueInvalid";

/* --- names --- */

static const char *name_fault(NameRule rule, const char *name)
{
    switch (rule) {
    case NAME_SUBDOMAIN:
        return naming_subdomain(name);
    case NAME_LABEL:
        return naming_label(name);
    case NAME_LABEL_1035:
        return naming_label_1035(name);
    case NAME_PATH_SEGMENT:
        return naming_path_segment(name);
    }
    BUG("a rule of names that is none");
}

static void check_name(const Resource *r, const Json *object, Faults *f)
{
    NameRule rule = r->traits.names;
    const char *name = meta_name(object), *prefix = json_str(object, ".metadata.generateName");
    const char *fault;

    if (!str_empty(prefix)) {
        size_t len = strlen(prefix);
        const char *shown = prefix[len - 1] == '-' && len > 1
            ? str_format(f->arena, "%.*sa", (int)len - 1, prefix)
            : prefix;
        fault = name_fault(rule, shown);
        if (fault)
            faults_add(
                f, invalid, "metadata.generateName", "Invalid value: \"%s\": %s", prefix, fault);
    }
    if (str_empty(name)) {
        faults_add(f,
            "FieldValueRequired",
            "metadata.name",
            "Required value: name or generateName is required");
        return;
    }
    fault = name_fault(rule, name);
    if (fault)
        faults_add(f, invalid, "metadata.name", "Invalid value: \"%s\": %s", name, fault);
}

/* --- labels, annotations, finalizers, owners --- */

/* True when there is none. */
static bool check_key(const char *field, const char *key, const char *shown, Faults *f)
{
    NamingFaults faults = naming_key(f->arena, key);

    for (size_t i = 0; i < faults.count; i++)
        faults_add(f, invalid, field, "Invalid value: \"%s\": %s", shown, faults.list[i]);
    return faults.count == 0;
}

void validity_check_labels(const char *field, const Json *labels, Faults *f)
{
    const Json *label;

    json_each(label, labels) {
        const char *value = json_text(label) ? json_text(label) : "";
        const char *fault = naming_label_value(value);
        check_key(field, json_key(label), json_key(label), f);
        if (fault)
            faults_add(f, invalid, field, "Invalid value: \"%s\": %s", value, fault);
    }
}

void validity_check_annotations(const char *field, const Json *annotations, Faults *f)
{
    const Json *annotation;
    size_t bytes = 0;

    json_each(annotation, annotations) {
        const char *key = json_key(annotation), *value = json_text(annotation);
        char *lower = arena_array(f->arena, char, strlen(key) + 1);
        bytes += strlen(key) + (value ? strlen(value) : 0);
        for (size_t i = 0; key[i]; i++)
            lower[i] = key[i] >= 'A' && key[i] <= 'Z' ? (char)(key[i] - 'A' + 'a') : key[i];
        check_key(field, lower, key, f);
    }
    if (bytes > ANNOTATIONS_BYTES_MAX)
        faults_add(f,
            "FieldValueTooLong",
            field,
            "Too long: may not be more than %d bytes",
            ANNOTATIONS_BYTES_MAX);
}

static bool is_standard_finalizer(const char *text)
{
    return str_eq(text, "orphan") || str_eq(text, "foregroundDeletion")
        || str_eq(text, "kubernetes");
}

static void check_finalizers(const Resource *r, const Json *object, Faults *f)
{
    const Json *finalizer;
    int i = 0;

    json_each(finalizer, json_find(object, ".metadata.finalizers")) {
        const char *text = json_text(finalizer) ? json_text(finalizer) : "";
        bool is_free = r->traits.is_custom || r->traits.any_finalizer;
        check_key("metadata.finalizers", text, text, f);
        if (!is_free && !strchr(text, '/') && !is_standard_finalizer(text))
            faults_add(f,
                invalid,
                str_format(f->arena, "metadata.finalizers[%d]", i),
                "Invalid value: \"%s\": name is neither a standard finalizer name nor is it fully "
                "qualified",
                text);
        i++;
    }
}

/* "a/b/c" is no version, and so is as good as none. */
static bool is_owner_text(const char *field, const char *text)
{
    const char *slash = text ? strchr(text, '/') : NULL;

    return !str_empty(text) && !(str_eq(field, "apiVersion") && slash && strchr(slash + 1, '/'));
}

static void check_owner(const Json *owner, Faults *f)
{
    static const char *const fields[] = {"apiVersion", "kind", "name", "uid"};

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *text = json_text(json_member(owner, fields[i]));
        if (!is_owner_text(fields[i], text))
            faults_add(f,
                invalid,
                str_format(f->arena, "metadata.ownerReferences.%s", fields[i]),
                "Invalid value: \"%s\": %smust not be empty",
                text ? text : "",
                i == 0 ? "version " : "");
    }
    if (str_eq(json_str(owner, ".apiVersion"), "v1") && str_eq(json_str(owner, ".kind"), "Event"))
        faults_add(f,
            invalid,
            "metadata.ownerReferences",
            "Invalid value: %s: /v1, Kind=Event is disallowed from being an owner",
            json_write(f->arena, owner).data);
}

/* As the real server prints them. */
static const char *owners_text(Arena *a, const Json *owners)
{
    static const char *const members[] = {
        "apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"};
    Draft *list = draft_array(a);
    const Json *owner;

    json_each(owner, owners) {
        Draft *shown = draft_object(a);
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            draft_add(shown, draft_json(members[i], json_member(owner, members[i])));
        draft_push(list, shown);
    }
    return json_write(a, json_seal(a, list)).data;
}

static void check_owners(const Json *object, Faults *f)
{
    const Json *owners = json_find(object, ".metadata.ownerReferences"), *owner;
    const Json *controller = NULL;

    json_each(owner, owners) {
        check_owner(owner, f);
        if (!json_bool(owner, ".controller", false))
            continue;
        if (controller)
            faults_add(f,
                invalid,
                "metadata.ownerReferences",
                "Invalid value: %s: Only one reference can have Controller set to true. Found "
                "\"true\" in references for %s/%s and %s/%s",
                owners_text(f->arena, owners),
                json_str(controller, ".kind"),
                json_str(controller, ".name"),
                json_str(owner, ".kind"),
                json_str(owner, ".name"));
        controller = owner;
    }
}

/* --- what an update may not do --- */

static void check_new_finalizers(const Json *object, const Json *before, Faults *f)
{
    const Json *finalizer;
    const char *added = NULL;

    json_each(finalizer, json_find(object, ".metadata.finalizers")) {
        const char *text = json_text(finalizer);
        if (!text || meta_has_finalizer(before, text))
            continue;
        added = added ? str_format(f->arena, "%s, \"%s\"", added, text)
                      : str_format(f->arena, "\"%s\"", text);
    }
    if (added)
        faults_add(f,
            "FieldValueForbidden",
            "metadata.finalizers",
            "Forbidden: no new finalizers can be added if the object is being deleted, found new "
            "finalizers []string{%s}",
            added);
}

/* The members that are the server's: an absent one means no change, another one is refused. */
static void check_fixed(const Json *object, const Json *before, Faults *f)
{
    static const char *const fixed[] = {"uid", "deletionTimestamp", "deletionGracePeriodSeconds"};
    const Json *meta = json_member(object, "metadata"), *old = json_member(before, "metadata");

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        const Json *value = json_member(meta, fixed[i]), *was = json_member(old, fixed[i]);
        bool given = value && json_type(value) != JSON_NULL && !str_eq(json_text(value), "");
        bool kept = i == 1 && was; /* an object that goes cannot be told otherwise */
        if (given && !kept && !json_equal(value, was))
            faults_add(f,
                invalid,
                str_format(f->arena, "metadata.%s", fixed[i]),
                "Invalid value: %s: field is immutable",
                json_write(f->arena, value).data);
    }
}

void validity_check_metadata(const Resource *r, const Json *object, const Json *before, Faults *f)
{
    if (!before)
        check_name(r, object, f);
    for (int times = before ? 2 : 1; times > 0; times--) {
        if (before && meta_deleting(before))
            check_new_finalizers(object, before, f);
        if (before)
            check_fixed(object, before, f);
        validity_check_labels("metadata.labels", json_find(object, ".metadata.labels"), f);
        validity_check_annotations(
            "metadata.annotations", json_find(object, ".metadata.annotations"), f);
        check_finalizers(r, object, f);
        check_owners(object, f);
    }
}
