import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { toV1beta2 } from "../../../shared/api/older/to-v1beta2.ts";
import type { Manifest } from "../up/apply-manifests.ts";

const SPEC = "spec.template.spec";
const ROLLING = "spec.rollout.strategy.rollingUpdate";
const NUMBER = /^\d{1,9}$/;

/** Fields that `--set` takes: a short name, and where its value stands. */
const FIELDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    version: `${SPEC}.version`,
    failureDomain: `${SPEC}.failureDomain`,
    infrastructure: `${SPEC}.infrastructureRef.name`,
    bootstrap: `${SPEC}.bootstrap.configRef.name`,
    replicas: "spec.replicas",
    strategy: "spec.rollout.strategy.type",
    maxSurge: `${ROLLING}.maxSurge`,
    maxUnavailable: `${ROLLING}.maxUnavailable`,
    after: "spec.rollout.after",
    paused: "spec.paused",
  }),
);

/** Names that `--set` takes, for help and completion. */
export const SETTABLE = [...FIELDS.keys()];

/** Returns a deployment with the values of `version=v1.32.0`. Throws when a field is not known. */
export function withFields(deployment: MachineDeployment, texts: readonly string[]): MachineDeployment {
  return texts.reduce((so, text) => {
    const at = text.indexOf("=");
    const path = FIELDS.get(text.slice(0, Math.max(at, 0)));
    if (path === undefined) {
      throw new Error(`--set ${text}: write FIELD=VALUE, where FIELD is one of ${SETTABLE.join(", ")}`);
    }
    return merged(so, nested(path.split("."), parsed(text.slice(at + 1))));
  }, deployment);
}

/** Returns a deployment with what a file says of it; fields that the file leaves out stay. Throws when it is not in it. */
export function withManifest(
  deployment: MachineDeployment,
  manifests: readonly Manifest[],
  file: string,
): MachineDeployment {
  const { name, namespace } = deployment.metadata;
  const found = manifests.find(
    ({ object: { kind, metadata } }) =>
      kind === deployment.kind && metadata.name === name && (metadata.namespace ?? namespace) === namespace,
  );
  if (found === undefined) throw new Error(`${file} has no MachineDeployment ${namespace}/${name}`);
  const { spec } = toV1beta2(found.object).object as Partial<MachineDeployment>;
  return merged(deployment, { spec });
}

function parsed(text: string): string | number | boolean {
  if (NUMBER.test(text)) return Number(text);
  return text === "true" || text === "false" ? text === "true" : text;
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner: unknown, member) => ({ [member]: inner }), value);
}

function merged<T>(before: T, change: unknown): T {
  if (!isObject(before) || !isObject(change)) return (change ?? before) as T;
  const members = Object.entries(change).map(([name, value]) => [
    name,
    Object.hasOwn(before, name) ? merged(Reflect.get(before, name), value) : value,
  ]);
  return { ...before, ...Object.fromEntries(members) };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
