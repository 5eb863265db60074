/* The example under valgrind: neither an error nor a leak, and nothing suppressed. Valgrind's own
 * exit code is the verdict: errors and leaks make it 99. */
#include "tests/e2e/copies.h"

#include <signal.h>

#define ME "checked"

TEST(valgrind_finds_no_error_and_no_leak_in_the_example)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());

    copies_prepare(cp, a);
    copies_put_source(cp, a, "checked", "red,green", "one");
    Operator op = operator_start(cp,
        a,
        &(OperatorOptions){
            .program = "/usr/bin/valgrind",
            .args = PROCESS_ARGS("--error-exitcode=99",
                "--leak-check=full",
                "--show-leak-kinds=all",
                "--errors-for-leak-kinds=all",
                "--num-callers=30",
                EXAMPLE_PROGRAM),
            .kubeconfig = scene_user(cp, a, ME, NULL),
        });
    eventually(copies_hold(cp, "red", "checked", "one"));
    eventually(copies_status_says(cp, "checked", "True"));
    copies_put_source(cp, a, "checked", "red", "two");
    eventually(copies_lack(cp, "green", "checked"));
    eventually(copies_hold(cp, "red", "checked", "two"));
    copies_delete_source(cp, a, "checked");
    eventually(copies_lack(cp, "home", "checked"));

    kill(op.pid, SIGTERM);
    int code = operator_wait(&op);
    scene_check(
        operator_said(&op, "ERROR SUMMARY: 0 errors"), "valgrind complained", __FILE__, __LINE__);
    then_int(code, 0);
}
