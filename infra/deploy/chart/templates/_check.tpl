{{/* Refuses values that cannot work together, and a second Capstan, before anything is written. */}}
{{- define "capstan.check" -}}
{{- if and $.Values.redis.enabled $.Values.queue.url }}
{{- fail "\nBoth redis.enabled and queue.url name a queue; set one of them." }}
{{- end }}
{{- if and $.Values.secrets.create (not $.Values.redis.enabled) (not $.Values.queue.url) }}
{{- fail "\nNo queue is named: set queue.url to your Redis (rediss://USER:PASSWORD@HOST:PORT), or redis.enabled=true for a trial." }}
{{- end }}
{{- if and $.Values.rights.namespaced (not $.Values.rights.namespaces) }}
{{- fail "\nrights.namespaced serves the namespaces of rights.namespaces; name at least one there." }}
{{- end }}
{{- if and (eq $.Values.scaling.by "cpu") (eq (int $.Values.scaling.min) 0) }}
{{- fail "\nscaling.min is 0, from which only KEDA starts a worker; set it to 1, or scaling.by to keda." }}
{{- end }}
{{- $role := lookup "rbac.authorization.k8s.io/v1" "ClusterRole" "" "capstan-relay" }}
{{- $owner := dig "metadata" "annotations" (dict) $role }}
{{- $release := get $owner "meta.helm.sh/release-name" }}
{{- $namespace := get $owner "meta.helm.sh/release-namespace" }}
{{- if and $release (or (ne $release $.Release.Name) (ne $namespace $.Release.Namespace)) }}
{{- fail (printf "\nRelease %s in namespace %s is a Capstan already, and two must not serve one management cluster. Change it: helm upgrade %s --namespace %s" $release $namespace $release $namespace) }}
{{- end }}
{{- end }}
