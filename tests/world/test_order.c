/* Orders as lines of words. */
#include "tests/test.h"

#include "world/order.h"

static const struct {
    const char *name, *line;
    KubeletOrder order; /* pod is always sei/rpc-0-0 where there is one */
} good[] = {
    {"freeze", "freeze sei/rpc-0-0", {.deed = DEED_FREEZE}},
    {"thaw", "thaw sei/rpc-0-0\n", {.deed = DEED_THAW}},
    {"never ready", " never-ready   sei/rpc-0-0 ", {.deed = DEED_NEVER_READY}},
    {"ready again", "ready-again sei/rpc-0-0", {.deed = DEED_READY_AGAIN}},
    {"slow start", "slow-start sei/rpc-0-0 60000", {.deed = DEED_SLOW_START, .ms = 60000}},
    {"slow stop", "slow-stop sei/rpc-0-0 0", {.deed = DEED_SLOW_STOP}},
    {"crash", "crash sei/rpc-0-0 3", {.deed = DEED_CRASH, .count = 3}},
    {"kill sidecar", "kill-sidecar sei/rpc-0-0", {.deed = DEED_KILL_SIDECAR}},
    {"evict", "evict sei/rpc-0-0", {.deed = DEED_EVICT}},
    {"temper",
        "temper sei/rpc-0-0 slow 5000",
        {.deed = DEED_TEMPER, .temper = TEMPER_SLOW, .ms = 5000}},
    {"temper none", "temper sei/rpc-0-0 none 0", {.deed = DEED_TEMPER}},
    {"fail task",
        "fail-task sei/rpc-0-0 config-apply 2 disk is on fire",
        {.deed = DEED_FAIL_TASK, .text = "config-apply", .count = 2, .error = "disk is on fire"}},
    {"fail task without words",
        "fail-task sei/rpc-0-0 config-apply 2",
        {.deed = DEED_FAIL_TASK, .text = "config-apply", .count = 2}},
    {"task takes",
        "task-takes sei/rpc-0-0 snapshot-restore 7",
        {.deed = DEED_TASK_TAKES, .text = "snapshot-restore", .ms = 7}},
    {"fill disk", "fill-disk sei/rpc-0-0 1", {.deed = DEED_FILL_DISK, .count = 1}},
    {"empty disk", "empty-disk sei/rpc-0-0", {.deed = DEED_EMPTY_DISK}},
    {"spoil config", "spoil-config sei/rpc-0-0", {.deed = DEED_SPOIL_CONFIG}},
    {"bad image", "bad-image seid:v9", {.deed = DEED_BAD_IMAGE, .text = "seid:v9"}},
    {"good image", "good-image seid:v9", {.deed = DEED_GOOD_IMAGE, .text = "seid:v9"}},
    {"lose node", "lose-node node-1", {.deed = DEED_LOSE_NODE, .text = "node-1"}},
    {"restore node", "restore-node node-1", {.deed = DEED_RESTORE_NODE, .text = "node-1"}},
};

TEST(fault_commands_are_parsed)
{
    each_case(i, good) {
        SCOPED_ARENA a = arena_open(1 << 16);
        KubeletOrder got;
        bool has_pod = strchr(good[i].line, '/') != NULL;
        then_ok(order_parse(a, good[i].line, &got));
        then_int(got.deed, good[i].order.deed);
        then_str(got.pod.name, has_pod ? "rpc-0-0" : NULL);
        then_str(got.pod.namespace, has_pod ? "sei" : NULL);
        then_str(got.text, good[i].order.text);
        then_str(got.error, good[i].order.error);
        then_int(got.ms, good[i].order.ms);
        then_int(got.count, good[i].order.count);
        then_int(got.temper, good[i].order.temper);
    }
}

static const struct {
    const char *name, *line;
    Want want;
} bad[] = {
    {"nothing", "", TERMINAL("no order ''")},
    {"a strange word", "explode sei/x", TERMINAL("no order 'explode'")},
    {"no pod", "freeze", TERMINAL("freeze POD")},
    {"a pod without a namespace", "freeze rpc-0-0", TERMINAL("freeze POD")},
    {"a word too many", "freeze sei/x y", TERMINAL("freeze POD")},
    {"no number", "slow-start sei/x soon", TERMINAL("slow-start POD MS")},
    {"a negative number", "crash sei/x -1", TERMINAL("crash POD COUNT")},
    {"a strange temper", "temper sei/x merry 0", TERMINAL("temper POD none|forgetful|slow")},
    {"no image", "bad-image", TERMINAL("bad-image TEXT")},
};

TEST(an_invalid_fault_command_is_refused_with_its_syntax)
{
    each_case(i, bad) {
        SCOPED_ARENA a = arena_open(1 << 16);
        KubeletOrder got;
        then_err(order_parse(a, bad[i].line, &got), bad[i].want);
    }
}

TEST(every_fault_command_has_a_syntax_line)
{
    size_t count = 0;

    for (; order_form(count); count++)
        then_true(strlen(order_form(count)) > 0);
    then_str(order_form(0), "freeze POD");
    then_true(count > 10);
}
