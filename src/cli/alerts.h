/* Alerts: what the rules of deploy/monitoring say, for `explain`. Capitals stand for what differs
 * from alert to alert: the labels of a rule, N for a number. */
#ifndef CLI_ALERTS_H
#define CLI_ALERTS_H

typedef struct AlertRow {
    const char *name;
    const char *severity; /* "warning" or "critical" */
    const char *after;    /* for how long it must be so, as Prometheus writes it; NULL: at once */
    const char *says;     /* summary and description of the rule */
    const char *look;     /* the first thing to type, of its runbook */
} AlertRow;

/* In the order of the rules; the last has no name. */
extern const AlertRow alert_rows[];

/* Where all runbooks are; then comes the name of an alert and ".md". */
extern const char *const alert_runbooks;

#endif
