/* Pages: the help names everything there is, and the config tells what counts and no secret. */
#include "operator/pages.h"
#include "tests/kube/client/scratch.h"
#include "tests/operator/world.h"

/* The text in one line, whatever way it is broken into lines. */
static const char *in_one_line(Arena *a, const char *text)
{
    char *line = arena_alloc(a, strlen(text) + 1), *end = line;

    for (; *text; text++)
        if (*text != ' ' && *text != '\n')
            *end++ = *text;
        else if (end > line && end[-1] != ' ')
            *end++ = ' ';
    *end = '\0';
    return line;
}

TEST(the_operator_help_names_every_flag_and_every_variable)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Buf page = {.ceiling = PAGE_MAX};

    page_help(&page);
    const char *line = in_one_line(a, page.data);
    for (const FlagRow *row = flag_rows; row->name; row++) {
        then_true(strstr(page.data, str_format(a, "\n  --%s", row->name)) != NULL);
        then_true(strstr(line, row->about) != NULL);
    }
    for (const SettingRow *row = setting_rows; row->name; row++)
        then_true(strstr(line, str_format(a, " %s %s (", row->name, row->about)) != NULL);
    then_true(strstr(page.data,
                  "--workers N\n        nodes that are looked at side by side"
                  " (default 4)\n")
        != NULL);
    then_true(strstr(page.data, "(required)") && strstr(page.data, "(optional)"));
    then_true(strstr(page.data, "POD_NAMESPACE") != NULL);
    buf_close(&page);
}

static Launch some_launch(Arena *a)
{
    static const Variable variables[] = {
        {"SEI_RESOURCE_CPU_DEFAULT", "4000m"}, {"POD_NAMESPACE", "ns"}, {NULL, NULL}};
    const char *path = scratch_write(a, scratch_folder(a), "config", kubeconfig);
    ConfigSource config = {.kubeconfig_list = path};
    LaunchSource source = {.environment = some_environment,
        .self = (void *)variables,
        .config = &config,
        .host = "machine"};
    Flags flags;
    Launch launch;

    then_ok(flags_parse(
        a, 3, (char *[]){(char *)"sei-operator", (char *)"config", (char *)"--workers=9"}, &flags));
    then_ok(launch_read(a, &flags, &source, OK, &launch));
    return launch;
}

TEST(the_config_page_shows_the_effective_configuration)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Launch launch = some_launch(a);
    Buf page = {.ceiling = PAGE_MAX};

    page_config(a, &launch, &page);
    then_true(strstr(page.data, "--workers=9\n") != NULL);
    then_true(strstr(page.data, "--leader-elect=true\n") != NULL);
    then_true(strstr(page.data, "SEI_RESOURCE_CPU_DEFAULT=4\n") != NULL);
    then_true(strstr(page.data, "SEI_TERMINATION_GRACE_PERIOD_SECONDS=600\n") != NULL);
    then_true(strstr(page.data, "SEI_P2P_ENDPOINT_DOMAIN=\n") != NULL);
    then_true(strstr(page.data, "API server: https://api:6443 (kubeconfig ") != NULL);
    then_true(strstr(page.data, "lease: ns/bc1f5b0a.sei.io, held as machine\n") != NULL);
    then_true(strstr(page.data, "tokens for sidecars: of ns/sei-sidecar-client\n") != NULL);
    then_true(strstr(page.data, "--metrics-secure=false\n") != NULL);
    then_true(strstr(page.data, "\nmetrics: :8080\n") != NULL);
    then_true(!strstr(page.data, "--help") && !strstr(page.data, "enable-http2"));
    then_true(!strstr(page.data, "secret-token"));
    buf_close(&page);
}
