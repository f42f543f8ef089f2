import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { Deployment } from "../../infra/operate/takeover/core.ts";
import { allMembers } from "../../infra/operate/takeover/families.ts";
import type { ServerClient } from "../../infra/platform/kube/verbs.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { WATCH_FILTER_LABEL } from "../../shared/api/indexes.ts";
import { apiVersionOf, type Kind, type KubeObject } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import { escapePointer, valueAt } from "../../shared/api/path.ts";
import { createSet, prepareMachineClusters, startProvider } from "../bench/ready-machines.ts";
import { createPool, objectOf, preparePool } from "../bench/ready-pools.ts";
import { eventually } from "./eventually.ts";

const MACHINES = 2;
const WITHIN = { withinMs: 240_000, stepMs: 250 };
const EDITED = "example.org/edit";
/** Between two edits: a bench measures this pace. */
const EDIT_MS = 100;

/** Clusters of a MachineSet with two Machines, a pool of one and a health check, whose provider is ready. */
interface Fleet extends AsyncDisposable {
  /** `default/<name>` of each Cluster. */
  readonly names: readonly string[];
  /** Changes the template of one set after the other, whose Machines get it in place, until the result is disposed. */
  edit(everyMs?: number): AsyncDisposable;
  /** Waits until the newest edit of every set has arrived on its Machines. */
  untilEdited(): Promise<void>;
  /** Uids of everything, sorted. */
  uids(): Promise<readonly string[]>;
}

/** Creates them, and waits until the controllers that are there have brought all of it to Running. */
export async function startFleet(
  client: ServerClient,
  {
    clusters,
    label,
    kubeconfig,
  }: { readonly clusters: number; readonly label?: string; readonly kubeconfig: string },
): Promise<Fleet> {
  const names = Array.from({ length: clusters }, (_, at) => `fleet-${at}`);
  await prepareMachineClusters(client, names, kubeconfig);
  const provider = startProvider(client);
  for (const name of names) {
    await preparePool(client, `${name}-pool`, 1);
    await createPool(client, `${name}-pool`, 1, name);
    await createSet(client, name, name, MACHINES);
    await client.create(MachineHealthCheck as Kind, healthCheck(name));
    if (label !== undefined) await labelAll(client, name, label);
  }
  await eventually(async () => {
    const [{ items: machines }, { items: pools }] = await Promise.all([
      client.list(Machine as Kind, {}),
      client.list(MachinePool as Kind, {}),
    ]);
    const phases = [...machines, ...pools].map((object) => valueAt(object, "status.phase"));
    expect(phases).toEqual(Array.from({ length: clusters * (MACHINES + 1) }, () => "Running"));
  }, WITHIN);
  let edits = 0;
  return {
    names: names.map((name) => `default/${name}`),
    edit(everyMs = EDIT_MS) {
      const abort = new AbortController();
      const editing = (async () => {
        while (!abort.signal.aborted) {
          await editSet(client, names[edits % names.length] ?? "", edits + 1);
          edits += 1;
          await setTimeout(everyMs);
        }
      })();
      return {
        async [Symbol.asyncDispose]() {
          abort.abort();
          await editing;
        },
      };
    },
    async untilEdited() {
      await eventually(async () => {
        const { items: sets } = await client.list(MachineSet as Kind, {});
        const { items: machines } = await client.list(Machine as Kind, {});
        for (const set of sets) {
          const wanted = valueAt(set, `spec.template.metadata.annotations[${EDITED}]`);
          const own = machines.filter(({ metadata }) =>
            metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid),
          );
          expect(own.map(({ metadata }) => metadata.annotations?.[EDITED])).toEqual([wanted, wanted]);
        }
      }, WITHIN);
    },
    async uids() {
      return (await allMembers(client)).map(({ object }) => object.metadata.uid ?? "").toSorted();
    },
    async [Symbol.asyncDispose]() {
      provider[Symbol.dispose]();
    },
  };
}

/** The Deployment of Cluster API's manager, which runs as a process here. */
export function coreDeployment(args: readonly string[], replicas = 2): KubeObject {
  const labels = { "control-plane": "controller-manager" };
  return {
    apiVersion: apiVersionOf(Deployment),
    kind: Deployment.kind,
    metadata: { name: "capi-controller-manager", namespace: "capi-system" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "capi-manager",
          containers: [{ name: "manager", image: "example.org/core", command: ["/capi-manager"], args }],
        },
      },
    },
  } as unknown as KubeObject;
}

async function editSet(client: ServerClient, name: string, edit: number): Promise<void> {
  const path = "/spec/template/metadata/annotations";
  await client
    .jsonPatch(MachineSet as Kind, { namespace: "default", name }, [
      { op: "add", path, value: { [EDITED]: String(edit) } },
    ])
    // The webhook of a manager that restarts does not answer; the next edit comes.
    .catch(() => undefined);
}

async function labelAll(client: ServerClient, name: string, value: string): Promise<void> {
  const label = escapePointer(WATCH_FILTER_LABEL);
  const own = { op: "add", path: "/metadata/labels", value: { [WATCH_FILTER_LABEL]: value } } as const;
  const template = { op: "add", path: `/spec/template/metadata/labels/${label}`, value } as const;
  const of = (key: string) => ({ namespace: "default", name: key });
  await client.jsonPatch(MachineSet as Kind, of(name), [own, template]);
  await client.jsonPatch(MachinePool as Kind, of(`${name}-pool`), [own]);
  await client.jsonPatch(MachineHealthCheck as Kind, of(name), [own]);
  await client.jsonPatch(Cluster as Kind, of(name), [own]);
}

function healthCheck(name: string): KubeObject {
  return {
    ...objectOf(MachineHealthCheck as Kind, name),
    spec: {
      clusterName: name,
      selector: { matchLabels: { "bench.capstan.dev/set": name } },
      checks: { unhealthyNodeConditions: [{ type: "Ready", status: "Unknown", timeoutSeconds: 600 }] },
    },
  } as KubeObject;
}
