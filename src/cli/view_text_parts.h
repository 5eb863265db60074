/* ViewTextParts: pieces of text that views share. */
#ifndef CLI_VIEW_TEXT_PARTS_H
#define CLI_VIEW_TEXT_PARTS_H

#include "base/json.h"
#include "cli/page.h"

/* A view that is being written. */
typedef struct Writing {
    Page *page;
    const Json *view;
    const char *now;
} Writing;

/* "2m5s" from a moment to `to` (NULL: now); NULL when either is not known. */
const char *text_since(const Writing *w, const char *from, const char *to);

/* The mark of a word: "good", "busy", "bad", "idle". */
Mark text_mark(const char *word);

/* A short id: the first part of a UUID. */
const char *text_short_id(Arena *a, const char *id);

/* "ghcr.io/example/seid:v2" as "v2", or what there is behind the last slash. */
const char *text_tag(Arena *a, const char *image);

/* A count with its digits in groups: "236,812,044". */
const char *text_count(Arena *a, int64_t count);

/* The first line: "SeiNode sei/rpc-0 full pacific-1   ✔ Ready". */
void text_head(Writing *w);

/* How far it is on its chain, in a line; nothing where nobody was asked. */
void text_chain_of_node(Writing *w);
void text_chain_of_fleet(Writing *w);

/* The causes, in at most so many lines, and what to do about the first that has a remedy. */
void text_why(Writing *w, size_t rows_max);

/* The plan in hand in at most so many lines; those that do not fit are counted. */
void text_plan(Writing *w, size_t rows_max);

/* One step, with what there is to say of it. */
void text_step(Writing *w, const Json *step);

/* What could not be read. */
void text_missing(Writing *w);

/* One field that differs, in at most two lines. */
void text_field(Writing *w, const Json *field);

/* The lines that end a status: the last plan, an event, what is missing, what is next. */
Page *text_tail(const Writing *w);

/* Rows of {namespace, name, state, mark, since, image, waiting}, and of some the lag. */
typedef struct TextTable {
    const char *heading; /* of the names */
    size_t rows_max;
    const char *more;    /* what shows those that do not fit */
    bool has_namespaces; /* names are said with theirs */
} TextTable;
void text_table(Writing *w, const Json *rows, const TextTable *how);

/* How many lines a terminal has left when those are to follow. */
size_t text_rows_left(const Writing *w, const Page *tail);

void text_node(Writing *w);
void text_fleet(Writing *w);
void text_drift(Writing *w);
void text_plan_view(Writing *w);
void text_history(Writing *w);
void text_overview(Writing *w);

#endif
