import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { systemClock } from "../../../infra/platform/clock.ts";
import { createServer } from "../../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../../infra/platform/kube/kubeconfig.ts";
import { readManifest } from "../../../infra/providers/contract/probe/manifest.ts";
import {
  type ProbeOptions,
  type ProbeOutcome,
  probe,
} from "../../../infra/providers/contract/probe/probe.ts";
import { Namespace } from "../../../shared/api/core.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import {
  simCluster,
  simClusterOfMachines,
  simLegacyCluster,
  simPool,
  simPoolWithMachines,
} from "../manifests.ts";
import { testFolder } from "../test-folder.ts";

/** Of one wait; only a broken provider uses it up. */
export const LIMIT_MS = 240_000;
const REST_MS = 3_000;

export const POOL = `${simCluster("c1")}---${simPool("p1", "c1", 1)}`;
export const LEGACY = `${simLegacyCluster("c1")}---${simPool("p1", "c1", 1)}`;
/** Three Machines in two failure domains, and a pool of Machines; templates with a field that can be changed. */
export const MACHINES = `${simClusterOfMachines("c1", 3)
  .replace(
    "spec: {}",
    "spec: { failureDomains: [{ name: a, controlPlane: true }, { name: b, controlPlane: true }] }",
  )
  .replace(
    /(kind: SimMachineTemplate\n.*\nspec: \{ template: \{ spec: )\{\}/,
    "$1{ bootDelaySeconds: 0, apiServerDelaySeconds: 0, nodeDelaySeconds: 0, nodeReadyDelaySeconds: 0 }",
  )}---${simPoolWithMachines("p1", "c1", 2)}---
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimMachinePoolTemplate
metadata: { name: p1 }
spec: { template: { spec: { bootDelaySeconds: 0 } } }
`;
/**
 * A finalizer that no controller takes away: the pool never goes. The control plane brings the endpoint, ten seconds after
 * its creation.
 */
export const HELD = POOL.replace(
  /kind: SimMachinePool\nmetadata: \{/,
  "$& finalizers: [test.capstan.dev/held],",
)
  .replace("spec: {}", "spec: { endpointMode: external }")
  .replace("spec: { version: v1.34.2 }", "spec: { version: v1.34.2, endpointMode: provider }")
  .replace(
    /kind: SimControlPlane\nmetadata: \{/,
    '$& annotations: { fault.sim.capstan.dev/initialized-after-seconds: "10" },',
  );

/** No name says that it is a control plane. */
const NAMED = new Map([
  ["controlplane.sim.capstan.dev/SimControlPlaneLegacy", { contractKind: "ControlPlane", isTemplate: false }],
] as const);

export const OF_POOLS = ["IMP-25", "IMP-29", "IMP-30", "IMP-33", "IC-20", "IC-21", "IC-23", "BC-20", "BC-22"];
export const OF_CONTROL_PLANES = ["CP-41", "CP-42", "CP-44", "CTL-39"];
export const OF_MACHINES = [
  "IMP-21",
  "IMP-28",
  "IM-23",
  "IM-24",
  "IM-25",
  "CP-23",
  "CP-37",
  "CP-38",
  "CP-39",
];

export interface Lived extends ProbeOutcome {
  /** The namespace still exists. */
  readonly isLeft: boolean;
}

/** Lives a life in a namespace, with the limits of a test. */
export async function lived(
  { kubeconfigFile }: { readonly kubeconfigFile: string },
  namespace: string,
  manifest: string,
  options: Partial<ProbeOptions> = {},
): Promise<Lived> {
  using server = createServer(await loadKubeconfig({ file: kubeconfigFile, env: {} }), {
    clock: systemClock,
  });
  const dir = testFolder("probe");
  const file = join(dir, `${namespace}.yaml`);
  await writeFile(file, manifest);
  const outcome = await probe(server, await readManifest(file), {
    clock: systemClock,
    limitMs: LIMIT_MS,
    restMs: REST_MS,
    mutation: undefined,
    named: NAMED,
    namespace,
    note: () => undefined,
    signal: new AbortController().signal,
    waivers: new Map(),
    ...options,
  });
  const isLeft = (await server.as("test").get(Namespace, { namespace: "", name: namespace })) !== undefined;
  return { ...outcome, isLeft };
}

/** `fail IC-23 SimCluster c1` */
export function broken({ findings }: ProbeOutcome): readonly string[] {
  const counted = findings.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  const texts = counted.map(
    ({ verdict, rule, object }) => `${verdict} ${rule} ${object.replace(/\S+\//, "")}`,
  );
  return [...new Set(texts)].toSorted(compareText);
}

export function passed({ findings }: ProbeOutcome): ReadonlySet<string> {
  return new Set(findings.flatMap(({ verdict, rule }) => (verdict === "pass" ? rule : [])));
}

/** Every rule is kept, and nothing is left. */
export function expectGood(outcome: Lived): void {
  expect([outcome.problems, broken(outcome), outcome.left, outcome.isLeft]).toEqual([[], [], [], false]);
}
