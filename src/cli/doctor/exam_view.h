/* ExamView: an exam as the JSON that -o json prints and the text is made from. */
#ifndef CLI_DOCTOR_EXAM_VIEW_H
#define CLI_DOCTOR_EXAM_VIEW_H

#include "cli/command.h"
#include "cli/doctor/exam.h"

/* A DoctorView of cli.sei.io/v1. */
const Json *exam_view(const Exam *exam);

/* Prints a view as text for people. */
void exam_text(Cli *cli, const Json *view);

#endif
