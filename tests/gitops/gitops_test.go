// What GitOps tools make of nodes and fleets, by the libraries that they use themselves.
//
// The statuses are those that the simulator's scenarios came by (tests/sim/chronicle.h), each with
// what was true at that moment. SEI_CHRONICLE names their folder; `make e2e` sets it.
package gitops

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/yaml"
)

const argocd = "../../deploy/argocd"

// A line of the chronicle.
type record struct {
	Served bool           `json:"served"`
	Object map[string]any `json:"object"`
}

// Every recorded status, each once.
func chronicle(t *testing.T) map[string]record {
	folder := os.Getenv("SEI_CHRONICLE")
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if folder == "" || err != nil || len(files) == 0 {
		t.Fatalf("SEI_CHRONICLE must name a folder with recorded statuses, not %q", folder)
	}
	all := map[string]record{}
	for _, name := range files {
		readInto(t, name, all)
	}
	return all
}

func readInto(t *testing.T, name string, all map[string]record) {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[lines.Text()] = r
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func (r record) verdict(t *testing.T) status.Status {
	// kstatus wants integers, as a client decodes them.
	text, _ := json.Marshal(r.Object)
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	result, err := status.Compute(object)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return result.Status
}

func (r record) field(path ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(r.Object, path...)
	return value
}

func (r record) condition(kind, field string) string {
	conditions, _ := r.field("status", "conditions").([]any)
	for _, c := range conditions {
		if entry := c.(map[string]any); entry["type"] == kind {
			return entry[field].(string)
		}
	}
	return ""
}

func (r record) isObserved() bool {
	return r.field("status", "observedGeneration") == r.field("metadata", "generation")
}

// What kstatus should say, from the conditions' meaning as docs/CONDITIONS.md tells it.
func (r record) wanted() status.Status {
	switch {
	case r.field("metadata", "deletionTimestamp") != nil:
		return status.TerminatingStatus
	case !r.isObserved() || r.condition("Reconciling", "status") == "True":
		return status.InProgressStatus
	case r.condition("Stalled", "status") == "True":
		return status.FailedStatus
	case r.condition("Ready", "status") == "True":
		return status.CurrentStatus
	}
	return status.InProgressStatus
}

func TestKstatusNeverCallsAnythingCurrentTooEarly(t *testing.T) {
	count := map[string]int{}
	for line, r := range chronicle(t) {
		got := r.verdict(t)
		if got == status.CurrentStatus && !r.Served {
			t.Errorf("Current before it was served: %s", line)
		}
		if want := r.wanted(); got != want {
			t.Errorf("%s instead of %s: %s", got, want, line)
		}
		count[fmt.Sprintf("%s %s", r.field("kind"), got)]++
	}
	for _, kind := range []string{"SeiNode", "SeiNodeDeployment"} {
		for _, verdict := range []status.Status{status.CurrentStatus, status.InProgressStatus,
			status.FailedStatus, status.TerminatingStatus} {
			key := fmt.Sprintf("%s %s", kind, verdict)
			if count[key] == 0 {
				t.Errorf("no scenario came by a %s", key)
			}
			t.Logf("%s: %d", key, count[key])
		}
	}
}

// Runs health.lua over an object as Argo CD does; status and message.
func health(t *testing.T, object map[string]any) (string, string) {
	script, err := os.ReadFile(filepath.Join(argocd, "health.lua"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := runLua(string(script), object)
	answer, ok := value.(*lua.LTable)
	if err != nil || !ok {
		t.Fatalf("health.lua gave no table for %v: %v", object, err)
	}
	return answer.RawGetString("status").String(), answer.RawGetString("message").String()
}

// What a script returns for an object, with no libraries but those that Argo CD gives to a script.
func runLua(script string, object map[string]any) (lua.LValue, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{{lua.LoadLibName, lua.OpenPackage}, {lua.BaseLibName, lua.OpenBase},
		{lua.TabLibName, lua.OpenTable}, {lua.OsLibName, lua.OpenOs}} {
		state.Push(state.NewFunction(library.open))
		state.Push(lua.LString(library.name))
		state.Call(1, 0)
	}
	state.SetGlobal("obj", toLua(state, object))
	if err := state.DoString(script); err != nil {
		return lua.LNil, err
	}
	return state.Get(-1), nil
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case string:
		return lua.LString(v)
	case bool:
		return lua.LBool(v)
	case float64:
		return lua.LNumber(v)
	case []any:
		table := state.NewTable()
		for _, element := range v {
			table.Append(toLua(state, element))
		}
		return table
	case map[string]any:
		table := state.NewTable()
		for key, element := range v {
			table.RawSetString(key, toLua(state, element))
		}
		return table
	}
	return lua.LNil
}

func (r record) wantedHealth(t *testing.T) string {
	isStopped := r.condition("Paused", "status") == "True" || r.condition("Ready", "reason") == "Held"
	alive := r
	alive.Object = map[string]any{"metadata": map[string]any{"generation": r.field("metadata", "generation")}}
	for _, key := range []string{"apiVersion", "kind", "spec", "status"} {
		alive.Object[key] = r.field(key)
	}
	// That an object is being deleted Argo CD sees for itself, and asks no script.
	verdict := alive.verdict(t)
	switch {
	case verdict == status.FailedStatus:
		return "Degraded"
	case isStopped && r.isObserved() && r.condition("Reconciling", "status") != "True":
		return "Suspended"
	case verdict == status.CurrentStatus:
		return "Healthy"
	}
	return "Progressing"
}

func TestArgoCDFindsWhatKstatusFinds(t *testing.T) {
	count := map[string]int{}
	for line, r := range chronicle(t) {
		got, _ := health(t, r.Object)
		if got == "Healthy" && !r.Served {
			t.Errorf("Healthy before it was served: %s", line)
		}
		if want := r.wantedHealth(t); got != want {
			t.Errorf("%s instead of %s: %s", got, want, line)
		}
		count[got]++
	}
	for _, verdict := range []string{"Healthy", "Progressing", "Degraded", "Suspended"} {
		if count[verdict] == 0 {
			t.Errorf("no scenario came by something %s", verdict)
		}
		t.Logf("%s: %d", verdict, count[verdict])
	}
}

// The cases in the form of Argo CD's own repository.
type healthCases struct {
	Tests []struct {
		InputPath    string `json:"inputPath"`
		HealthStatus struct {
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"healthStatus"`
	} `json:"tests"`
}

func readYAML(t *testing.T, path string, into any) {
	text, err := os.ReadFile(filepath.Join(argocd, path))
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func TestHealthIsWhatItsCasesSay(t *testing.T) {
	var cases healthCases
	readYAML(t, "health_test.yaml", &cases)
	if len(cases.Tests) == 0 {
		t.Fatal("health_test.yaml has no cases")
	}
	for _, c := range cases.Tests {
		var object map[string]any
		readYAML(t, c.InputPath, &object)
		got, message := health(t, object)
		if got != c.HealthStatus.Status || message != c.HealthStatus.Message {
			t.Errorf("%s: %s %q instead of %s %q", c.InputPath, got, message,
				c.HealthStatus.Status, c.HealthStatus.Message)
		}
	}
}

func TestTheSettingOfArgoCDCarriesTheScript(t *testing.T) {
	var configmap struct {
		Data map[string]string `json:"data"`
	}
	script, err := os.ReadFile(filepath.Join(argocd, "health.lua"))
	if err != nil {
		t.Fatal(err)
	}
	readYAML(t, "argocd-cm.yaml", &configmap)
	for _, kind := range []string{"SeiNode", "SeiNodeDeployment"} {
		if configmap.Data["resource.customizations.health.sei.io_"+kind] != string(script) {
			t.Errorf("argocd-cm.yaml has another script for %s than health.lua", kind)
		}
	}
}
