{{/* The image of the operator: registry, repository, and a digest before a tag. */}}
{{- define "sei-operator.image" -}}
{{- with .Values.image.registry }}{{ . }}/{{ end }}{{ .Values.image.repository }}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}
{{- else }}:{{ .Values.image.tag | default (printf "v%s" .Chart.AppVersion) }}
{{- end }}
{{- end }}
