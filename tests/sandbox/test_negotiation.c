/* In which form an answer goes out, for the headers that real clients send. */
#include "sandbox/negotiation.h"
#include "tests/test.h"

#define PROTOBUF  "application/vnd.kubernetes.protobuf"
#define TABLE     "application/json;as=Table;v=v1;g=meta.k8s.io"
#define METADATA  ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
#define METADATAS ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
#define WHOLE     "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
#define WHOLE_OLD "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"

static const struct {
    const char *name, *accept;
    Endpoint endpoint;
    Form want;
    const char *version;
} cases[] = {
    {"no header", NULL, .want = FORM_PLAIN},
    {"an empty header", "", .want = FORM_PLAIN},
    {"anything", "*/*", .want = FORM_PLAIN},
    {"a lone star", "*", .want = FORM_PLAIN},
    {"JSON", "application/json", .want = FORM_PLAIN},
    {"JSON among applications", "application/*", .want = FORM_PLAIN},
    {"a browser", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
    {"JSON as a stream of events", "application/json;stream=watch", .want = FORM_PLAIN},
    {"another stream", "application/json;stream=lines", .want = FORM_NOT_ACCEPTABLE},
    {"a version of the server", "application/json;sv=v1", .want = FORM_NOT_ACCEPTABLE},
    {"an unknown parameter", "application/json;charset=utf-8", .want = FORM_PLAIN},
    {"protobuf before JSON", PROTOBUF ",application/json", .want = FORM_PLAIN},
    {"protobuf before JSON, with spaces", PROTOBUF " , application/json ", .want = FORM_PLAIN},
    {"protobuf alone", PROTOBUF, .want = FORM_NOT_ACCEPTABLE},
    {"YAML alone", "application/yaml", .want = FORM_NOT_ACCEPTABLE},
    {"a page", "text/html", .want = FORM_NOT_ACCEPTABLE},
    {"no media type at all", "json", .want = FORM_NOT_ACCEPTABLE},
    {"too many slashes", "application/json/x", .want = FORM_NOT_ACCEPTABLE},
    {"kubectl get",
        TABLE ",application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
        .want = FORM_TABLE,
        .version = "v1"},
    {"an old kubectl get",
        "application/json;as=Table;v=v1beta1;g=meta.k8s.io, application/json",
        .want = FORM_TABLE,
        .version = "v1beta1"},
    {"a table of a group that has none, and nothing else",
        "application/json;as=Table;v=v1;g=apps",
        .want = FORM_NOT_ACCEPTABLE},
    {"a table of a group that has none, or JSON",
        "application/json;as=Table;v=v1;g=apps,application/json",
        .want = FORM_PLAIN},
    {"an unknown conversion",
        "application/json;as=Chart;v=v1;g=meta.k8s.io",
        .want = FORM_NOT_ACCEPTABLE},
    {"a conversion without a kind", "application/json;g=meta.k8s.io", .want = FORM_NOT_ACCEPTABLE},
    {"an informer of metadata gets an object",
        PROTOBUF METADATA ",application/json" METADATA ",application/json",
        .want = FORM_METADATA,
        .version = "v1"},
    {"an informer of metadata gets a list",
        PROTOBUF METADATAS ",application/json" METADATAS ",application/json",
        .want = FORM_METADATA_LIST,
        .version = "v1"},
    {"what is wanted more goes first", "application/json;q=0.5," TABLE, .want = FORM_TABLE, "v1"},
    {"what is wanted less goes last", TABLE ";q=0.1,application/json;q=0.2", .want = FORM_PLAIN},
    {"what is named goes before anything", "*/*," TABLE, .want = FORM_TABLE, "v1"},
    {"kubectl looks around",
        WHOLE "," WHOLE_OLD ",application/json",
        ENDPOINT_DISCOVERY,
        FORM_DISCOVERY},
    {"the whole goes first wherever it stands",
        "application/json," WHOLE,
        ENDPOINT_DISCOVERY,
        FORM_DISCOVERY},
    {"the whole as it was in beta", WHOLE_OLD ",application/json", ENDPOINT_DISCOVERY, FORM_PLAIN},
    {"the whole as it was in beta, and nothing else",
        WHOLE_OLD,
        ENDPOINT_DISCOVERY,
        FORM_NOT_ACCEPTABLE},
    {"a table of discovery", TABLE, ENDPOINT_DISCOVERY, FORM_NOT_ACCEPTABLE},
    {"the whole of a kind", WHOLE, ENDPOINT_RESOURCE, FORM_NOT_ACCEPTABLE},
    {"a document", "application/json, */*", ENDPOINT_DOCUMENT, FORM_PLAIN},
    {"a table of a document", TABLE, ENDPOINT_DOCUMENT, FORM_NOT_ACCEPTABLE},
};

TEST(content_negotiation_chooses_the_json_form_of_the_real_server)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Negotiated got = negotiate(a, cases[i].accept, cases[i].endpoint);

        then_int(got.form, cases[i].want);
        then_str(got.version, cases[i].version);
    }
}

TEST(an_accept_header_with_many_clauses_is_read_up_to_a_limit)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    const char *accept = "text/a";

    for (int i = 0; i < 40; i++)
        accept = str_format(a, "%s,text/a", accept);
    accept = str_format(a, "%s,application/json", accept);
    then_int(negotiate(a, accept, ENDPOINT_RESOURCE).form, FORM_NOT_ACCEPTABLE);
}

TEST(a_406_answer_names_the_accepted_content_types)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    const Json *status = negotiation_refusal(a);

    then_int(json_int(status, ".code", 0), 406);
    then_str(json_str(status, ".message"),
        "only the following media types are accepted: application/json");
}
