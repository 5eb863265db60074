/* Fuzzes kubeconfigs: whatever the text, it is refused with words or gives a Config that keeps its
 * promises; and what YAML was read as means the same when it is written as JSON and read again. */
#include "base/str.h"
#include "kube/client/token.h"
#include "kube/client/yaml.h"
#include "kube/config.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void); // NOLINT: the sanitizer's name

/* libfyaml 0.7 forgets a few KiB when a long quoted scalar turns out broken. */
const char *__lsan_default_suppressions(void) // NOLINT
{
    return "leak:libfyaml";
}

static void must(bool law)
{
    if (!law)
        abort();
}

static bool is_absolute_or_beside(const char *path)
{
    return !path || path[0] == '/';
}

static void check_config(const Config *c)
{
    must(str_has_prefix(c->server, "https://") || str_has_prefix(c->server, "http://"));
    must(!str_has_suffix(c->server, "/") && !strpbrk(c->server, "@?# \r\n"));
    must(!str_empty(c->namespace) && !str_empty(c->origin));
    must(!(c->ca_pem && c->ca_file) && !(c->cert_pem && c->cert_file));
    must(!(c->key_pem && c->key_file));
    must((c->cert_pem || c->cert_file) == (c->key_pem || c->key_file));
    must(!c->insecure || (!c->ca_pem && !c->ca_file));
    must(!c->token || token_is_clean(c->token));
    must(is_absolute_or_beside(c->ca_file) && is_absolute_or_beside(c->cert_file));
    must(is_absolute_or_beside(c->key_file) && is_absolute_or_beside(c->token_file));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open(256 << 20);
    const char *text = str_slice(a, (const char *)data, size);
    const Json *value = NULL, *again = NULL;
    Config config = {0};

    if (!yaml_parse(a, text, &value)) {
        must(!yaml_parse(a, json_write(a, value).data, &again));
        must(json_equal(value, again));
    }
    Err *err = config_parse(a, "/home/u/.kube/config", text, NULL, &config);
    if (err)
        must(err->class == ERR_TERMINAL && str_has_prefix(err_text(a, err), "kubeconfig /home/u/"));
    else
        check_config(&config);
    return 0;
}
