/* Link: elements keep their order through joining, leaving and replacing. */
#include "base/link.h"
#include "tests/test.h"

typedef struct Letter {
    char letter;
    Link link;
} Letter;

static Letter *letter(Arena *a, char c)
{
    Letter *l = arena_new(a, Letter);
    l->letter = c;
    link_init(&l->link);
    return l;
}

static const char *read_list(Arena *a, const Link *head)
{
    const char *text = "";
    for (Link *l = head->next; l != head; l = l->next) {
        then_true(l->next->previous == l);
        text = str_format(a, "%s%c", text, link_owner(Letter, link, l)->letter);
    }
    return text;
}

TEST(linked_elements_keep_the_order_of_insertion)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Link head;
    link_init(&head);
    then_true(link_is_alone(&head));

    Letter *x = letter(a, 'x'), *y = letter(a, 'y'), *z = letter(a, 'z');
    link_insert_before(&head, &x->link);
    link_insert_before(&head, &z->link);
    link_insert_before(&z->link, &y->link);
    then_str(read_list(a, &head), "xyz");
    then_true(!link_is_alone(&x->link));
}

TEST(a_linked_element_can_be_removed_and_replaced)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Link head;
    link_init(&head);
    Letter *x = letter(a, 'x'), *y = letter(a, 'y'), *z = letter(a, 'z');
    link_insert_before(&head, &x->link);
    link_insert_before(&head, &y->link);

    link_replace(&x->link, &z->link);
    then_str(read_list(a, &head), "zy");
    then_true(link_is_alone(&x->link));

    link_remove(&z->link);
    link_remove(&z->link);
    then_str(read_list(a, &head), "y");
    link_remove(&y->link);
    then_true(link_is_alone(&head));
}

TEST(replacing_an_element_that_is_in_no_list_links_nothing)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Letter *x = letter(a, 'x'), *y = letter(a, 'y');
    link_replace(&x->link, &y->link);
    then_true(link_is_alone(&x->link) && link_is_alone(&y->link));
}

TEST(inserting_an_element_twice_is_a_bug)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Link head;
    link_init(&head);
    Letter *x = letter(a, 'x');
    link_insert_before(&head, &x->link);
    then_bug("link_is_alone", link_insert_before(&head, &x->link));
}
