// The kinds of the Prometheus Operator, against which deploy/monitoring is applied in tests, pinned as a
// Go module. To move to another release change v0.85.0 below, then `go mod download`.
module sei-operator/tools/prometheus

go 1.24.0

require github.com/prometheus-operator/prometheus-operator v0.85.0
