/* Records: what they keep, under which version they are written, when their memory goes. */
#include "tests/test.h"
#include "world/record.h"

static const char text[] = "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"resourceVersion\":"
                           "\"99\"},\"spec\":{\"note\":\"\\\"resourceVersion\\\":\\\"7\\\"\"}}";

static Record *record_at(Slab *slab, uint64_t version)
{
    return record_new(slab,
        &(RecordText){
            .key = "default/p",
            .version = version,
            .text = bytes_of(text),
            .glance = bytes_of("{\"metadata\":{\"name\":\"p\"}}"),
            .is_new = version == 99,
        });
}

TEST(a_record_keeps_key_and_version_and_object)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Slab *slab = slab_open();
    Record *r = record_at(slab, 99);

    then_str(record_key(r), "default/p");
    then_int(record_version(r), 99);
    then_true(record_is_new(r) && !record_is_new(record_at(slab, 100)));
    then_true(bytes_equal(record_text(a, r), bytes_of(text)));
    then_str(json_str(record_glance(a, r), ".metadata.name"), "p");
    then_str(json_str(record_object(a, r), ".metadata.resourceVersion"), "99");
    slab_close(slab);
}

static const struct {
    const char *name;
    uint64_t version;
    const char *want;
} versions[] = {
    {"the same length", 98, "98"},
    {"longer", 100, "100"},
    {"shorter", 5, "5"},
    {"the longest", UINT64_MAX, "18446744073709551615"},
};

TEST(a_record_is_written_with_another_resource_version)
{
    each_case(i, versions) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Slab *slab = slab_open();
        Record *r = record_at(slab, 99);
        size_t size = record_size_at(r, versions[i].version);
        char *written = arena_alloc(a, size);
        const Json *object;

        record_write_at(r, a, versions[i].version, written);
        then_ok(json_parse(a, (Bytes){.data = written, .len = size}, &object));
        then_str(json_str(object, ".metadata.resourceVersion"), versions[i].want);
        then_str(json_str(object, ".spec.note"), "\"resourceVersion\":\"7\"");
        slab_close(slab);
    }
}

TEST(a_packed_record_equals_the_original_one)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SCOPED_ARENA work = arena_open(1 << 20);
    Slab *slab = slab_open();
    Packer *packer = packer_open(slab, work);
    const char *long_text = str_format(a,
        "{\"metadata\":{\"resourceVersion\":\"99\"},\"spec\":[%s,%s,%s,%s]}",
        text,
        text,
        text,
        text);

    for (int i = 0; i < 5; i++) { /* without a model, and by one */
        Record *r = record_new(slab,
            &(RecordText){.key = "k",
                .version = 99,
                .text = bytes_of(long_text),
                .glance = bytes_of("{\"a\":\"b\"}"),
                .packer = packer});
        then_str(json_str(record_glance(a, r), ".a"), "b");
        then_true(record_size(r) < strlen(long_text));
        then_true(bytes_equal(record_text(a, r), bytes_of(long_text)));
        char *written = arena_alloc(a, record_size_at(r, 12345) + 1);
        record_write_at(r, a, 12345, written);
        const char *want =
            str_format(a, "{\"metadata\":{\"resourceVersion\":\"12345%s", long_text + 34);
        then_str(written, want);
        record_drop(slab, r);
    }
    packer_close(packer);
    then_int(slab_count(slab), 0);
    slab_close(slab);
}

TEST(a_record_is_freed_when_its_last_holder_drops_it)
{
    Slab *slab = slab_open();
    Record *r = record_at(slab, 1);

    then_true(record_hold(r) == r);
    record_drop(slab, r);
    then_str(record_key(r), "default/p");
    record_drop(slab, r);
    then_int(slab_count(slab), 0);
    then_true(record_hold(NULL) == NULL);
    record_drop(slab, NULL);
    slab_close(slab);
}

TEST(a_record_without_a_resource_version_is_a_bug)
{
    then_bug("without a resourceVersion",
        record_new(slab_open(), &(RecordText){.key = "x", .text = bytes_of("{}")}));
}
