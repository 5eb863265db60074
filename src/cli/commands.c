/* The commands of kubectl-sei. Everything that is said about them anywhere is made from these
 * rows. */
#include "cli/command.h"

#include "base/str.h"
#include "sei/api/condition_about.h"

#include <string.h>

#define READS  (FLAGS_CONNECTION | FLAGS_NAMESPACE | FLAGS_OUTPUT)
#define WRITES (READS | FLAGS_WRITE)

#define TOPIC_LOOK    "Look"
#define TOPIC_ROLL    "Roll"
#define TOPIC_OPERATE "Operate"
#define TOPIC_ADMIN   "Administer"

enum { ARGS_ANY = 1000 };

const Command commands[] = {
    {.topic = TOPIC_LOOK,
        .name = "get",
        .args = "[nodes|fleets] [NAME...]",
        .about = "list nodes and fleets, one line each",
        .more =
            "STATE is why the object is Ready or is not, in the words of its condition: "
            "`explain` says what each means. On a narrow terminal the columns that say what "
            "rarely changes are left out; -o wide has more of them, and asks up to 100 seids for "
            "their heights as `status` does; what is not known is a question mark.",
        .examples = "get\nget nodes -l sei.io/chain=pacific-1 -A\nget fleets -w\n"
                    "get nodes -o 'jsonpath={.items[*].metadata.name}'",
        .arg_kinds = {ARG_KIND, ARG_TARGET},
        .args_max = ARGS_ANY,
        .flag_groups = READS | FLAGS_SELECT | FLAGS_TABLE | FLAGS_WATCH,
        .run = get_command},
    {.topic = TOPIC_LOOK,
        .name = "status",
        .args = "NAME",
        .about = "show one node or fleet on one screen: how it is, why, and what to do",
        .more =
            "Why comes first: what needs a person and its remedy, then the plan and what it "
            "waits for, then what the pod says. Heights, the age of the last block and peers are "
            "asked of seid itself, through the API server at its pod, which needs the right to "
            "get pods/proxy (the role edit has it); lag is told to the best height that the "
            "node's peers or others of its fleet had told of before. What could not be read "
            "within --request-timeout is named, and the rest is shown. Ends with 1 when the object "
            "is not Ready or needs a person. With -o json or yaml it prints the view that "
            "the text is made from (cli.sei.io/v1), not the object.",
        .examples = "status public-rpc\nstatus node/archive-0 -o json",
        .arg_kinds = {ARG_TARGET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = READS,
        .run = status_command},
    {.topic = TOPIC_LOOK,
        .name = "watch",
        .args = "[NAME]",
        .about = "show one node or fleet, or all of a namespace or cluster, as they change",
        .more = "On a terminal it is a screen that is drawn again with every change and every half "
                "second. q or Ctrl-C quits the screen; nodes and rollouts go on. Elsewhere it "
                "prints a line for each change that a person would notice. A server that goes away "
                "and comes back ends nothing.",
        .examples = "watch\nwatch public-rpc\nwatch -A -l sei.io/chain=pacific-1\n"
                    "watch node/archive-0 | tee archive-0.log",
        .arg_kinds = {ARG_TARGET},
        .args_max = 1,
        .flag_groups = FLAGS_CONNECTION | FLAGS_NAMESPACE | FLAGS_SELECT | FLAGS_SCREEN,
        .run = watch_command},
    {.topic = TOPIC_LOOK,
        .name = "drift",
        .args = "NAME",
        .about = "show field by field how what runs differs from what is wanted",
        .more = "Ends with 1 when something differs, as `kubectl diff` does.",
        .examples = "drift archive-0\ndrift fleet/public-rpc -o yaml",
        .arg_kinds = {ARG_TARGET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = READS,
        .run = drift_command},
    {.topic = TOPIC_LOOK,
        .name = "plan show",
        .args = "NAME [ID]",
        .about = "show a plan with its steps: the one in hand, or one by its id",
        .more = "The beginning of an id is enough. Of plans that were replaced only how they ended "
                "is remembered.",
        .examples = "plan show archive-0\nplan show archive-0 7f3c",
        .arg_kinds = {ARG_TARGET, ARG_PLAN},
        .args_min = 1,
        .args_max = 2,
        .flag_groups = READS,
        .run = plan_show_command},
    {.topic = TOPIC_LOOK,
        .name = "plan history",
        .args = "NAME",
        .about = "list the last plans, the newest first",
        .examples = "plan history archive-0",
        .arg_kinds = {ARG_TARGET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = READS,
        .run = plan_history_command},
    {.topic = TOPIC_LOOK,
        .name = "explain",
        .args = "REASON",
        .about = "say what a reason, condition, event, task, alert or code means, and what to do",
        .more = "Codes are those of `doctor`, alerts those of deploy/monitoring. Needs no cluster. "
                "Large and small letters are the same.",
        .examples = "explain DataVolumeMissing\nexplain replace-pod\nexplain SEI2104\nexplain "
                    "SeiNodeStalled",
        .arg_kinds = {ARG_REASON},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = FLAGS_OUTPUT,
        .run = explain_command},
    {.topic = TOPIC_LOOK,
        .name = "doctor",
        .args = "",
        .about = "look for what is wrong, or will be: cluster, operator, storage, nodes, keys",
        .more = "Each finding has a code, which `explain` knows, and a line to type. Looks in all "
                "namespaces, or in that of -n (at the operator and at keys everywhere). What you "
                "may not list is named, and the rest is told. Ends with 1 when there is an error "
                "or a warning; notes alone are no fault. Secrets of validators are compared by a "
                "hash; nothing of them is shown or kept. With -o wide every check has a line; with "
                "-o json or yaml it prints a DoctorView (cli.sei.io/v1).",
        .examples = "doctor\ndoctor -n sei -o wide\ndoctor --pre\ndoctor --wait --timeout 5m",
        .flag_groups = READS | FLAGS_EXAM | FLAGS_WAIT,
        .run = doctor_command},
    {.topic = TOPIC_LOOK,
        .name = "report",
        .args = "NAME",
        .about = "write all about a node or a fleet into a file, without secrets",
        .more =
            ("A tar for a bug report: the objects, the events, what status, drift, plan and doctor "
             "say, the ends of the logs of the pods and of the operator. Secrets are not read at "
             "all. Of all else, what looks like a secret or is called like one becomes "
             "[redacted]: keys, tokens, passwords, credentials in URLs, mnemonics. manifest.txt "
             "says what is in it, and what was left out and why. Look through it before you "
             "pass it on. The file is at most 32 MiB, and readable for you alone."),
        .examples = "report public-rpc\nreport node/archive-0 --to archive-0.tar",
        .arg_kinds = {ARG_TARGET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = FLAGS_CONNECTION | FLAGS_NAMESPACE | FLAGS_REPORT,
        .run = report_command},
    {.topic = TOPIC_ROLL,
        .name = "rollout status",
        .args = "NAME",
        .about = "wait until what the spec asks for is so",
        .more = "Says a line whenever there is something new, and ends with 1 when only a person "
                "can go on, or when the rollout is held or paused. With a partition it ends with 0 "
                "when the nodes from there on are updated, and says how many below it keep their "
                "revision. With -o json or yaml it does not wait, and shows the object.",
        .examples = "rollout status public-rpc --timeout 30m",
        .arg_kinds = {ARG_TARGET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = READS | FLAGS_WAIT,
        .run = rollout_status_command},
    {.topic = TOPIC_ROLL,
        .name = "rollout hold",
        .args = "NAME",
        .about = "stop updating the nodes of a fleet; every pod keeps running",
        .more = "Sets spec.updateStrategy.hold. A node that is being updated is finished. "
                "`pause` is something else: it stops pods.",
        .examples = "rollout hold public-rpc",
        .arg_kinds = {ARG_FLEET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = WRITES,
        .run = rollout_hold_command},
    {.topic = TOPIC_ROLL,
        .name = "rollout resume",
        .args = "NAME",
        .about = "go on with what was held",
        .more = "Takes spec.updateStrategy.hold back.",
        .examples = "rollout resume public-rpc",
        .arg_kinds = {ARG_FLEET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = WRITES,
        .run = rollout_resume_command},
    {.topic = TOPIC_ROLL,
        .name = "rollout promote",
        .args = "NAME",
        .about = "update the nodes below the partition, too",
        .more = "Sets spec.updateStrategy.partition to 0.",
        .examples = "rollout promote public-rpc",
        .arg_kinds = {ARG_FLEET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = WRITES,
        .run = rollout_promote_command},
    {.topic = TOPIC_ROLL,
        .name = "rollout abort",
        .args = "NAME",
        .about = "give a rollout up: back to the last template that every node has reached",
        .more = "Writes the template of status.completeRevision into spec.template. Nodes that "
                "were updated go back, sick ones first.",
        .examples = "rollout abort public-rpc\nrollout abort public-rpc --dry-run",
        .arg_kinds = {ARG_FLEET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = WRITES,
        .run = rollout_abort_command},
    {.topic = TOPIC_ROLL,
        .name = "rollout undo",
        .args = "NAME",
        .about = "take the last change of the template back",
        .more = "During a rollout this is `rollout abort`; after one it goes back to the template "
                "that every node had reached before the present one, which is kept in a "
                "ControllerRevision; never to one that was given up on the way. A second undo goes "
                "forth again, as with kubectl. Of an edit of the chain, which no node follows, it "
                "puts the chain back and leaves the rest.",
        .examples = "rollout undo public-rpc",
        .arg_kinds = {ARG_FLEET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = WRITES,
        .run = rollout_undo_command},
    {.topic = TOPIC_ROLL,
        .name = "rollout retry",
        .args = "NAME",
        .about = "try again what has failed",
        .more = "Sets the annotation sei.io/retry to the time of now; where nothing has failed it "
                "changes nothing.",
        .examples = "rollout retry node/archive-0",
        .arg_kinds = {ARG_TARGET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = WRITES,
        .run = rollout_retry_command},
    {.topic = TOPIC_ROLL,
        .name = "rollout restart",
        .args = "NAME",
        .about = "replace the pods, within the budget of the fleet",
        .more = "Sets the annotation kubectl.kubernetes.io/restartedAt, of a fleet in its "
                "template.",
        .examples = "rollout restart public-rpc",
        .arg_kinds = {ARG_TARGET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = WRITES,
        .run = rollout_restart_command},
    {.topic = TOPIC_ROLL,
        .name = "set image",
        .args = "NAME IMAGE",
        .about = "change the image of seid",
        .more = "Of a node, or of the template of a fleet, which then rolls it out. A node of a "
                "fleet has its fleet's image. Warns when a hold or a pause keeps the image from "
                "the pods.",
        .examples = "set image public-rpc ghcr.io/sei-protocol/sei:v6.4.2",
        .arg_kinds = {ARG_TARGET, ARG_IMAGE},
        .args_min = 2,
        .args_max = 2,
        .flag_groups = WRITES,
        .run = set_image_command},
    {.topic = TOPIC_OPERATE,
        .name = "pause",
        .args = "NAME",
        .about = "stop the pods of a node or a fleet, and keep their volumes",
        .more = ("Sets spec.paused, and does not wait: the pod has stopped, and the volume is free "
                 "for a job, when `status` shows no pod. Of a fleet all pods stop, so it says how "
                 "many and asks first; without a terminal it needs --yes. To stop a rollout and no "
                 "pod there is `rollout hold`. A node in maintenance stays paused when that ends."),
        .examples = "pause node/archive-0\npause fleet/public-rpc --yes",
        .arg_kinds = {ARG_TARGET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = WRITES | FLAGS_CONFIRM,
        .run = pause_command},
    {.topic = TOPIC_OPERATE,
        .name = "unpause",
        .args = "NAME",
        .about = "run them again, on the same volumes",
        .more = "Takes spec.paused back. Of a validator only when you know that " SIGNS_NOWHERE_ELSE
                "; it is refused while another node of the namespace signs with its Secret.",
        .examples = "unpause node/archive-0",
        .arg_kinds = {ARG_TARGET},
        .args_min = 1,
        .args_max = 1,
        .flag_groups = WRITES,
        .run = unpause_command},
    {.topic = TOPIC_OPERATE,
        .name = "maintain",
        .args = "NAME --image IMAGE [-- COMMAND...]",
        .about = "stop a node, run a command on its volume, and start it again",
        .more =
            ("Pauses the node, waits until nobody has its volume, and runs a Job there: as the "
             "user of seid, with the volume where seid has it and nothing else of the pod, on "
             "the machines that are the node's. Its log is shown. When the command succeeds, the "
             "node runs again, unless it was paused before, or somebody pauses it meanwhile; when "
             "it fails, the node stays paused "
             "with its data as they are, until --abort or another maintain; --unpause-always "
             "lets it run in either case. Ends with 0 when the command succeeded, and with 1 "
             "when it failed. "
             "All that a run knows stands in the cluster: the annotation sei.io/maintenance of "
             "the node, and the Job. It can be interrupted at any moment; --resume goes on with "
             "it, for anybody, and --abort gives it up. One run has a node at a time; the "
             "condition Paused says whose, and since when. The Job of a run that is over goes "
             "after a day. What is not allowed is found out before the node is touched. A "
             "validator "
             "is not given back while another node of the namespace signs with its Secret, and a "
             "node of a paused fleet not before that is unpaused. A node of a fleet counts as "
             "unavailable meanwhile, and is updated "
             "afterwards; while others of the fleet are down, as many as may be at once, it is not "
             "stopped without --force."),
        .examples = "maintain archive-0 --image sei-tools:v1 -- seid rollback --home /.sei\n"
                    "maintain archive-0 --resume\n"
                    "maintain archive-0 --abort",
        .arg_kinds = {ARG_NODE, ARG_WORD},
        .args_min = 1,
        .args_max = ARGS_ANY,
        .flag_groups =
            FLAGS_CONNECTION | FLAGS_NAMESPACE | FLAGS_WRITE | FLAGS_WAIT | FLAGS_MAINTAIN,
        .run = maintain_command},
    {.topic = TOPIC_ADMIN,
        .name = "version",
        .args = "",
        .about = "say the version of this program, of the server and of the operator",
        .more = "The operator's is that of the image of the pods that hold or await its Lease, "
                "where these can be seen.",
        .examples = "version\nversion --client\nversion -o json",
        .flag_groups = READS | FLAGS_CLIENT,
        .run = version_command},
    {.topic = TOPIC_ADMIN,
        .name = "completion",
        .args = "bash|zsh|fish",
        .about = "print the script with which a shell completes kubectl-sei",
        .more = "For `kubectl sei` itself nothing is needed but kubectl's own completion, of bash, "
                "zsh or fish, and kubectl_complete-sei beside this program: kubectl runs it.",
        .examples = "completion bash > ~/.local/share/bash-completion/completions/kubectl-sei",
        .arg_kinds = {ARG_SHELL},
        .args_min = 1,
        .args_max = 1,
        .run = completion_command},
    {.name = "__complete",
        .args = "[WORD...]",
        .about = "what could be typed next",
        .args_max = ARGS_ANY,
        .run = complete_command},
    {.name = "__man", .args = "", .about = "the man page", .run = man_command},
    {.name = "__reference", .args = "", .about = "the reference page", .run = reference_command},
    {.name = "__checks", .args = "", .about = "the page of the doctor", .run = checks_command},
    {.name = NULL},
};

/* How many of the words are the name: 0, 1 or 2. */
static size_t matches(const char *name, const char *const *words, size_t count)
{
    const char *space = strchr(name, ' ');
    size_t len = space ? (size_t)(space - name) : strlen(name);

    if (count == 0 || strlen(words[0]) != len || strncmp(name, words[0], len) != 0)
        return 0;
    if (!space)
        return 1;
    return count > 1 && str_eq(space + 1, words[1]) ? 2 : 0;
}

const Command *command_find(const char *const *words, size_t count, size_t *ret_used)
{
    for (const Command *c = commands; c->name; c++) {
        *ret_used = matches(c->name, words, count);
        if (*ret_used)
            return c;
    }
    return NULL;
}
