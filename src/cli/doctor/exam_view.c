/* ExamView: areas with what is known of them, every check with how it went, the findings, and what
 * could not be read. Members may be added; none changes its meaning. */
#include "cli/doctor/exam_view.h"

#include "base/draft.h"
#include "base/str.h"

static Draft *encode_finding(Arena *a, const Finding *f)
{
    return draft(a,
        str("code", f->check->code),
        str("severity", severity_text(f->check->severity)),
        str("area", area_text(f->check->area)),
        obj("object",
            str("kind", f->kind),
            str("namespace", f->object.namespace),
            str("name", f->object.name)),
        str("message", f->message),
        str("fix", f->fix));
}

static const char *result_text(const Outcome *outcome)
{
    if (outcome->skipped)
        return "skipped";
    return outcome->found ? "found" : "passed";
}

static Draft *encode_checks(const Exam *exam)
{
    Draft *checks = draft_array(exam->arena);

    for (size_t i = 0; check_at(i); i++) {
        const Check *check = check_at(i);
        if (exam->outcomes[i].is_asked)
            draft_push(checks,
                draft(exam->arena,
                    str("code", check->code),
                    str("area", area_text(check->area)),
                    str("severity", severity_text(check->severity)),
                    str("title", check->title),
                    str("fine", check->fine),
                    str("result", result_text(&exam->outcomes[i])),
                    str("why", exam->outcomes[i].skipped),
                    num("found", (int64_t)exam->outcomes[i].found)));
    }
    return checks;
}

static Draft *encode_areas(const Exam *exam)
{
    Draft *areas = draft_array(exam->arena);

    for (int area = 0; area < AREA_COUNT; area++) {
        int64_t asked = 0, passed = 0, skipped = 0;
        for (size_t i = 0; check_at(i); i++) {
            const Outcome *outcome = &exam->outcomes[i];
            if (!outcome->is_asked || check_at(i)->area != (Area)area)
                continue;
            asked++;
            skipped += outcome->skipped != NULL;
            passed += !outcome->skipped && outcome->found == 0;
        }
        if (asked > 0)
            draft_push(areas,
                draft(exam->arena,
                    str("name", area_text((Area)area)),
                    str("summary", area_summary(exam->chart, (Area)area)),
                    num("checks", asked),
                    num("passed", passed),
                    num("skipped", skipped)));
    }
    return areas;
}

/* A list that nobody asked for is not missing. */
static Draft *encode_missing(const Exam *exam)
{
    Draft *missing = draft_array(exam->arena);

    for (int list = 0; list < CHART_LISTS; list++) {
        const ChartPart *part = &exam->chart->parts[list];
        if (part->why && part->state != CHART_UNSERVED)
            draft_push(missing,
                draft(exam->arena,
                    str("what", chart_list_text((ChartList)list)),
                    str("why", part->why),
                    flag("forbidden", part->state == CHART_FORBIDDEN)));
    }
    return missing;
}

static Draft *encode_counts(const Exam *exam)
{
    int64_t counts[SEVERITY_COUNT] = {0}, asked = 0, passed = 0, skipped = 0;

    for (size_t i = 0; check_at(i); i++) {
        const Outcome *outcome = &exam->outcomes[i];
        counts[check_at(i)->severity] += (int64_t)outcome->found;
        asked += outcome->is_asked;
        skipped += outcome->skipped != NULL;
        passed += outcome->is_asked && !outcome->skipped && outcome->found == 0;
    }
    return draft(exam->arena,
        num("errors", counts[SEVERITY_ERROR]),
        num("warnings", counts[SEVERITY_WARNING]),
        num("notes", counts[SEVERITY_NOTE]),
        num("checks", asked),
        num("passed", passed),
        num("skipped", skipped),
        draft_num_if(exam->dropped > 0, "findingsLeftOut", (int64_t)exam->dropped));
}

const Json *exam_view(const Exam *exam)
{
    Arena *a = exam->arena;
    const Chart *c = exam->chart;
    Draft *findings = draft_array(a);

    for (size_t i = 0; i < exam->count; i++)
        draft_push(findings, encode_finding(a, &exam->findings[i]));
    return json_seal(a,
        draft(a,
            str("apiVersion", "cli.sei.io/v1"),
            str("kind", "DoctorView"),
            str("namespace", c->namespace),
            flag("preInstall", c->is_pre),
            obj("versions", str("client", c->cli_version), str("server", c->server_version)),
            sub("counts", encode_counts(exam)),
            sub("areas", encode_areas(exam)),
            sub("findings", findings),
            sub("checks", encode_checks(exam)),
            sub("missing", encode_missing(exam))));
}
