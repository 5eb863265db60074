"""The Helm charts and the rights in one namespace, made from the same texts as install.yaml.

A template is such a text in which some passages are replaced by what the values say. Each passage
must be there just as often as it is told, or the chart is not made: so a change of deploy/parts
or deploy/rbac that the chart would miss is noticed by `tools/manifests --check`. The values that the
chart begins with are the passages that they replace, and the test that compares what Helm renders
with install.yaml (tests/e2e/test_packages.c) holds it to that.
"""

import json
import re
import sys

# What a rule may name that is not in a namespace: a Role cannot allow it.
CLUSTER_RESOURCES = {
    "persistentvolumes",
    "customresourcedefinitions",
    "tokenreviews",
    "subjectaccessreviews",
}

ACCOUNT = "{{ .Values.serviceAccount.name }}"
SETTINGS = """\
{{- range $name, $value := .Values.platform }}
  {{ $name }}: {{ $value | quote }}
{{- end }}
"""
IMAGE = """\
        image: {{ include "sei-operator.image" . }}
        {{- with .Values.image.pullPolicy }}
        imagePullPolicy: {{ . }}
        {{- end }}
"""
MORE_ARGS = """\
        {{- if ne .Values.logLevel "info" }}
        - --zap-log-level={{ .Values.logLevel }}
        {{- end }}
        {{- with .Values.watchNamespaces }}
        - --watch-namespaces={{ join "," . }}
        {{- end }}
"""
# The operator reads its settings when it starts, so a changed one must change the pod template.
CHECKSUM = """\
        checksum/settings: {{ toJson .Values.platform | sha256sum }}
"""
# A budget over one replica is a machine that cannot be drained.
BUDGETED = "and .Values.podDisruptionBudget.enabled (gt (int .Values.replicaCount) 1)"
DASHBOARD = """\
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: sei-dashboard-{{ $name }}
  namespace: {{ $.Release.Namespace }}
  labels:
    {{- toYaml $.Values.grafana.dashboards.labels | nindent 4 }}
data:
  {{ $name }}.json: |
    {{- $.Files.Get (printf "dashboards/%s.json" $name) | nindent 4 }}
"""


def replaced(text, passage, times, instead):
    """A text in which a passage, which it has so many times, is replaced."""
    if text.count(passage) != times:
        sys.exit(f"chart: found {text.count(passage)} times, not {times}: {passage!r}")
    return text.replace(passage, instead)


def escaped(text):
    """A text that Helm passes on as it is."""
    return text.replace("{{", '{{ "{{" }}')


def when(condition, text):
    return f"{{{{- if {condition} }}}}\n{text}{{{{- end }}}}\n"


# --- rights


def documents(text):
    return text.split("---\n")


def document(text, kind, name):
    """The document of a kind and a name in a text of many, without the comment that opens it."""
    for found in documents(text):
        bare = re.sub(r"\A(#.*\n)+", "", found)
        if f"\nkind: {kind}\n" in bare and f"\n  name: {name}\n" in bare.partition("rules:")[0]:
            return bare
    sys.exit(f"chart: there is no {kind} {name}")


def rules_of(role):
    """The head of a role and its rules: those for namespaces, and those for the cluster."""
    head, text = re.fullmatch(r"(.*\nrules:\n)(.*)", role, re.S).groups()
    rules = re.findall(r"(?:^#.*\n)*^- .*\n(?:^ .*\n)*", text, re.M)
    if "".join(rules) != text:
        sys.exit("chart: the rules of a role are not written as rules are")
    near, far = [], []
    for rule in rules:
        named = set(re.findall(r"[a-z/]+", re.search(r"resources: \[(.*)\]", rule).group(1)))
        (far if named & CLUSTER_RESOURCES else near).append(rule)
    return head, "".join(near), "".join(far)


def in_namespace(text, name, namespace):
    """A ClusterRole or its binding as one of a namespace."""
    text = replaced(text, "kind: ClusterRole", text.count("kind: ClusterRole"), "kind: Role")
    return replaced(
        text,
        f"metadata:\n  name: {name}\n",
        1,
        f"metadata:\n  name: {name}\n  namespace: {namespace}\n",
    )


def namespaced_rights(operator, sidecar):
    """What an operator of one namespace may do: deploy/components/namespaced/rights.yaml."""
    head, near, _ = rules_of(document(operator, "ClusterRole", "sei-operator"))
    texts = [
        (head + near, "sei-operator"),
        (document(operator, "ClusterRoleBinding", "sei-operator"), "sei-operator"),
        (document(sidecar, "ClusterRole", "sei-sidecar-client"), "sei-sidecar-client"),
        (document(sidecar, "ClusterRoleBinding", "sei-sidecar-client"), "sei-sidecar-client"),
    ]
    return "---\n".join(in_namespace(text, name, "sei-system") for text, name in texts)


# --- templates


def crds_template(crds, keep):
    """The kinds, which outlive the release unless its owner says otherwise."""
    mark = when(f".Values.{keep}", "  annotations:\n    helm.sh/resource-policy: keep\n")
    texts = [replaced(escaped(text), "\nmetadata:\n", 1, "\nmetadata:\n" + mark) for text in crds]
    return "---\n".join(texts)


def account_of(values):
    """The operator's account as the subject of a binding, and what takes its place."""
    subject = "- kind: ServiceAccount\n  name: %s\n"
    return subject % "sei-operator", subject % ("{{ %s.serviceAccount.name }}" % values)


def operator_rights(text):
    """The rights of the operator: in the whole cluster, or in the namespaces that it watches."""
    role = document(text, "ClusterRole", "sei-operator")
    binding = document(text, "ClusterRoleBinding", "sei-operator")
    head, near, far = rules_of(role)
    text = replaced(text, role, 1, head + when("not .Values.watchNamespaces", near) + far)
    there = "---\n".join(in_namespace(t, "sei-operator", "{{ . }}") for t in (head + near, binding))
    there = replaced(there, "namespace: sei-system", 1, "namespace: {{ $.Release.Namespace }}")
    there = replaced(there, account_of("")[0], 1, account_of("$.Values")[1])
    return f"{text}{{{{- range .Values.watchNamespaces }}}}\n---\n{there}{{{{- end }}}}\n"


def account_template(text):
    text = replaced(text, "  name: sei-operator\n", 1, f"  name: {ACCOUNT}\n")
    annotations = more("serviceAccount.annotations", 2, "annotations")
    return when(".Values.serviceAccount.create", with_namespaces(text) + annotations)


def rbac_template(operator, sidecar, nodes):
    """The accounts, and every right. Helm makes the namespace of a release, or finds it there.

    Whoever grants rights by themselves still wants the account that they grant those of sidecars to.
    """
    namespace, account, *rest = documents(operator)
    if "kind: Namespace\n" not in namespace or "kind: ServiceAccount\n" not in account:
        sys.exit("chart: deploy/rbac/operator.yaml does not begin with a namespace and an account")
    client, _, sidecar = sidecar.partition("---\n")
    if "kind: ServiceAccount\n" not in client:
        sys.exit("chart: deploy/rbac/sidecar-client.yaml does not begin with an account")
    subject = re.search(r"subjects:\n(- .*\n(?: .*\n)+)\Z", nodes).group(1)
    each = replaced(
        subject, "name: seid-node", 1, "name: {{ $.Values.platform.SEI_SERVICE_ACCOUNT }}"
    )
    each = replaced(each, "namespace: default\n", 1, "namespace: {{ . }}\n")
    subjects = f"{{{{- range .Values.nodeNamespaces }}}}\n{each}{{{{- end }}}}\n"
    nodes = replaced(nodes, subject, 1, subjects)
    texts = [operator_rights("---\n".join(rest)), nodes, sidecar]
    rights = with_namespaces("---\n".join(texts)).replace(*account_of(".Values"))
    accounts = account_template(account) + "---\n" + with_namespaces(client)
    return accounts + when(".Values.rbac.create", "---\n" + rights)


def with_namespaces(text):
    return text.replace("namespace: sei-system\n", "namespace: {{ .Release.Namespace }}\n")


def more(value, indent, key=None):
    """What a value adds, where it says something: below a key of its own, or to what is there."""
    margin = " " * indent
    head = f"{margin}{key}:\n" if key else ""
    depth = indent + 2 if key else indent
    return (
        f"{margin}{{{{- with .Values.{value} }}}}\n{head}"
        f"{margin}{{{{- toYaml . | nindent {depth} }}}}\n{margin}{{{{- end }}}}\n"
    )


def passage(text, start, end):
    """The lines from one up to another."""
    return re.search(rf"^{start}\n(?:.*\n)*?(?=^{end}\n)", text, re.M).group(0)


def resources_of(operator):
    return passage(operator, "        resources:", "        securityContext:")


def operator_template(text):
    """The Deployment and what belongs to it."""
    image = re.search(r"        image: .*\n", text).group(0)
    health = "        - --health-probe-bind-address=:8081\n"
    account = "      serviceAccountName: sei-operator\n"
    default = "        kubectl.kubernetes.io/default-container: operator\n"
    budget = documents(text)[-2]
    pod = "".join(more(key, 6, key) for key in ("imagePullSecrets", "nodeSelector", "tolerations"))
    for old, new in (
        ("@include platform.env\n", SETTINGS),
        ("  replicas: 2\n", "  replicas: {{ .Values.replicaCount }}\n"),
        (account, f"      serviceAccountName: {ACCOUNT}\n{pod}"),
        (default, default + CHECKSUM),
        (image, IMAGE),
        (health, health + MORE_ARGS),
        (resources_of(text), "        resources:\n" + more("resources", 10)),
        (f"---\n{budget}", when(BUDGETED, f"---\n{budget}")),
        ("minAvailable: 1\n", "minAvailable: {{ .Values.podDisruptionBudget.minAvailable }}\n"),
    ):
        text = replaced(text, old, 1, new)
    return with_namespaces(text)


def optional_template(text, value):
    """An object that is made when a value asks for it, with more labels if it has some."""
    head, mark, rest = escaped(text).partition("    app.kubernetes.io/name: sei-operator\n")
    text = with_namespaces(head + mark + more(f"{value}.labels", 4) + rest)
    return when(f".Values.{value}.enabled", text)


def dashboards_template(names):
    """A ConfigMap for each dashboard, as Grafana's sidecar finds it."""
    listed = " ".join(f'"{name}"' for name in names)
    each = f"{{{{- range $name := list {listed} }}}}\n{DASHBOARD}{{{{- end }}}}\n"
    return when(".Values.grafana.dashboards.enabled", each)


# --- values


def setting_names(source):
    """All settings that the operator reads, as its own table has them."""
    return re.findall(r'^    \{"(SEI_[A-Z0-9_]+)",', source, re.M)


def values(part, platform, operator):
    """values.yaml: a part with the platform's settings and the resources of the Deployment."""
    resources = resources_of(operator).splitlines(True)[1:]
    part = replaced(part, "@include platform.env\n", 1, platform)
    return replaced(part, "@include resources\n", 1, "".join(line[8:] for line in resources))


def schema(part, required, known):
    """values.schema.json: a part that learns which settings there are."""
    made = json.loads(part)
    made["properties"]["platform"].update(
        properties={name: {"type": "string"} for name in known},
        required=required,
        additionalProperties=False,
    )
    return json.dumps(made, indent=2) + "\n"
