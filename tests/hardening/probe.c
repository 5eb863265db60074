/* A program that gives the compiler a chance to harden: a buffer, a copy and an assertion, none of
 * which can be seen through at compile time. test_hardening.py reads the result, never runs it. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char copy[64];
    assert(argc > 0);
    memcpy(copy, argv[0], strlen(argv[0]) + (size_t)argc);
    return printf("%s\n", copy) > 0 ? 0 : 1;
}
