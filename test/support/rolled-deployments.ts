import { expect } from "vitest";
import type { Event } from "../../shared/api/core.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../shared/api/machineset.ts";
import { eventually } from "./eventually.ts";
import type { Objects } from "./objects.ts";

export const REVISION = "machinedeployment.clusters.x-k8s.io/revision";

/** Parts of a deployment's spec whose change is a rollout: another version, another template of infrastructure machines. */
export const OTHER_VERSION = { template: { spec: { version: "v1.34.3" } } };
export const templateOf = (name: string) => ({ template: { spec: { infrastructureRef: { name } } } });

/** Machines of this template never become ready. */
export const brokenTemplate = (name: string) => `
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimMachineTemplate
metadata: { name: ${name}, namespace: default }
spec: { template: { spec: { nodeReadyDelaySeconds: 3600 } } }
`;

const WITHIN = { withinMs: 120_000, stepMs: 300 };

/** Looks at MachineDeployments and what they have made, and edits them. */
export interface RolledDeployments {
  readonly objects: Objects;
  deployment(name: string): Promise<MachineDeployment>;
  /** The oldest first. */
  setsOf(name: string): Promise<readonly MachineSet[]>;
  machinesOf(name: string): Promise<readonly Machine[]>;
  /** Sizes of its sets, the oldest first. */
  sizesOf(name: string): Promise<readonly (number | undefined)[]>;
  /** Messages of its Events with these reasons, in the order in which they came. */
  eventsOf(name: string, ...reasons: readonly string[]): Promise<readonly string[]>;
  edit(name: string, spec: object): Promise<void>;
  /** Returns the only set, once it has so many Machines, all available and up to date. */
  rolledOut(name: string, replicas: number): Promise<MachineSet>;
}

export function rolledDeployments(objects: Objects): RolledDeployments {
  const label = (name: string) => `labelSelector=cluster.x-k8s.io/deployment-name=${name}`;
  const deployment = (name: string) => objects.read<MachineDeployment>("machinedeployments", name);
  const setsOf = async (name: string) => {
    const sets = await objects.list<MachineSet>("machinesets", label(name));
    return sets.toSorted((a, b) => numberOf(a) - numberOf(b));
  };
  return {
    objects,
    deployment,
    setsOf,
    machinesOf: (name) => objects.list<Machine>("machines", label(name)),
    sizesOf: async (name) => (await setsOf(name)).map(({ spec }) => spec.replicas),
    async eventsOf(name, ...reasons) {
      const events = await objects.list<Event>("events", `fieldSelector=involvedObject.name=${name}`);
      return events
        .filter(
          ({ involvedObject, reason }) =>
            involvedObject.kind === "MachineDeployment" && reasons.includes(reason),
        )
        .toSorted((a, b) => versionOf(a) - versionOf(b))
        .map(({ message }) => message);
    },
    edit: (name, spec) => objects.change("machinedeployments", name, { spec }),
    rolledOut: (name, replicas) =>
      eventually(async () => {
        const [set, ...others] = await setsOf(name);
        expect(others).toEqual([]);
        const { metadata, status } = await deployment(name);
        expect(status).toMatchObject({
          observedGeneration: metadata.generation,
          replicas,
          availableReplicas: replicas,
          upToDateReplicas: replicas,
        });
        if (set === undefined) throw new Error(`${name} has no set`);
        expect(set.spec.replicas).toBe(replicas);
        return set;
      }, WITHIN),
  };
}

/** Creation times have whole seconds, revisions distinguish sets of one second. */
function numberOf({ metadata }: MachineSet): number {
  const revision = Number(metadata.annotations?.[REVISION]);
  return Date.parse(metadata.creationTimestamp ?? "") + revision;
}

function versionOf({ metadata }: Event): number {
  return Number(metadata.resourceVersion);
}
