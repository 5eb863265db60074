/* Rules in CEL and what they say of values, as a table: the world is asked by `make test`, a real
 * server by `make e2e`. */
#ifndef TESTS_WORLD_CEL_CASES_H
#define TESTS_WORLD_CEL_CASES_H

#include <stddef.h>

/* The fields of what the rules are about. */
static const char cel_fields[] =
    "n: {type: 'integer'}, m: {type: 'integer'}, r: {type: 'number'}, t: {type: 'string', "
    "maxLength: 20},"
    "u: {type: 'string', maxLength: 20}, f: {type: 'boolean'}, when: {type: 'string', format: "
    "'date-time'},"
    "then: {type: 'string', format: 'date-time'},"
    "port: {'x-kubernetes-int-or-string': true},"
    "any: {'x-kubernetes-preserve-unknown-fields': true},"
    "maybe: {type: 'string', maxLength: 5, nullable: true},"
    "'a-b': {type: 'string', maxLength: 5}, 'in': {type: 'string', maxLength: 5}, 'c.d/e__f': "
    "{type: 'integer'},"
    "o: {type: 'object', properties: {x: {type: 'integer'}, y: {type: 'string', maxLength: 5}}},"
    "p: {type: 'object', properties: {x: {type: 'integer'}}},"
    "ns: {type: 'array', maxItems: 5, items: {type: 'integer'}},"
    "ts: {type: 'array', maxItems: 5, items: {type: 'string', maxLength: 5}},"
    "set: {type: 'array', 'x-kubernetes-list-type': 'set', maxItems: 5, items: {type: 'string', "
    "maxLength: 5}},"
    "os: {type: 'array', maxItems: 5, items: {type: 'object', properties: {x: {type: 'integer'},"
    "  ns: {type: 'array', maxItems: 5, items: {type: 'integer'}}}}},"
    "map: {type: 'object', maxProperties: 5, additionalProperties: {type: 'string', maxLength: 5}},"
    "emb: {type: 'object', 'x-kubernetes-embedded-resource': true,"
    "  'x-kubernetes-preserve-unknown-fields': true}";

/* The name is the rule; it says true, false, or what is wrong. */
static const struct {
    const char *name, *self, *says;
} cel_answers[] = {
    {"true", "{}", "true"},
    {"!true", "{}", "false"},
    {"!!true || false", "{}", "true"},
    {"self.n == 3", "{n: 3}", "true"},
    {"self.n == 3", "{}", "no such key: n"},
    {"has(self.n)", "{}", "false"},
    {"has((self.n))", "{n: 0}", "true"},
    {"has(self.o.x)", "{o: {x: 1}}", "true"},
    {"has(self.o.x)", "{}", "no such key: o"},
    {"has(self.o) && has(self.o.x)", "{}", "false"},
    {"has(self.map.k)", "{map: {k: ''}}", "true"},

    {"1 + 2 * 3 == 7 && (1 + 2) * 3 == 9", "{}", "true"},
    {"7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1", "{}", "true"},
    {"10 - 3 - 2 == 5", "{}", "true"},
    {"- self.n == -4", "{n: 4}", "true"},
    {"0x1F == 31", "{}", "true"},
    {"self.n / self.m == 1", "{n: 1, m: 0}", "division by zero"},
    {"self.n % self.m == 1", "{n: 1, m: 0}", "modulus by zero"},
    {"self.n + 1 > 0", "{n: 9223372036854775807}", "integer overflow"},
    {"self.n * 2 > 0", "{n: 9223372036854775807}", "integer overflow"},
    {"self.n - 2 < 0", "{n: -9223372036854775807}", "integer overflow"},
    {"self.r * 2.0 == 3.0", "{r: 1.5}", "true"},
    {"self.r == 1.0", "{r: 1}", "true"},
    {"self.r + .5 - 1e1 / 2.0 < 0.0 && -self.r < 0.0", "{r: 1}", "true"},
    {"self.n < self.r && self.r >= self.n", "{n: 1, r: 1.5}", "true"},

    {"self.t < 'b' && self.t <= 'a' && self.t >= 'a' && !(self.t > 'a')", "{t: 'a'}", "true"},
    {"false < true", "{}", "true"},
    {"self.when < self.then && self.when != self.then",
        "{when: '2026-01-01T00:00:00+01:00', then: '2026-01-01T00:00:00Z'}",
        "true"},
    {"self.when == self.then",
        "{when: '2026-01-01T01:00:00+01:00', then: '2026-01-01T00:00:00Z'}",
        "true"},

    {"false && self.n == 1", "{}", "false"},
    {"self.n == 1 && false", "{}", "false"},
    {"self.n == 1 || true", "{}", "true"},
    {"self.n == 1 && true && true", "{}", "no such key: n"},
    {"self.n == 1 || false", "{}", "no such key: n"},
    {"true ? self.t == 'a' : self.n == 1", "{t: 'a'}", "true"},
    {"self.n == 1 ? true : false", "{}", "no such key: n"},
    {"false ? false : false ? false : true", "{}", "true"},
    {"(self.f ? 1 : 0) + (has(self.n) ? 10 : 0) == 11", "{f: true, n: 1}", "true"},

    {"self.t == \"a'\\n\\x41\\u00e9\\101\\U0001F600\"", "{t: 'a\\'\\nAéA😀'}", "true"},
    {"self.t == r'\\d'", "{t: '\\\\d'}", "true"},
    {"self.t + 'b' == 'ab' // a comment", "{t: 'a'}", "true"},
    {"size(self.t) == 2 && self.t.size() == 2", "{t: 'é1'}", "true"},
    {"self.t.startsWith('ab') && self.t.endsWith('bc') && self.t.contains('b')",
        "{t: 'abc'}",
        "true"},
    {"self.t.matches('^[a-z]+$') && matches(self.t, 'b')", "{t: 'abc'}", "true"},
    {"self.t.matches('^[0-9]')", "{t: 'abc'}", "false"},
    {"self.t.matches(self.u)",
        "{t: 'a', u: '('}",
        "error parsing regexp: `(` is not understood here"},
    {"self.t.upperAscii() == 'ABÉ'.lowerAscii().upperAscii()", "{t: 'abÉ'}", "true"},
    {"'  x '.trim() == 'x'", "{}", "true"},

    {"int(self.t) == 12 && int(3.9) == 3 && int('1') == int(1)", "{t: '12'}", "true"},
    {"int(self.t) == 1", "{t: 'x'}", "type conversion error from 'string' to 'int'"},
    {"int(self.r) == 1", "{r: 1e300}", "integer overflow"},
    {"int(self.when) == 1767225600", "{when: '2026-01-01T00:00:00Z'}", "true"},
    {"double(self.n) == 3.0 && double('1.5') == 1.5", "{n: 3}", "true"},
    {"double(self.t) == 1.0", "{t: 'x'}", "type conversion error from 'string' to 'double'"},
    {"string(self.n) == '3' && string(true) == 'true' && string(1.5) == '1.5'", "{n: 3}", "true"},
    {"string(self.when) == '2026-01-01T00:00:00Z'", "{when: '2026-01-01T00:00:00Z'}", "true"},
    {"type(self.port) == int ? self.port > 0 : self.port != ''", "{port: 1}", "true"},
    {"type(self.port) == string && self.port == '1%'", "{port: '1%'}", "true"},
    {"self.port < 5", "{port: '1%'}", "no such overload"},
    {"dyn(1) == 1.0 && dyn(1) != 'x' && self.port == 1", "{port: 1}", "true"},
    {"self.maybe == 'a'", "{maybe: null}", "no such key: maybe"},
    {"has(self.maybe)", "{maybe: null}", "false"},
    {"self.a__dash__b == 'x'", "{}", "no such key: a__dash__b"},
    {"self.o == null", "{o: {}}", "false"},

    {"size(self.ns) == 2 && self.ns[1] == 5", "{ns: [4, 5]}", "true"},
    {"self.ns[2] == 1", "{ns: [4, 5]}", "index out of bounds: 2"},
    {"self.ns[-1] == 1", "{ns: [4, 5]}", "index out of bounds: -1"},
    {"5 in self.ns && !(6 in self.ns) && self.n in [1, 2]", "{ns: [4, 5], n: 2}", "true"},
    {"self.ns + [6] == [4, 5, 6] && [] + self.ns == self.ns", "{ns: [4, 5]}", "true"},
    {"self.ns == [4, 5] && [4, 5] != self.ns", "{ns: [4, 6]}", "false"},
    {"self.map['k'] == 'v' && self.map.k == 'v' && 'k' in self.map && size(self.map) == 1",
        "{map: {k: 'v'}}",
        "true"},
    {"self.map['q'] == 'v'", "{map: {k: 'v'}}", "no such key: q"},
    {"self.map.all(k, k.startsWith('k'))", "{map: {k: 'v', k2: 'w'}}", "true"},

    {"self.ns.all(x, x > 0)", "{ns: [1, 2]}", "true"},
    {"self.ns.all(x, x > 0)", "{ns: []}", "true"},
    {"self.ns.all(x, 10 / x > 0)", "{ns: [1, 0]}", "division by zero"},
    {"self.ns.all(x, 10 / x > 5)", "{ns: [0, 2]}", "false"},
    {"self.ns.exists(x, x == 2)", "{ns: [1, 2]}", "true"},
    {"self.ns.exists(x, 10 / x == 5)", "{ns: [0, 2]}", "true"},
    {"self.ns.exists_one(x, x == 2)", "{ns: [1, 2, 2]}", "false"},
    {"self.ns.exists_one(x, x == 1)", "{ns: [1, 2, 2]}", "true"},
    {"self.ns.exists_one(x, 1 / x == 1)", "{ns: [1, 0]}", "division by zero"},
    {"self.ns.filter(x, x > 1) == [2, 3]", "{ns: [1, 2, 3]}", "true"},
    {"self.ns.filter(x, 1 / x > 1) == [2, 3]", "{ns: [0]}", "division by zero"},
    {"self.ns.map(x, x * 2) == [2, 4]", "{ns: [1, 2]}", "true"},
    {"self.ns.map(x, 1 / x).size() == 1", "{ns: [0]}", "division by zero"},
    {"size(self.ts.map(x, x + 'b').filter(x, x == 'ab')) == 1", "{ts: ['a', 'b']}", "true"},
    {"self.os.all(o, o.ns.exists(x, x == o.x))", "{os: [{x: 1, ns: [0, 1]}]}", "true"},
    {"self.os.all(o, self.os.exists_one(q, q.x == o.x))", "{os: [{x: 1}, {x: 1}]}", "false"},
    {"self.os[0] == self.os[1]", "{os: [{x: 1}, {x: 1}]}", "true"},
    {"self.os[0] in self.os", "{os: [{x: 1}]}", "true"},

    {"self.a__dash__b == 'x' && self.__in__ == 'y' && self.c__dot__d__slash__e__underscores__f == "
     "1",
        "{'a-b': 'x', 'in': 'y', 'c.d/e__f': 1}",
        "true"},
    {"self.emb.kind == 'K' && self.emb.metadata.name == 'n' && "
     "!has(self.emb.metadata.generateName)",
        "{emb: {kind: 'K', apiVersion: 'v1', metadata: {name: 'n'}}}",
        "true"},
};

/* Rules that are not understood: what is wrong where, behind "<input>:1", and the picture. */
static const struct {
    const char *name, *fault, *dots;
} cel_refusals[] = {
    {"self.nope == 1", ":5: undefined field 'nope'", "....^"},
    {"self.o.nope == 1", ":7: undefined field 'nope'", "......^"},
    {"has(self.nope)", ":4: undefined field 'nope'", "...^"},
    {"self.any == 1", ":5: undefined field 'any'", "....^"},
    {"self.emb.metadata.labels == 1", ":18: undefined field 'labels'", ".................^"},
    {"self.emb.spec == 1", ":9: undefined field 'spec'", "........^"},
    {"self.metadata.name == ''", ":5: undefined field 'metadata'", "....^"},
    {"self.t.x == 1", ":7: type 'string' does not support field selection", "......^"},
    {"nope == 1", ":1: undeclared reference to 'nope' (in container '')", "^"},
    {"nope(self.t)", ":5: undeclared reference to 'nope' (in container '')", "....^"},
    {"self.t.nope()", ":12: undeclared reference to 'nope' (in container '')", "...........^"},
    {"self.n == 'a'",
        ":8: found no matching overload for '_==_' applied to '(int, string)'",
        ".......^"},
    {"self.n == 1.0",
        ":8: found no matching overload for '_==_' applied to '(int, double)'",
        ".......^"},
    {"self.n + self.t == 1",
        ":8: found no matching overload for '_+_' applied to '(int, string)'",
        ".......^"},
    {"self.n && true", ":5: expected type 'bool' but found 'int'", "....^"},
    {"!self.n", ":1: found no matching overload for '!_' applied to '(int)'", "^"},
    {"self.o == self.p",
        ":8: found no matching overload for '_==_' applied to '(object, object)'",
        ".......^"},
    {"self.t == null",
        ":8: found no matching overload for '_==_' applied to '(string, null)'",
        ".......^"},
    {"self.ns == self.ts",
        ":9: found no matching overload for '_==_' applied to '(list(int), list(string))'",
        "........^"},
    {"'a' in self.ns",
        ":5: found no matching overload for '@in' applied to '(string, list(int))'",
        "....^"},
    {"self.map['a'] == 1",
        ":15: found no matching overload for '_==_' applied to '(string, int)'",
        "..............^"},
    {"size(self.n) == 1", ":5: found no matching overload for 'size' applied to '(int)'", "....^"},
    {"self.n.startsWith('a')",
        ":18: found no matching overload for 'startsWith' applied to 'int.(string)'",
        ".................^"},
    {"true ? 1 : 'a'",
        ":6: found no matching overload for '_?_:_' applied to '(bool, int, string)'",
        ".....^"},
    {"self.o.all(x, true)",
        ":5: expression of type 'object' cannot be range of a comprehension (must be list, map, "
        "or dynamic)",
        "....^"},
    {"self.ns.all(x, x)", ":16: expected type 'bool' but found 'int'", "...............^"},
    {"has(self)", ":5: invalid argument to has() macro", "....^"},
    {"self.n ==", ":10: Syntax error: '<EOF>' is not expected here", ".........^"},
    {"(self.n == 1", ":13: Syntax error: '<EOF>' is not expected here", "............^"},
    {"self.n == 1)", ":12: Syntax error: ')' is not expected here", "...........^"},
    {"self.ns[1 == 1", ":15: Syntax error: '<EOF>' is not expected here", "..............^"},
    {"true ? true ? true : true : true",
        ":13: Syntax error: '?' is not expected here",
        "............^"},
    {"true : true", ":6: Syntax error: ':' is not expected here", ".....^"},
    {"1 2", ":3: Syntax error: a literal is not expected here", "..^"},
    {"self.1 == 2", ":5: Syntax error: a literal is not expected here", "....^"},
    {"@x", ":1: Syntax error: a character that means nothing here", "^"},
    {"{'a': 1} == 1", ":1: Syntax error: a character that means nothing here", "^"},
    {"'a", ":1: Syntax error: a text that does not end, or an escape that is none", "^"},
    {"'\\q' == ''", ":1: Syntax error: a text that does not end, or an escape that is none", "^"},
    {"'\\ud800' == ''",
        ":1: Syntax error: a text that does not end, or an escape that is none",
        "^"},
    {"'''a''' == ''", ":1: Syntax error: texts of three quotes are not known here", "^"},
    {"1u == 1", ":2: Syntax error: a number with letters behind it", ".^"},
    {"99999999999999999999 == 1", ":1: Syntax error: a number that is too large", "^"},
    {"self.ns.all(1, true)", ":13: Syntax error: a literal is not expected here", "............^"},
    {"self.ns.all(x)", ":14: Syntax error: ')' is not expected here", ".............^"},
    {"", ":1: Syntax error: '<EOF>' is not expected here", "^"},
};

/* A schema with rules of all manners, and what is said of a write; `old` NULL: of a new object. */
static const char cel_schema[] =
    "spec: {type: 'object', 'x-kubernetes-validations': ["
    "  {rule: '!has(self.a) || self.a != 13'},"
    "  {rule: '!has(self.a) || self.a != 14', message: ' bad luck '},"
    "  {rule: '!has(self.a) || self.a != 15', message: 'x', reason: 'FieldValueForbidden',"
    "   fieldPath: '.a'},"
    "  {rule: '!has(self.a) || self.a != 16', message: 'y', reason: 'FieldValueRequired',"
    "   fieldPath: '.deep.b'},"
    "  {rule: '!has(self.a) || self.a != 17', message: 'z', reason: 'FieldValueDuplicate'},"
    "  {rule: '!has(self.a) || self.a != 18', messageExpression: 'self.a > 1 ? \\'a is 18\\' : "
    "\\'\\''},"
    "  {rule: '!has(self.a) || self.a != 19', message: 'm',"
    "   messageExpression: 'self.deep.b + \\'!\\''},"
    "  {rule: '!has(oldSelf.a) || self.a >= oldSelf.a', message: 'a only grows'}],"
    " properties: {a: {type: 'integer'},"
    "  deep: {type: 'object', properties: {b: {type: 'string', maxLength: 5,"
    "   'x-kubernetes-validations': [{rule: 'self == oldSelf', message: 'b stays'}]}}},"
    "  even: {type: 'integer', 'x-kubernetes-validations': [{rule: 'self % 2 == 0',"
    "   message: 'must be even'}]},"
    "  port: {'x-kubernetes-int-or-string': true, 'x-kubernetes-validations': ["
    "   {rule: 'self != 0', message: 'no port'}]},"
    "  loose: {type: 'array', maxItems: 5, items: {type: 'integer', 'x-kubernetes-validations': ["
    "   {rule: 'self > 0', message: 'must be positive'}]}},"
    "  keyed: {type: 'array', maxItems: 5, 'x-kubernetes-list-type': 'map',"
    "   'x-kubernetes-list-map-keys': ['name'], items: {type: 'object', required: ['name'],"
    "    'x-kubernetes-validations': [{rule: '!has(oldSelf.v) || self.v == oldSelf.v',"
    "     message: 'v stays'}, {rule: '!has(self.v) || self.v > 0', message: 'v is positive'}],"
    "    properties: {name: {type: 'string', maxLength: 5}, v: {type: 'integer'}}}},"
    "  map: {type: 'object', maxProperties: 5, additionalProperties: {type: 'string',"
    "   maxLength: 5, 'x-kubernetes-validations': [{rule: 'self == oldSelf', message: 'stays'},"
    "    {rule: 'size(self) < 3', message: 'is short'}]}}}},"
    "status: {type: 'object', 'x-kubernetes-validations': [{rule: 'self.ready', message: 'be "
    "ready'}],"
    " properties: {ready: {type: 'boolean'}}}";

static const struct {
    const char *name, *old, *object, *says;
} cel_writes[] = {
    {"nothing is wrong", NULL, "{spec: {a: 1, even: 2}}", NULL},
    {"a rule without a message",
        NULL,
        "{spec: {a: 13}}",
        "spec: Invalid value: \"object\": failed rule: !has(self.a) || self.a != 13"},
    {"a message", NULL, "{spec: {a: 14}}", "spec: Invalid value: \"object\": bad luck"},
    {"a reason and a field", NULL, "{spec: {a: 15}}", "spec.a: Forbidden: x"},
    {"a reason and a deep field", NULL, "{spec: {a: 16}}", "spec.deep.b: Required value: y"},
    {"a duplicate", NULL, "{spec: {a: 17}}", "spec: Duplicate value: \"object\""},
    {"a computed message", NULL, "{spec: {a: 18}}", "spec: Invalid value: \"object\": a is 18"},
    {"a message that cannot be computed",
        NULL,
        "{spec: {a: 19}}",
        "spec: Invalid value: \"object\": m"},
    {"a message that can",
        NULL,
        "{spec: {a: 19, deep: {b: 'q'}}}",
        "spec: Invalid value: \"object\": q!"},
    {"a field", NULL, "{spec: {even: 3}}", "spec.even: Invalid value: \"integer\": must be even"},
    {"an integer or a text", NULL, "{spec: {port: 0}}", "spec.port: Invalid value: \"\": no port"},
    {"the second element",
        NULL,
        "{spec: {loose: [1, 0]}}",
        "spec.loose[1]: Invalid value: \"integer\": must be positive"},
    {"a key",
        NULL,
        "{spec: {map: {'k.x': 'long'}}}",
        "spec.map[k.x]: Invalid value: \"string\": is short"},
    {"a rule that fails",
        NULL,
        "{status: {}}",
        "status: Invalid value: \"object\": no such key: ready evaluating rule: be ready"},
    {"two at once",
        NULL,
        "{spec: {a: 14, even: 3}}",
        "[spec: Invalid value: \"object\": bad luck, spec.even: Invalid value: \"integer\": must "
        "be "
        "even]"},
    {"a limit, which keeps no rule from being asked",
        NULL,
        "{spec: {even: 3, keyed: [{name: 'a'},"
        " {name: 'a'}]}}",
        "[spec.keyed[1]: Duplicate value: {\"name\":\"a\"}, spec.even: Invalid value: \"integer\": "
        "must be even]"},
    {"a type, which does",
        NULL,
        "{spec: {even: 'x'}}",
        "[spec.even: Invalid value: \"string\": spec.even in body must be of type integer: "
        "\"string\", <nil>: Invalid value: null: some validation rules were not checked because "
        "the "
        "object was invalid; correct the existing errors to complete validation]"},
    {"a change that is fine", "{spec: {a: 1}}", "{spec: {a: 2}}", NULL},
    {"a change that is not",
        "{spec: {a: 2}}",
        "{spec: {a: 1}}",
        "spec: Invalid value: \"object\": a only grows"},
    {"a change that cannot be compared",
        "{spec: {a: 2}}",
        "{spec: {}}",
        "spec: Invalid value: \"object\": no such key: a evaluating rule: a only grows"},
    {"a spec that is new", "{}", "{spec: {a: 1}}", NULL},
    {"a text that stays", "{spec: {deep: {b: 'x'}}}", "{spec: {deep: {b: 'x'}, a: 1}}", NULL},
    {"a text that does not",
        "{spec: {deep: {b: 'x'}}}",
        "{spec: {deep: {b: 'y'}}}",
        "spec.deep.b: Invalid value: \"string\": b stays"},
    {"a text that goes", "{spec: {deep: {b: 'x'}}}", "{spec: {deep: {}}}", NULL},
    {"an element by its key",
        "{spec: {keyed: [{name: 'a', v: 1}, {name: 'b', v: 2}]}}",
        "{spec: {keyed: [{name: 'b', v: 2}, {name: 'a', v: 3}]}}",
        "spec.keyed[1]: Invalid value: \"object\": v stays"},
    {"an element that is new",
        "{spec: {keyed: [{name: 'a', v: 1}]}}",
        "{spec: {keyed: [{name: 'c', v: 3}]}}",
        NULL},
    {"a key that stays and one that is new",
        "{spec: {map: {a: 'x'}}}",
        "{spec: {map: {a: 'y', b: 'z'}}}",
        "spec.map[a]: Invalid value: \"string\": stays"},
};

#endif
