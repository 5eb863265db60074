/* Rules of the volumes of pods. A volume with a fault is, to the mounts of it, not there. */
#include "base/str.h"
#include "kube/quantity.h"
#include "world/validity_pod.h"

/* Sources in the order in which the real server finds them. */
static const char *const sources[] = {
    ".emptyDir",
    ".hostPath",
    ".gitRepo",
    ".gcePersistentDisk",
    ".awsElasticBlockStore",
    ".secret",
    ".nfs",
    ".iscsi",
    ".persistentVolumeClaim",
    ".downwardAPI",
    ".fc",
    ".configMap",
    ".azureFile",
    ".projected",
    ".csi",
    ".ephemeral",
    ".image",
};

static void check_sources(const Spot *spot, Faults *f)
{
    size_t found = 0;

    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        Spot source = spot_at(spot, sources[i]);
        if (source.value && found++ > 0)
            spot_forbidden(&source, f, "may not specify more than 1 volume type");
    }
}

static void check_size_limit(const Spot *spot, Faults *f)
{
    Quantity size;

    if (spot->value && !quantity_parse(f->arena, spot_text(spot), &size) && size.nanos < 0)
        spot_forbidden(spot, f, "SizeLimit field must be a valid resource quantity");
}

static void check_expiration(const Spot *spot, Faults *f)
{
    enum { SECONDS_LEAST = 600 };
    static const int64_t seconds_most = 1LL << 32;
    int64_t seconds = json_int(spot->value, "", SECONDS_LEAST);

    if (seconds < SECONDS_LEAST)
        spot_invalid(spot, f, "may not specify a duration less than 10 minutes");
    if (seconds > seconds_most)
        spot_invalid(spot, f, "may not specify a duration larger than 2^32 seconds");
}

/* The path of a token is missed at the volume, not at its source. */
static void check_token_path(const Spot *spot, Faults *f)
{
    const Spot *projected = spot_around(spot, "sources");
    Spot path = spot_at(projected, ".path");

    if (str_empty(spot_text(spot)))
        spot_required(&path, f, NULL);
}

static void check_volume_name(const Spot *spot, Faults *f)
{
    const char *name = spot_text(spot), *fault = naming_label(name);

    if (str_empty(name)) {
        spot_required(spot, f, NULL);
        return;
    }
    if (fault)
        spot_invalid(spot, f, fault);
    if (spot_repeats(spot->up, ".name"))
        spot_duplicate(spot, f);
}

static const Rule item_rules[] = {
    {".key", .check = rule_required},
    {".path", .check = rule_required},
    {".path", .check = rule_named, .naming = naming_file_path},
    {".mode", .check = rule_mode},
    {0},
};
static const Rule empty_dir_rules[] = {
    {".sizeLimit", .check = check_size_limit},
    {0},
};
static const Rule host_path_rules[] = {
    {".path", .check = rule_required},
    {".type",
        .check = rule_choice,
        .words = "|DirectoryOrCreate|Directory|FileOrCreate|File|Socket|CharDevice|BlockDevice"},
    {0},
};
static const Rule secret_rules[] = {
    {".secretName", .check = rule_required},
    {".defaultMode", .check = rule_mode},
    {".items", .each = item_rules},
    {0},
};
static const Rule claim_rules[] = {
    {".claimName", .check = rule_required},
    {0},
};
static const Rule config_map_rules[] = {
    {".name", .check = rule_required},
    {".defaultMode", .check = rule_mode},
    {".items", .each = item_rules},
    {0},
};
static const Rule projected_items_rules[] = {
    {".name", .check = rule_required},
    {".items", .each = item_rules},
    {0},
};
static const Rule token_rules[] = {
    {".expirationSeconds", .check = check_expiration},
    {".path", .check = check_token_path},
    {0},
};
static const Rule projection_rules[] = {
    {".secret", .inside = projected_items_rules},
    {".configMap", .inside = projected_items_rules},
    {".serviceAccountToken", .inside = token_rules},
    {0},
};
static const Rule projected_rules[] = {
    {".defaultMode", .check = rule_mode},
    {".sources", .each = projection_rules},
    {0},
};

const Rule validity_volume_rules[] = {
    {"", .check = check_sources},
    {".emptyDir", .inside = empty_dir_rules},
    {".hostPath", .inside = host_path_rules},
    {".secret", .inside = secret_rules},
    {".persistentVolumeClaim", .inside = claim_rules},
    {".configMap", .inside = config_map_rules},
    {".projected", .inside = projected_rules},
    {".name", .check = check_volume_name},
    {0},
};
