/* Validity of metadata, in the words of the API server. On an update the real server checks
 * metadata twice and lists each fault twice among the causes; so does this one. */
#include "world/validity.h"

#include "base/str.h"
#include "kube/core/label.h"
#include "kube/meta.h"

#include <string.h>

enum {
    SUBDOMAIN_MAX = 253,
    LABEL_MAX = 63,
    ANNOTATIONS_BYTES_MAX = 256 << 10,
};

static const char invalid[] = "FieldValueInvalid";

/* --- names --- */

static bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* [a-z0-9]([-a-z0-9]*[a-z0-9])? of exactly this length. */
static bool is_label(const char *text, size_t len)
{
    if (len == 0 || !is_lower(text[0]) || !is_lower(text[len - 1]))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!is_lower(text[i]) && text[i] != '-')
            return false;
    return true;
}

static bool is_subdomain(const char *text)
{
    for (;;) {
        size_t len = strcspn(text, ".");
        if (!is_label(text, len))
            return false;
        if (!text[len])
            return true;
        text += len + 1;
    }
}

static const char *subdomain_fault(const char *name)
{
    if (strlen(name) > SUBDOMAIN_MAX)
        return "must be no more than 253 characters";
    if (is_subdomain(name))
        return NULL;
    return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
           "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
           "regex used for validation is "
           "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
}

static const char *label_fault(const char *name)
{
    if (strlen(name) > LABEL_MAX)
        return "must be no more than 63 characters";
    if (is_label(name, strlen(name)))
        return NULL;
    if (is_subdomain(name))
        return "must not contain dots";
    return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
           "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
           "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

static const char *label_1035_fault(const char *name)
{
    if (strlen(name) > LABEL_MAX)
        return "must be no more than 63 characters";
    if (is_label(name, strlen(name)) && (*name < '0' || *name > '9'))
        return NULL;
    return "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
           "an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
           "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
}

static const char *name_fault(NameRule rule, const char *name)
{
    switch (rule) {
    case NAME_SUBDOMAIN:
        return subdomain_fault(name);
    case NAME_LABEL:
        return label_fault(name);
    case NAME_LABEL_1035:
        return label_1035_fault(name);
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

#define NAME_PART                                                                                  \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

static const char *key_fault(Arena *a, const char *key)
{
    const char *slash = strchr(key, '/');
    const char *name = slash ? slash + 1 : key;

    if (label_is_key(key))
        return NULL;
    if (slash && strchr(name, '/'))
        return "a qualified name " NAME_PART
               " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    if (slash == key)
        return "prefix part must be non-empty";
    if (slash && subdomain_fault(str_slice(a, key, (size_t)(slash - key))))
        return str_format(
            a, "prefix part %s", subdomain_fault(str_slice(a, key, (size_t)(slash - key))));
    if (!*name)
        return "name part must be non-empty";
    if (strlen(name) > LABEL_MAX)
        return "name part must be no more than 63 characters";
    return "name part " NAME_PART;
}

static const char *value_fault(const char *value)
{
    if (label_is_value(value))
        return NULL;
    if (strlen(value) > LABEL_MAX)
        return "must be no more than 63 characters";
    return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
           "or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
           "'my_value',  or '12345', regex used for validation is "
           "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
}

static void check_labels(const Json *object, Faults *f)
{
    const Json *label;

    json_each(label, json_find(object, ".metadata.labels")) {
        const char *value = json_text(label) ? json_text(label) : "";
        const char *fault = key_fault(f->arena, json_key(label));
        if (fault)
            faults_add(
                f, invalid, "metadata.labels", "Invalid value: \"%s\": %s", json_key(label), fault);
        fault = value_fault(value);
        if (fault)
            faults_add(f, invalid, "metadata.labels", "Invalid value: \"%s\": %s", value, fault);
    }
}

static void check_annotations(const Json *object, Faults *f)
{
    const Json *annotation;
    size_t bytes = 0;

    json_each(annotation, json_find(object, ".metadata.annotations")) {
        const char *key = json_key(annotation), *value = json_text(annotation);
        char *lower = arena_array(f->arena, char, strlen(key) + 1);
        bytes += strlen(key) + (value ? strlen(value) : 0);
        for (size_t i = 0; key[i]; i++)
            lower[i] = key[i] >= 'A' && key[i] <= 'Z' ? (char)(key[i] - 'A' + 'a') : key[i];
        const char *fault = key_fault(f->arena, lower);
        if (fault)
            faults_add(f, invalid, "metadata.annotations", "Invalid value: \"%s\": %s", key, fault);
    }
    if (bytes > ANNOTATIONS_BYTES_MAX)
        faults_add(f,
            "FieldValueTooLong",
            "metadata.annotations",
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
        const char *fault = key_fault(f->arena, text);
        if (!fault && !r->traits.is_custom && !r->traits.any_finalizer && !strchr(text, '/')
            && !is_standard_finalizer(text))
            fault = "name is neither a standard finalizer name nor is it fully qualified";
        if (fault)
            faults_add(f,
                invalid,
                str_format(f->arena, "metadata.finalizers[%d]", i),
                "Invalid value: \"%s\": %s",
                text,
                fault);
        i++;
    }
}

static void check_owners(const Json *object, Faults *f)
{
    static const char *const fields[] = {"apiVersion", "kind", "name", "uid"};
    const Json *owners = json_find(object, ".metadata.ownerReferences"), *owner;
    const Json *controller = NULL;

    json_each(owner, owners) {
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            if (str_empty(json_text(json_member(owner, fields[i]))))
                faults_add(f,
                    invalid,
                    str_format(f->arena, "metadata.ownerReferences.%s", fields[i]),
                    "Invalid value: \"\": %smust not be empty",
                    i == 0 ? "version " : "");
        if (!json_bool(owner, ".controller", false))
            continue;
        if (controller)
            faults_add(f,
                invalid,
                "metadata.ownerReferences",
                "Invalid value: %s: Only one reference can have Controller set to true. Found "
                "\"true\" in references for %s/%s and %s/%s",
                json_write(f->arena, owners).data,
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
        check_labels(object, f);
        check_annotations(object, f);
        check_finalizers(r, object, f);
        check_owners(object, f);
    }
}
