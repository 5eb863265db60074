/* set image: of a node, or of the template of a fleet. A node of a fleet has its fleet's image, so
 * that a change of the node alone would be undone. */
#include "cli/set_image.h"

#include "base/draft.h"
#include "base/str.h"
#include "cli/change.h"
#include "cli/hold.h"
#include "sei/api/setting_text.h"

Err *set_image_check(Cli *cli, const char *image)
{
    if (!setting_text_fault(SETTING_IMAGE, image))
        return OK;
    return err_terminal(
        cli->arena, "\"%s\" is no image: say one such as registry/sei:v6.4.2", image);
}

static Err *refuse_child(Cli *cli, const Target *target)
{
    const char *fleet = target_fleet_of(target->object);

    if (target_is_fleet(target) || !fleet)
        return OK;
    return err_terminal(cli->arena,
        "%s belongs to fleet/%s, whose template says its image: run `%s set image fleet/%s %s%s`",
        target_text(cli->arena, target),
        fleet,
        cli->program,
        fleet,
        cli->args[1],
        target_where(cli));
}

static Err *make_image(Cli *cli, const Target *target, Change *ret)
{
    Arena *a = cli->arena;
    const char *image = cli->args[1], *text = target_text(a, target);
    bool is_fleet = target_is_fleet(target);
    const char *now =
        json_str(target->object, is_fleet ? ".spec.template.spec.image" : ".spec.image");

    TRY(set_image_check(cli, image));
    TRY(refuse_child(cli, target));
    if (str_eq(now, image)) {
        *ret = (Change){.told = str_format(a, "has the image %s already", image),
            .next = str_format(a, "status %s", text)};
        return OK;
    }
    Draft *spec = draft(a, str("image", image));
    *ret = (Change){
        .patch = is_fleet ? draft(a, obj("spec", obj("template", sub("spec", spec))))
                          : draft(a, sub("spec", spec)),
        .warning = hold_warning(cli, target),
        .told = str_format(a, "image %s -> %s", now ? now : "(none)", image),
        .next = hold_next(cli, target, "rollout status"),
    };
    return OK;
}

int set_image_command(Cli *cli)
{
    return change_run(cli, make_image);
}
