{{/* An image of the values: repository, tag and digest, behind the mirror where one is named. */}}
{{- define "capstan.reference" -}}
{{- $repository := .repository -}}
{{- if .mirror }}{{ $repository = printf "%s/%s" (trimSuffix "/" .mirror) (regexReplaceAll "^[^/]+/" .repository "") }}{{ end -}}
{{- printf "%s:%s" $repository .tag }}{{ with .digest }}@{{ . }}{{ end -}}
{{- end }}

{{- define "capstan.image" -}}
{{- with $.Values.image -}}
{{- include "capstan.reference" (dict "mirror" $.Values.imageRegistry "repository" .repository "tag" (.tag | default $.Chart.AppVersion | replace "+" "_") "digest" .digest) -}}
{{- end -}}
{{- end }}

{{- define "capstan.redisImage" -}}
{{- with $.Values.redis -}}
{{- include "capstan.reference" (dict "mirror" $.Values.imageRegistry "repository" .image "tag" .tag "digest" .digest) -}}
{{- end -}}
{{- end }}

{{/*
"true" where the release brings a CustomResourceDefinition; nothing where it is left as it is: a newer release has brought
it, its owner is another one and Capstan only serves the kind, or the webhook lets it serve its older versions already.
*/}}
{{- define "capstan.bringsDefinition" -}}
{{- $present := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" .name -}}
{{- $version := dig "metadata" "annotations" "capstan.dev/version" "" $present -}}
{{- $isOurs := or $version (eq "capstan" (dig "metadata" "labels" "app.kubernetes.io/managed-by" "" $present)) -}}
{{- if not $present }}true
{{- else if not $isOurs }}
{{- if not .servedOnly }}
{{- fail (printf "\nCustomResourceDefinition %s exists and is not Capstan's. Serve with it as it is: --set crds.install=false. Where Cluster API's manager runs, take its Clusters over first." .name) }}
{{- end }}
{{- else }}
{{- $converts := and .root.Values.webhook.enabled (eq "Webhook" (dig "spec" "conversion" "strategy" "" $present)) -}}
{{- $left := ternary ">=%s" ">%s" $converts -}}
{{- if not (and $version (semverCompare (printf $left .root.Chart.Version) $version)) }}true{{ end -}}
{{- end -}}
{{- end }}

{{/* A Secret that a release has made and that no renewal replaces; nothing else. */}}
{{- define "capstan.madeSecret" -}}
{{- $present := lookup "v1" "Secret" .root.Release.Namespace .secret -}}
{{- if and $present (eq .root.Values.secrets.renewal (dig "metadata" "annotations" "capstan.dev/renewal" "\n" $present)) -}}
{{- toJson $present.data -}}
{{- end -}}
{{- end }}

{{/* The certificates of one authority: those that are there, else new ones of a new authority. */}}
{{- define "capstan.issued" -}}
{{- $root := .root -}}
{{- $issued := dict -}}
{{- range .certificates -}}
{{- with include "capstan.madeSecret" (dict "root" $root "secret" .secret) | fromJson -}}
{{- $_ := set $issued "ca" (get . "ca.crt" | b64dec) -}}
{{- end -}}
{{- $made := include "capstan.madeSecret" (dict "root" $root "secret" .secret) | fromJson -}}
{{- $_ := set $issued .secret (dict "cert" (get $made "tls.crt" | b64dec) "key" (get $made "tls.key" | b64dec)) -}}
{{- end -}}
{{- $missing := false -}}
{{- range .certificates }}{{ if not (index $issued .secret "cert") }}{{ $missing = true }}{{ end }}{{ end -}}
{{- if $missing -}}
{{- $days := .days -}}
{{- $authority := genCAWithKey .authority $days (genPrivateKey "ecdsa") -}}
{{- $_ := set $issued "ca" $authority.Cert -}}
{{- range .certificates -}}
{{- $made := genSignedCertWithKey .secret .ips .dns $days $authority (genPrivateKey "ecdsa") -}}
{{- $_ := set $issued .secret (dict "cert" $made.Cert "key" $made.Key) -}}
{{- end -}}
{{- end -}}
{{- toJson $issued -}}
{{- end }}

{{/* The password of a user of the chart's Redis: the one that is there, else a new one. */}}
{{- define "capstan.password" -}}
{{- $made := include "capstan.madeSecret" (dict "root" .root "secret" (printf "capstan-%s-queue" .user)) | fromJson -}}
{{- $url := get $made "url" | b64dec -}}
{{- $ours := "^rediss://[^:/@]+:([^@]+)@capstan-redis[.].*$" -}}
{{- if regexMatch $ours $url }}{{ regexReplaceAll $ours $url "${1}" }}{{ else }}{{ randAlphaNum 43 }}{{ end -}}
{{- end }}
