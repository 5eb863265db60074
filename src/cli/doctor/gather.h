/* Gather: takes a Chart of the cluster that a command talks to. */
#ifndef CLI_DOCTOR_GATHER_H
#define CLI_DOCTOR_GATHER_H

#include "cli/command.h"
#include "cli/doctor/chart_operator.h"

/* Asks for everything that checks look at, each list once, within --request-timeout; what is
 * refused or comes too late is noted in the chart. Errors are those of a server that cannot be
 * asked at all. */
Err *gather_chart(Cli *cli, Chart **ret) MUST_CHECK;

/* --- for gather.c alone --- */

/* Notes what became of a list. */
void gather_note(Chart *c, ChartList list, const Err *err, Objects objects);

/* Reads the Secrets that validators name, and keeps hashes of two files of each; none where the
 * command spares them. */
void gather_secrets(Cli *cli, Chart *c);

/* Asks who may do what. */
void gather_reviews(Cli *cli, Chart *c);

#endif
