/* The page of the doctor (docs/DOCTOR.md), out of the tables. */
#include "base/str.h"
#include "cli/command.h"
#include "cli/doctor/exam.h"

static void say_check(Cli *cli, const Check *check)
{
    const char *when = check->is_pre_alone ? ", before an installation alone"
        : check->is_pre                    ? ", also before an installation"
                                           : "";

    output_say(cli,
        "\n### %s\n\n%c%s (%s%s).\n\n%s\n\n```sh\n%s\n```\n",
        check->code,
        check->title[0] - 'a' + 'A',
        check->title + 1,
        severity_text(check->severity),
        when,
        check->about,
        check->fix);
}

int checks_command(Cli *cli)
{
    Area area = AREA_COUNT;

    output_say(cli,
        "<!-- Made by `kubectl-sei __checks` from src/cli/doctor/check_*.c: edit there. -->\n\n"
        "# What `kubectl sei doctor` looks for\n\n"
        "%zu checks. Errors hurt now, or cost data or stake when touched; warnings will some day; "
        "notes are worth\nknowing and no fault. Codes never change their meaning. Below each "
        "stands the line that the doctor gives,\nwith the names filled in; `kubectl sei explain "
        "CODE` says the same at a terminal.\n\n"
        "What you may not list is named as not checked. What cannot be known counts as not asked "
        "and not as passed:\nthe settings of an operator without a Deployment, and monitoring "
        "without the Prometheus operator. A Secret\nis read only when a validator names it; its "
        "key is compared by a hash that is neither shown nor kept.\n",
        check_count());
    for (size_t i = 0; check_at(i); i++) {
        if (check_at(i)->area != area)
            output_say(cli, "\n## %s\n", area_text(check_at(i)->area));
        area = check_at(i)->area;
        say_check(cli, check_at(i));
    }
    return EXIT_FINE;
}
