// What Argo CD's buttons do to nodes and fleets. A script gives back the object, changed; Argo CD sends
// the difference, as a merge patch.
package gitops

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"sigs.k8s.io/yaml"
)

var kinds = []string{"SeiNode", "SeiNodeDeployment"}

// The actions of a kind, as the setting of Argo CD has them.
type actionSetting struct {
	Discovery   string `json:"discovery.lua"`
	Definitions []struct {
		Name   string `json:"name"`
		Script string `json:"action.lua"`
	} `json:"definitions"`
}

func actionsOf(t *testing.T, kind string) actionSetting {
	var configmap struct {
		Data map[string]string `json:"data"`
	}
	var setting actionSetting
	readYAML(t, "argocd-cm.yaml", &configmap)
	text := configmap.Data["resource.customizations.actions.sei.io_"+kind]
	if err := yaml.UnmarshalStrict([]byte(text), &setting); err != nil {
		t.Fatal(err)
	}
	if setting.Discovery == "" || len(setting.Definitions) == 0 {
		t.Fatalf("argocd-cm.yaml has no actions for %s", kind)
	}
	return setting
}

// Which actions Argo CD would offer for an object, and whether a person may click on them.
func (s actionSetting) offered(t *testing.T, object map[string]any) map[string]bool {
	value, err := runLua(s.Discovery, object)
	table, ok := value.(*lua.LTable)
	if err != nil || !ok {
		t.Fatalf("discovery.lua gave no table for %v: %v", object, err)
	}
	offered := map[string]bool{}
	table.ForEach(func(name, answer lua.LValue) {
		offered[name.String()] = answer.(*lua.LTable).RawGetString("disabled") == lua.LFalse
	})
	return offered
}

// A value of Lua, which does not tell an empty list from an empty map: it is what it was before.
func fromLua(value lua.LValue, before any) any {
	switch v := value.(type) {
	case lua.LString:
		return string(v)
	case lua.LBool:
		return bool(v)
	case lua.LNumber:
		return float64(v)
	case *lua.LTable:
		return fromTable(v, before)
	}
	return nil
}

func fromTable(table *lua.LTable, before any) any {
	if list, ok := before.([]any); ok {
		made := []any{}
		for i := range table.Len() {
			var element any
			if i < len(list) {
				element = list[i]
			}
			made = append(made, fromLua(table.RawGetInt(i+1), element))
		}
		return made
	}
	was, _ := before.(map[string]any)
	made := map[string]any{}
	table.ForEach(func(key, element lua.LValue) {
		made[key.String()] = fromLua(element, was[key.String()])
	})
	return made
}

// The merge patch that turns one object into another.
func difference(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for key := range before {
		if _, ok := after[key]; !ok {
			patch[key] = nil
		}
	}
	for key, value := range after {
		old, wasMap := before[key].(map[string]any)
		now, isMap := value.(map[string]any)
		switch {
		case reflect.DeepEqual(before[key], value):
		case isMap && wasMap:
			patch[key] = difference(old, now)
		default:
			patch[key] = value
		}
	}
	return patch
}

var timeOfNow = regexp.MustCompile(`^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)

// A patch in which every time reads NOW.
func timeless(patch map[string]any) map[string]any {
	for key, value := range patch {
		switch v := value.(type) {
		case string:
			if timeOfNow.MatchString(v) {
				patch[key] = "NOW"
			}
		case map[string]any:
			timeless(v)
		}
	}
	return patch
}

// What a click would send to the API server, or why it sends nothing.
func click(script string, object map[string]any) (map[string]any, error) {
	value, err := runLua(script, object)
	if err != nil {
		return nil, err
	}
	after, _ := fromLua(value, object).(map[string]any)
	return timeless(difference(object, after)), nil
}

type actionCases struct {
	Tests []struct {
		Name    string                    `json:"name"`
		Object  map[string]any            `json:"object"`
		Changes map[string]map[string]any `json:"changes"`
		Refused map[string]string         `json:"refused"`
	} `json:"tests"`
}

func TestAnActionIsWhatItsCasesSay(t *testing.T) {
	var cases actionCases
	changed := map[string]bool{}
	readYAML(t, "actions_test.yaml", &cases)
	for _, c := range cases.Tests {
		kind := c.Object["kind"].(string)
		setting := actionsOf(t, kind)
		offered := setting.offered(t, c.Object)
		for _, action := range setting.Definitions {
			patch, err := click(action.Script, c.Object)
			want, isWanted := c.Changes[action.Name]
			reason, isRefused := c.Refused[action.Name]
			switch {
			case isWanted == isRefused:
				t.Errorf("%s: say of %s either what it changes or why it is refused", c.Name, action.Name)
			case isWanted && (err != nil || !reflect.DeepEqual(patch, want)):
				t.Errorf("%s: %s sends %v instead of %v (%v)", c.Name, action.Name, patch, want, err)
			case isRefused && (err == nil || !strings.HasPrefix(err.Error(), reason)):
				t.Errorf("%s: %s is refused by %v instead of %q", c.Name, action.Name, err, reason)
			case offered[action.Name] != isWanted:
				t.Errorf("%s: %s is offered: %v", c.Name, action.Name, offered[action.Name])
			}
			changed[kind+" "+action.Name] = changed[kind+" "+action.Name] || isWanted
		}
		if len(offered) != len(setting.Definitions) {
			t.Errorf("%s: offered are %v", c.Name, offered)
		}
	}
	for action, does := range changed {
		if !does {
			t.Errorf("in no case %s does anything", action)
		}
	}
}

// Every node and every fleet, as far as a script looks at them.
func everyObject() []map[string]any {
	objects := []map[string]any{}
	for _, paused := range []any{nil, false, true} {
		for _, role := range []string{"fullNode", "validator"} {
			for _, annotations := range []any{nil, map[string]any{}, map[string]any{"sei.io/maintenance": "{}"}} {
				for _, labels := range []any{nil, map[string]any{}, map[string]any{"sei.io/nodedeployment": "rpc"}} {
					objects = append(objects, map[string]any{"kind": "SeiNode",
						"metadata": map[string]any{"annotations": annotations, "labels": labels},
						"spec":     map[string]any{"paused": paused, role: map[string]any{}}})
				}
			}
			for _, hold := range []any{nil, false, true} {
				for _, partition := range []any{nil, 0.0, 2.0} {
					objects = append(objects, map[string]any{"kind": "SeiNodeDeployment",
						"metadata": map[string]any{},
						"spec": map[string]any{"paused": paused,
							"updateStrategy": map[string]any{"hold": hold, "partition": partition},
							"template":       map[string]any{"spec": map[string]any{role: map[string]any{}}}}})
				}
			}
		}
	}
	return objects
}

// A member that is null is absent, as Lua has it.
func withoutNulls(object map[string]any) map[string]any {
	for key, value := range object {
		if value == nil {
			delete(object, key)
		} else if inner, ok := value.(map[string]any); ok {
			withoutNulls(inner)
		}
	}
	return object
}

func TestAnActionIsOfferedJustWhereItDoesSomething(t *testing.T) {
	settings := map[string]actionSetting{}
	for _, kind := range kinds {
		settings[kind] = actionsOf(t, kind)
	}
	for _, object := range everyObject() {
		setting := settings[object["kind"].(string)]
		offered := setting.offered(t, withoutNulls(object))
		for _, action := range setting.Definitions {
			patch, err := click(action.Script, object)
			if does := err == nil && len(patch) > 0; does != offered[action.Name] {
				t.Errorf("%s is offered: %v, and sends %v (%v): %v", action.Name,
					offered[action.Name], patch, err, object)
			}
		}
	}
}

func TestTheSettingOfArgoCDCarriesTheActions(t *testing.T) {
	for _, kind := range kinds {
		setting := actionsOf(t, kind)
		scripts := map[string]string{"discovery": setting.Discovery}
		for _, action := range setting.Definitions {
			scripts[action.Name] = action.Script
		}
		own, _ := filepath.Glob(filepath.Join(argocd, "actions", kind, "*.lua"))
		shared, _ := filepath.Glob(filepath.Join(argocd, "actions", "*.lua"))
		for _, path := range append(own, shared...) {
			name := strings.TrimSuffix(filepath.Base(path), ".lua")
			if text, err := os.ReadFile(path); err != nil || scripts[name] != string(text) {
				t.Errorf("argocd-cm.yaml has another script for %s than %s", kind, path)
			}
			delete(scripts, name)
		}
		if len(scripts) > 0 {
			t.Errorf("argocd-cm.yaml has scripts for %s that are no files: %v", kind, scripts)
		}
	}
}
