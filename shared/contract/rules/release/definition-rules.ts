import { textAt } from "../../../api/path.ts";
import { crdNameOf } from "../../crd-name.ts";
import { fail, type Judgement, na, type Place, pass, warn } from "../rule.ts";
import { namespaceOf } from "./namespaces.ts";
import {
  annotationsOf,
  CLUSTERCTL_BOOK,
  labelsOf,
  nameOf,
  onObjects,
  type ReleaseRule,
  releaseRule,
} from "./release-rule.ts";
import type { Manifest, ReleaseFile } from "./subject.ts";

const CLUSTERCTL_LABEL = "clusterctl.cluster.x-k8s.io";
const SKIP = "clusterctl.cluster.x-k8s.io/skip-crd-name-preflight-check";
const INJECT_CA = "cert-manager.io/inject-ca-from";
const CRDS = ["CustomResourceDefinition"];

/** Rules on CRDs, webhooks and their certificates. */
export const DEFINITION_RULES: readonly ReleaseRule[] = [
  releaseRule({
    id: "CTL-27",
    level: "SHOULD",
    sentence: "Every CRD has the label clusterctl.cluster.x-k8s.io",
    effect:
      "clusterctl sets it; after kubectl apply of the file clusterctl move leaves the objects of this kind behind",
    source: "cmd/clusterctl/client/cluster/objectgraph.go",
    check: onObjects(CRDS, ({ value }, at) => {
      const details = { at, path: `metadata.labels[${CLUSTERCTL_LABEL}]` };
      if (Object.hasOwn(labelsOf(value), CLUSTERCTL_LABEL)) return [pass(details)];
      return [warn({ ...details, found: "absent", expected: '""' })];
    }),
  }),
  releaseRule({
    id: "CTL-28",
    level: "MUST",
    sentence: "Every CRD is named <plural of the kind>.<group>, or has the annotation that skips this check",
    effect: "clusterctl init aborts before it installs anything",
    source: "cmd/clusterctl/client/cluster/installer.go",
    check: onObjects(CRDS, ({ value }, at) => {
      const found = nameOf(value);
      const expected = crdNameOf(textAt(value, "spec.group"), textAt(value, "spec.names.kind"));
      const details = { at, path: "metadata.name", found };
      if (found === expected || Object.hasOwn(annotationsOf(value), SKIP)) return [pass(details)];
      return [fail({ ...details, expected })];
    }),
  }),
  releaseRule({
    id: "CTL-29",
    level: "MUST",
    sentence: `The annotation ${INJECT_CA} of webhooks and CRDs has the form namespace/name`,
    effect:
      "clusterctl refuses the components: … does not have a correct value for cert-manager.io/inject-ca-from",
    source: "cmd/clusterctl/client/repository/components.go",
    check: onObjects(
      [...CRDS, "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
      ({ value }, at) => {
        const annotations = annotationsOf(value);
        if (!Object.hasOwn(annotations, INJECT_CA)) return [na("it has no such annotation", { at })];
        const found = String(annotations[INJECT_CA]);
        const details = { at, path: `metadata.annotations[${INJECT_CA}]`, found };
        return [
          found.split("/").length === 2 ? pass(details) : fail({ ...details, expected: "namespace/name" }),
        ];
      },
    ),
  }),
  releaseRule({
    id: "CTL-30",
    level: "SHOULD",
    sentence:
      "A Certificate lists <service>.<namespace>.svc and the same with .cluster.local, with the namespace of the file",
    effect:
      "clusterctl replaces only the first .<namespace>. of each name; in another namespace the certificate does not fit",
    source: CLUSTERCTL_BOOK,
    check: onObjects(["Certificate"], ({ value }, at, file) => judgeCertificate(value, at, file)),
  }),
];

function judgeCertificate(value: Manifest, at: Place, file: ReleaseFile): readonly Judgement[] {
  const listed = namesOf(value);
  if (listed.length === 0) return [na("it has no DNS names", { at })];
  const namespace = textAt(value, "metadata.namespace") || namespaceOf(file);
  const [service = ""] = (listed[0] ?? "").split(".");
  const expected = [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`];
  const details = { at, path: "spec.dnsNames", found: listed.join(", ") };
  const isComplete = expected.every((name) => listed.includes(name));
  const isMovable = listed.every((name) => name.split(`.${namespace}.`).length <= 2);
  return [isComplete && isMovable ? pass(details) : warn({ ...details, expected: expected.join(", ") })];
}

function namesOf(value: Manifest): readonly string[] {
  const { spec } = value;
  const names: unknown =
    typeof spec === "object" && spec !== null ? Reflect.get(spec, "dnsNames") : undefined;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
