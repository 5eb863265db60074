/* View: the objects that an actor has seen, as it saw them last.
 *
 * Objects are kept as minified bytes, packed or not, and parsed when read. An actor finds them by
 * kind and key, and by tags: texts that it gave them itself when they came ("owner:<uid>",
 * "claims:<namespace>"). The order of a tag is the order in which its objects last changed, so it
 * is the same in every run. */
#ifndef WORLD_VIEW_H
#define WORLD_VIEW_H

#include "base/json.h"
#include "kube/key.h"
#include "kube/kind.h"
#include "world/actor.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct View View;

enum { VIEW_TAGS_MAX = 64, VIEW_IDENTITY_SIZE = 1024 };

/* The tags of one object. Texts are borrowed until the tagger returns. */
typedef struct ViewTags {
    const char *texts[VIEW_TAGS_MAX];
    size_t count;
} ViewTags;

/* Adds a tag; NULL, a text that is there already and one too many are left out. */
void view_tag(ViewTags *tags, const char *text);

typedef void ViewTagger(Arena *a, const Kind *kind, const Json *object, ViewTags *ret);

typedef struct ViewOptions {
    size_t objects_max; /* 0: 200,000, as many as a server holds. More is a BUG */
    ViewTagger *tag;    /* NULL: no tags */
    bool metadata_only; /* keep metadata alone; never its managedFields */
    bool is_compact;    /* keep it packed */
} ViewOptions;

View *view_open(const ViewOptions *options);
void view_close(View *v);

/* Takes a change in. The arena is scratch. */
void view_see(View *v, Arena *a, const Sight *sight);

/* The object as it was last seen, or NULL. */
const Json *view_find(const View *v, Arena *a, const Kind *kind, Key key);

/* Objects in the arena. */
typedef struct ViewList {
    const Json **items;
    const Kind **kinds; /* of each */
    size_t count;
} ViewList;

/* All objects with a tag. */
ViewList view_tagged(const View *v, Arena *a, const char *tag);

/* How many there are. */
size_t view_count_tagged(const View *v, const char *tag);

/* What tells one state of an object from another, borrowed until the object changes. */
typedef struct ViewGlance {
    const char *uid, *version;
    bool deleting;
} ViewGlance;

/* The same of an object's identity, without parsing; false when there is no such object. */
bool view_glance(const View *v, const char *identity, ViewGlance *ret);

/* "statefulsets.apps/default/web": one text for kind and key. Written into `ret`. */
const char *view_identity(const Kind *kind, Key key, char ret[VIEW_IDENTITY_SIZE]);

#endif
