/* The course of an init with a bootstrap Job: the data are restored and brought to their height in
 * the pod of the Job, by its own image; then the node's own pod takes them over. */
#include "sei/plan/course.h"

void plan_bootstrap_init(Planning *p, Plan *plan)
{
    (void)p;
    (void)plan;
    BUG("a bootstrap image that no check has refused");
}
