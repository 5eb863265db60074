"""What Argo CD is told of our kinds: one ConfigMap that carries the scripts of deploy/argocd."""

import textwrap

HEADER = """\
# Teaches Argo CD the health of both kinds, and what people may do with them by a click: merge `data` into
# its own ConfigMap, for instance
#   kubectl -n argocd patch configmap argocd-cm --patch-file deploy/argocd/argocd-cm.yaml
# Made by tools/manifests from health.lua and actions: edit there.
apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cm
  namespace: argocd
  labels:
    app.kubernetes.io/name: argocd-cm
    app.kubernetes.io/part-of: argocd
data:
"""
KINDS = ("SeiNode", "SeiNodeDeployment")


def field(key, text, indent):
    """A key whose value is a text of many lines."""
    return " " * indent + f"{key}: |\n" + textwrap.indent(text, " " * (indent + 2))


def actions(folder, kind):
    """The scripts of a kind, its own and those of both, in the one text that Argo CD reads."""
    scripts = {path.stem: path for path in (*folder.glob("*.lua"), *(folder / kind).glob("*.lua"))}
    text = field("discovery.lua", scripts.pop("discovery").read_text(encoding="utf-8"), 0)
    text += "definitions:\n"
    for name in sorted(scripts):
        script = scripts[name].read_text(encoding="utf-8")
        text += f"- name: {name}\n" + field("action.lua", script, 2)
    return text


def configmap(folder):
    """The text of argocd-cm.yaml."""
    health = (folder / "health.lua").read_text(encoding="utf-8")
    text = HEADER
    for kind in KINDS:
        text += field(f"resource.customizations.health.sei.io_{kind}", health, 2)
    for kind in KINDS:
        key = f"resource.customizations.actions.sei.io_{kind}"
        text += field(key, actions(folder / "actions", kind), 2)
    return text
