/* The audit log can be read while the API server writes a line. */
#include "tests/e2e/audit.h"
#include "tests/test.h"

static const struct {
    const char *name, *text;
    int64_t mark;
} logs[] = {
    {"an empty log", "", 0},
    {"whole lines", "{}\n{}\n", 6},
    {"a line of which the end is missing", "{}\n{\"a\": ", 3},
    {"one line of which the end is missing", "{\"a\": ", 0},
};

TEST(a_mark_in_the_audit_log_is_the_end_of_its_last_whole_line)
{
    each_case(i, logs) {
        char path[] = "/tmp/audit-XXXXXX";
        int fd = mkstemp(path);

        then_true(fd >= 0);
        then_int(write(fd, logs[i].text, strlen(logs[i].text)), strlen(logs[i].text));
        int64_t mark = audit_mark(path);
        close(fd);
        unlink(path);
        then_int(mark, logs[i].mark);
    }
}

TEST(a_mark_in_an_audit_log_that_does_not_exist_is_its_beginning)
{
    then_int(audit_mark("/nonexistent/audit.log"), 0);
}
