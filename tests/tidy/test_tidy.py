#!/usr/bin/env python3
"""One test per rule of tools/tidy: it fires on a breach, where the breach is, and on nothing else.

Each case begins with the same small house, in which everything is in order, and
breaks one thing. Prints TAP.
"""

import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TIDY = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2] / "tools" / "tidy")

ARENA_H = """/* Arena: memory that lives as long as one piece of work. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

typedef struct Arena Arena;

/* Opens an arena. Never NULL. */
Arena *arena_open(int ceiling);

#endif
"""
ARENA_C = """/* The arena: the one room with malloc, free and goto. */
#include "base/arena.h"

#include <stdlib.h>

static const char *const names[] = {"small", "large"};

Arena *arena_open(int ceiling)
{
    void *memory = malloc((size_t)ceiling);
    if (!memory || !names[0])
        goto fail;
    return memory;
fail:
    abort();
}
"""
META_H = """/* Metadata of any object, a thing of kube/core. */
#ifndef KUBE_META_H
#define KUBE_META_H

#include "base/arena.h"

/* Name and namespace; absent is NULL. */
const char *meta_name(Arena *a);
const char *meta_namespace(Arena *a);

#endif
"""
META_C = """/* Metadata: a comment may say malloc(1), and a string too. */
#include "kube/meta.h"

struct Ports {
    void (*free)(void *thing);
};

static const struct {
    const char *name;
} rows[] = {{"exit(1); goto"}};

const char *meta_name(Arena *a)
{
    static const char fallback[] = "none";
    struct Ports *ports = (void *)a;
    ports->free(a);
    return a ? rows[0].name : fallback;
}

const char *meta_namespace(Arena *a)
{
    return meta_name(a);
}
"""
CLIENT_H = """/* The client: the room that has the sockets. */
#ifndef KUBE_CLIENT_H
#define KUBE_CLIENT_H

#include "kube/meta.h"

/* Opens a client. Close with client_close. */
struct Client *client_open(Arena *a);

#endif
"""
CLIENT_C = """/* The client, over curl and over nothing else. */
#include "kube/client.h"

struct Client *client_open(Arena *a)
{
    return (void *)a;
}
"""
STORE_H = """/* The store, private to the runtime: what the caches hold. */
#ifndef STORE_H
#define STORE_H

#include "base/arena.h"

int store_count(const Arena *a);

#endif
"""
STORE_C = """/* The store counts what it holds. */
#include "kube/runtime/store.h"

int store_count(const Arena *a)
{
    return a != 0;
}
"""
EXAMPLE_C = """/* An example for strangers: includes include/ alone. */
#include "kube/meta.h"

int main(void)
{
    return meta_name(0) == 0;
}
"""
TEST_C = """/* Tests of meta: statics and long functions are fine here. */
#include "kube/meta.h"
#include "kube/runtime/store.h"

#include <pthread.h>

static int calls;

int main(void)
{
    calls++;
    return store_count(0) + !meta_name(0) + !meta_namespace(0) + !arena_open(1) + !client_open(0);
}
"""
HOUSE = {
    "tools/layers.txt": "base:\nkube/core: base\nkube/client: base kube/core\nkube/runtime: base kube/core\n",
    "docs/STYLE.md": "| `TRY(expr)` | returns |\n",
    "include/base/arena.h": ARENA_H,
    "include/kube/meta.h": META_H,
    "include/kube/client.h": CLIENT_H,
    "src/base/arena.c": ARENA_C,
    "src/base/meson.build": "files('arena.c')\n",
    "src/kube/core/meta.c": META_C,
    "src/kube/core/meson.build": "files('meta.c')\n",
    "src/kube/client/client.c": CLIENT_C,
    "src/kube/client/meson.build": "files('client.c')\n",
    "src/kube/runtime/store.h": STORE_H,
    "src/kube/runtime/store.c": STORE_C,
    "src/kube/runtime/meson.build": "files('store.c')\n",
    "examples/copier.c": EXAMPLE_C,
    "examples/meson.build": "examples = ['copier']\n",
    "tests/kube/core/test_meta.c": TEST_C,
    "tests/kube/core/meson.build": "tests = ['meta']\n",
}


def tidy(changes):
    """What tools/tidy says of the house with some files changed, as (place, rule) pairs."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in {**HOUSE, **changes}.items():
            path = Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        said = subprocess.run([sys.executable, TIDY, root], capture_output=True, text=True)
    if said.stderr:
        return [("stderr", said.stderr)]
    found = []
    for line in said.stdout.splitlines():
        file, number, rule, _advice = line.split(":", 3)
        found.append((f"{file}:{number}", rule.strip()))
    if (said.returncode == 0) != (not found):
        found.append(("exit code", str(said.returncode)))
    return found


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


def put(name, old, new):
    """The house's file with one part replaced: (changes, line of the replacement)."""
    text = HOUSE[name]
    assert text.count(old) == 1, (name, old)
    return {name: text.replace(old, new)}, f"{name}:{line_of(text, old)}"


def body(lines, params="void"):
    return (
        f"int long_one({params});\nint long_one({params})\n{{\n"
        + "    ;\n" * (lines - 4)
        + "    return 0;\n}\n"
    )


CASES = []


def case(title):
    def register(function):
        CASES.append((title, function))
        return function

    return register


def expect(changes, *wanted):
    found = tidy(changes)
    assert sorted(found) == sorted(wanted), f"wanted {wanted}, got {found}"


@case("a correct tree has no findings")
def clean():
    expect({})


@case("ranks: including a module of a higher layer is a finding")
def ranks_down_only():
    changes, place = put(
        "src/kube/core/meta.c",
        '#include "kube/meta.h"',
        '#include "kube/meta.h"\n#include "kube/client.h"',
    )
    expect(changes, (place[:-1] + "3", "ranks"))


@case("ranks: including a private header of a peer is a finding")
def ranks_peers():
    changes, place = put(
        "src/kube/client/client.c",
        '#include "kube/client.h"',
        '#include "kube/client.h"\n#include "kube/runtime/store.h"',
    )
    expect(changes, (place[:-1] + "3", "ranks"))


@case("ranks: a public header without a .c is a finding until it is placed")
def ranks_placed():
    port = {
        "include/kube/port.h": "/* A port: plain data, without a source file. */\n",
        "src/kube/core/meta.c": META_C.replace(
            '#include "kube/meta.h"', '#include "kube/meta.h"\n#include "kube/port.h"'
        ),
    }
    expect(port, ("include/kube/port.h:1", "ranks"))
    expect({**port, "tools/layers.txt": HOUSE["tools/layers.txt"] + "kube/port.h: kube/core\n"})


@case("ranks: including a test header in the product is a finding")
def ranks_tests():
    changes, place = put(
        "src/kube/core/meta.c",
        '#include "kube/meta.h"',
        '#include "kube/meta.h"\n#include "tests/world.h"',
    )
    changes["tests/world.h"] = "/* The world that tests play in. */\n"
    expect(changes, (place[:-1] + "3", "ranks"))


@case("ranks: a table of layers that points downwards is a finding")
def ranks_table():
    expect(
        {
            "tools/layers.txt": "base: kube/core\nkube/core: base\nkube/client: base kube/core\nkube/runtime: base kube/core\n"
        },
        ("tools/layers.txt:1", "ranks"),
    )


@case("examples: including a private header is a finding")
def examples_private():
    changes, place = put(
        "examples/copier.c",
        '#include "kube/meta.h"',
        '#include "kube/meta.h"\n#include "kube/runtime/store.h"',
    )
    expect(changes, (place[:-1] + "3", "examples"))


@case("alone: a header that does not compile alone is a finding")
def alone():
    changes, place = put(
        "src/kube/runtime/store.h",
        "int store_count(const Arena *a);",
        "int store_count(const Arena *a, size_t n);",
    )
    changes["src/kube/runtime/store.c"] = STORE_C.replace(
        "(const Arena *a)", "(const Arena *a, size_t n)"
    )
    changes["tests/kube/core/test_meta.c"] = TEST_C.replace("store_count(0) +", "0 +")
    expect(changes, (place, "alone"))


@case("cycle: two headers that include each other are a finding")
def cycle():
    changes, _ = put(
        "src/kube/runtime/store.h",
        '#include "base/arena.h"',
        '#include "base/arena.h"\n#include "kube/runtime/queue.h"',
    )
    changes["src/kube/runtime/queue.h"] = (
        '/* The queue and the store know each other. */\n#pragma once\n#include "kube/runtime/store.h"\n'
    )
    changes["src/kube/runtime/store.h"] = (
        changes["src/kube/runtime/store.h"]
        .replace("#ifndef STORE_H\n#define STORE_H\n", "#pragma once\n")
        .replace("\n#endif\n", "")
    )
    found = tidy(changes)
    assert [rule for _, rule in found] == ["cycle"], found


@case("size: files at the budget pass, one line more does not")
def size():
    store = STORE_C + "\n" * (600 - STORE_C.count("\n"))
    expect({"src/kube/runtime/store.c": store})
    expect({"src/kube/runtime/store.c": store + "\n"}, ("src/kube/runtime/store.c:601", "size"))
    header = STORE_H + "\n" * (150 - STORE_H.count("\n"))
    expect({"src/kube/runtime/store.h": header})
    expect({"src/kube/runtime/store.h": header + "\n"}, ("src/kube/runtime/store.h:151", "size"))
    public = META_H + "\n" * (250 - META_H.count("\n"))
    expect({"include/kube/meta.h": public})
    expect({"include/kube/meta.h": public + "\n"}, ("include/kube/meta.h:251", "size"))
    test = TEST_C + "\n" * (1000 - TEST_C.count("\n"))
    expect({"tests/kube/core/test_meta.c": test})
    expect(
        {"tests/kube/core/test_meta.c": test + "\n"}, ("tests/kube/core/test_meta.c:1001", "size")
    )


@case("function: 70 lines pass, 71 do not; tests may be longer")
def function_lines():
    at = STORE_C.count("\n") + 2
    expect({"src/kube/runtime/store.c": STORE_C + body(70)})
    expect(
        {"src/kube/runtime/store.c": STORE_C + body(71)},
        (f"src/kube/runtime/store.c:{at}", "function"),
    )
    expect({"tests/kube/core/test_meta.c": TEST_C + body(90)})


@case("function: five parameters pass, six do not; self and a callback's do not count")
def function_parameters():
    at = STORE_C.count("\n") + 1
    five = "int a, int b, int c, int d, int (*e)(int f, int g)"
    expect({"src/kube/runtime/store.c": STORE_C + body(5, five)})
    expect({"src/kube/runtime/store.c": STORE_C + body(5, "struct Port *self, " + five)})
    expect(
        {"src/kube/runtime/store.c": STORE_C + body(5, five + ", int h")},
        (f"src/kube/runtime/store.c:{at}", "function"),
        (f"src/kube/runtime/store.c:{at + 1}", "function"),
    )


@case("function: a marked callback of a third party may have six parameters")
def function_foreign_signature():
    at = STORE_C.count("\n") + 1
    six = "int a, int b, int c, int d, int e, int f"
    asked = "/* NOLINTNEXTLINE(readability-function-size): the signature is another's. */\n"
    expect({"src/kube/runtime/store.c": STORE_C + asked + body(5, six).split("\n", 1)[1]})
    expect({"src/kube/runtime/store.c": STORE_C + "\n" + body(5, six).split("\n", 1)[1]},
           (f"src/kube/runtime/store.c:{at + 1}", "function"))


@case("banned: each banned call outside of its module is a finding, also in tests")
def banned():
    for call in (
        "malloc(1)",
        "calloc(1, 1)",
        "realloc(0, 1)",
        "free(0)",
        "strcpy(0, 0)",
        "strcat(0, 0)",
        "sprintf(0, 0)",
        "strtok(0, 0)",
        "atoi(0)",
        "time(0)",
        "rand()",
        "getenv(0)",
        "exit(1)",
        "abort()",
    ):
        changes, place = put("src/kube/core/meta.c", "ports->free(a);", f"ports->free(a); {call};")
        expect(changes, (place, "banned"))
    changes, place = put(
        "src/kube/runtime/store.c", "return a != 0;", "goto end; end: return a != 0;"
    )
    expect(changes, (place, "banned"))
    changes, place = put("tests/kube/core/test_meta.c", "calls++;", "malloc(1);")
    expect(changes, (place, "banned"))


@case("banned: tests and programs may call exit and getenv")
def banned_rooms():
    changes, _ = put("tests/kube/core/test_meta.c", "calls++;", "getenv(0); exit(time(0));")
    expect(changes)
    expect(
        {
            "src/operator/main.c": "/* The program: flags and wiring alone. */\nint main(void)\n{\n    exit(getenv(0) == 0);\n}\n",
            "src/operator/meson.build": "files('main.c')\n",
            "tools/layers.txt": HOUSE["tools/layers.txt"] + "operator: base\n",
        }
    )


@case("statics: a static variable that can change is a finding")
def statics():
    end = STORE_C.count("\n") + 1
    for text in (
        "static int count;",
        "int count = 3;",
        'static const char *name = "x";',
        "static char buffer[10];",
        "static struct { int x; } state;",
        "static void (*hook)(void);",
        "static _Thread_local int seen;",
    ):
        expect(
            {"src/kube/runtime/store.c": STORE_C + text + "\n"},
            (f"src/kube/runtime/store.c:{end}", "statics"),
        )
    changes, place = put(
        "src/kube/runtime/store.c", "return a != 0;", "static int calls; return a != 0 && calls++;"
    )
    expect(changes, (place, "statics"))


@case("statics: constants and functions are no findings")
def statics_silent():
    for text in (
        "static const int limit = 3;",
        'static const char *const name = "x";',
        "static int twice(int x);",
        "struct Later;",
        "typedef struct Later Later;",
        "enum { ONE = 1 };",
        "struct Row { int x; };",
        "extern const int elsewhere;",
        '_Static_assert(sizeof(int) == 4, "int");',
        "typedef int (*Hook)(void);",
        "__extension__ typedef __int128 Wide;",
        "static void (*const hook)(void) = 0;",
        "const struct { int x; } *const rows[] = {0};",
    ):
        expect({"src/kube/runtime/store.c": STORE_C + text + "\n"})


@case("contract: a public function without a comment is a finding; several functions may share one")
def contract():
    changes, place = put(
        "include/kube/client.h", "/* Opens a client. Close with client_close. */\n", ""
    )
    expect(changes, (place, "contract"))
    changes, _ = put(
        "include/kube/meta.h", "const char *meta_namespace", "\nconst char *meta_namespace"
    )
    expect(changes, ("include/kube/meta.h:10", "contract"))


@case("unused: a header without an includer is a finding")
def unused():
    expect(
        {"src/kube/runtime/lonely.h": "/* A header that nobody asks for. */\n"},
        ("src/kube/runtime/lonely.h:1", "unused"),
    )


@case("unfinished: a note such as TODO is a finding")
def unfinished():
    for word in ("FIX" + "ME", "TO" + "DO"):
        changes, place = put(
            "src/kube/runtime/store.c", "return a != 0;", f"return a != 0; /* {word} */"
        )
        expect(changes, (place, "unfinished"))


@case("tables: a row that is cut or too long is a finding")
def tables():
    opening = "/* The arena: the one room with malloc, free and goto. */\n"
    begin = "/* The arena: the one room with malloc.\n *\n"
    place = "src/base/arena.c"
    for rows, line in (
        (" *     {now, children,        of a fleet, and of no\n * node missing}\n */\n", 4),
        (" *     {now, children" + 90 * "," + "}\n */\n", 3),
        (" * | a | b |\n * |---|---|\n * | " + 100 * "c" + " |\n */\n", 5),
    ):
        expect(put(place, opening, begin + rows)[0], (f"{place}:{line}", "tables"))
    fine = " *     {now, children}\n *\n * - one entry\n *   of a list\n * - and another\n */\n"
    expect(put(place, opening, begin + fine)[0])


@case("doors: using a third party outside of its module is a finding")
def doors():
    for header in (
        "yyjson.h",
        "curl/curl.h",
        "microhttpd.h",
        "pthread.h",
        "threads.h",
        "openssl/evp.h",
        "libfyaml.h",
        "uuid/uuid.h",
    ):
        changes, place = put(
            "src/kube/runtime/store.c",
            '#include "kube/runtime/store.h"',
            f'#include <{header}>\n#include "kube/runtime/store.h"',
        )
        expect(changes, (place, "doors"))
    expect(
        {
            "src/kube/runtime/host.c": "/* The host has the threads. */\n#include <pthread.h>\n",
            "src/kube/runtime/meson.build": "files('store.c', 'host.c')\n",
            "src/kube/client/client.c": CLIENT_C.replace(
                "\n#include", "\n#include <curl/curl.h>\n#include <openssl/x509.h>\n#include"
            ),
        }
    )
    changes, place = put(
        "include/kube/client.h",
        '#include "kube/meta.h"',
        '#include <openssl/evp.h>\n#include "kube/meta.h"',
    )
    expect(changes, (place, "doors"))


@case("opening: a file without an opening comment is a finding")
def opening():
    changes, _ = put("src/kube/runtime/store.c", "/* The store counts what it holds. */\n", "")
    expect(changes, ("src/kube/runtime/store.c:1", "opening"))
    changes, _ = put(
        "src/kube/runtime/store.c", "/* The store counts what it holds. */", "/* store.c */"
    )
    expect(changes, ("src/kube/runtime/store.c:1", "opening"))


@case("names: a file name without a noun is a finding")
def names():
    for name in ("util", "store_utils", "common", "misc", "queue_helper"):
        expect(
            {
                f"src/kube/runtime/{name}.c": "/* Things that found no room. */\n",
                "src/kube/runtime/meson.build": f"files('store.c', '{name}.c')\n",
            },
            (f"src/kube/runtime/{name}.c:1", "names"),
        )


@case("listed: a file that is not compiled is a finding")
def listed():
    expect({"src/kube/runtime/meson.build": "files()\n"}, ("src/kube/runtime/store.c:1", "listed"))
    expect(
        {"tests/kube/core/meson.build": "tests = []\n"}, ("tests/kube/core/test_meta.c:1", "listed")
    )


@case("tested: a public function without a test is a finding")
def tested():
    changes, _ = put("tests/kube/core/test_meta.c", " + !meta_namespace(0)", "")
    expect(changes, ("include/kube/meta.h:9", "tested"))
    changes["include/kube/meta.h"] = META_H.replace(
        "\n#endif", "#define TRY(a) (meta_namespace(a))\n\n#endif"
    )
    expect(changes, ("include/kube/meta.h:9", "tested"))
    changes["tests/kube/core/test_meta.c"] += "\nint more(void)\n{\n    return TRY(0) == 0;\n}\n"
    expect(changes)


@case("macros: a public macro that STYLE does not list is a finding")
def macros():
    changes, place = put(
        "include/kube/meta.h",
        '#include "base/arena.h"',
        '#include "base/arena.h"\n#define TWICE(x) ((x) + (x))',
    )
    expect(changes, (place[:-1] + "6", "macros"))
    changes, _ = put(
        "include/kube/meta.h",
        '#include "base/arena.h"',
        '#include "base/arena.h"\n#define TRY(expr) (expr)',
    )
    expect(changes)


@case("promises: a named test or case that does not exist is a finding")
def promises():
    def page(cell):
        return {"ARCHITECTURE.md": f"# Architecture\n\n| 1 | a promise | {cell} |\n"}

    expect(page("`test_meta`"))
    expect(page("`test_meta`: *main*"))
    expect(page("`test_nothing`"), ("ARCHITECTURE.md:3", "promises"))
    expect(page("`test_meta`: *pigs can fly*"), ("ARCHITECTURE.md:3", "promises"))
    expect({"docs/PROMISES.md": "`test_meta`: *pigs*"}, ("docs/PROMISES.md:1", "promises"))
    expect({"docs/PROMISES.md": "`test_nothing`"}, ("docs/PROMISES.md:1", "promises"))


@case("promises: a row without a test is a finding")
def held_rows():
    def page(cell):
        head = "| Threat | What stops it | Held by |\n| --- | --- | --- |\n"
        return {"docs/THREATS.md": f"{head}| a key leaks | a wall | {cell} |\n\n| no | table |\n"}

    expect(page("`test_meta`: *main*"))
    expect(page("`tools/layers.txt`"))
    wrong = ("docs/THREATS.md:3", "promises")
    expect(page(""), wrong)
    expect(page("hope"), wrong)
    expect(page("`test_meta`"), wrong)
    expect(page("`tests/nothing`"), wrong)
    expect(page("`test_nothing`: *pigs can fly*"), wrong)


def verdict(function):
    """None when the case holds, else what went wrong."""
    try:
        function()
        return None
    except AssertionError as error:
        return str(error)


def main():
    failed = 0
    print(f"1..{len(CASES)}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = pool.map(verdict, (function for _, function in CASES))
        for number, ((title, _), error) in enumerate(zip(CASES, wrong), 1):
            failed += error is not None
            print(
                (
                    f"ok {number} - {title}"
                    if error is None
                    else f"not ok {number} - {title}\n# {error}"
                ),
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
