import type { Condition, DeprecatedCondition } from "../../shared/api/conditions.ts";
import type { Event } from "../../shared/api/core.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import { conditionOf, timestamp } from "../../shared/rules/conditions/conditions.ts";
import { JSON_PATCH } from "../infra/playground/apiserver/api-client.ts";
import { eventually } from "./eventually.ts";
import type { FooWorkload } from "./foo-workload.ts";
import { type Objects, objectsOf } from "./objects.ts";

const CAPI = "cluster.x-k8s.io/v1beta2";
const WITHIN = { withinMs: 60_000, stepMs: 200 };

/** A time so many seconds from now, as objects have it. */
export const inSeconds = (seconds: number) => timestamp(new Date(Date.now() + seconds * 1_000));

/** One Machine of Cluster foo. */
interface Handmade {
  readonly set: string;
  readonly labels?: { readonly [label: string]: string };
  readonly annotations?: { readonly [annotation: string]: string };
  readonly conditions?: readonly Condition[];
  readonly deprecated?: readonly DeprecatedCondition[];
}

/**
 * Machines whose whole status a test writes: nothing acts on them but health checks, and their controller never does.
 * Their Nodes have their names and are in an API server of their own.
 */
export interface HandmadeMachines {
  /** Machines of these names with healthy Nodes. */
  make(machine: Handmade, ...names: readonly string[]): Promise<void>;
  /** A health check of the Machines of the set of its name. */
  check(name: string, spec: object, metadata?: object): Promise<void>;
  /** A policy for the health check of its name. */
  policy(name: string, spec: object): Promise<unknown>;
  machine(name: string): Promise<Machine>;
  /** Condition of a Machine. */
  saidOf(name: string, type: string): Promise<Condition | undefined>;
  /** Status and reason of a condition in both families. */
  bothOf(name: string, type: string): Promise<readonly (string | undefined)[]>;
  /** Writes a condition of a Machine, whatever else is written at the same time; `undefined` takes it away. */
  say(
    name: string,
    family: "conditions" | "deprecated",
    type: string,
    says: object | undefined,
  ): Promise<void>;
  /** Says of these Nodes since a minute ago whether they are Ready, and nothing else. */
  nodes(ready: "True" | "False", ...names: readonly string[]): Promise<void>;
  /** Conditions of a Node, in place of those that it has. */
  nodeSays(name: string, ...conditions: readonly object[]): Promise<void>;
  /** `name: message` of the Events with this reason. */
  eventsOf(reason: string): Promise<readonly string[]>;
}

export async function handmadeMachines(objects: Objects, workload: FooWorkload): Promise<HandmadeMachines> {
  const inWorkload = objectsOf(workload.kubeconfigFile);
  const { metadata } = await objects.create("configmaps", { metadata: { name: "idle-owner" } });
  const controller = {
    apiVersion: "v1",
    kind: "ConfigMap",
    name: "idle-owner",
    uid: metadata.uid,
    controller: true,
  };

  const machine = (name: string) => objects.read<Machine>("machines", name);
  const nodeSays = (name: string, ...conditions: readonly object[]) =>
    inWorkload.change("nodes", `${name}/status`, { status: { conditions } });
  const nodes = async (ready: string, ...names: readonly string[]) => {
    const condition = { type: "Ready", status: ready, reason: "Kubelet", lastTransitionTime: inSeconds(-60) };
    await Promise.all(names.map((name) => nodeSays(name, condition)));
  };
  const makeOne = async ({ set, labels, annotations, conditions, deprecated }: Handmade, name: string) => {
    await inWorkload.create("nodes", { apiVersion: "v1", kind: "Node", metadata: { name } });
    await nodes("True", name);
    const all = { "cluster.x-k8s.io/cluster-name": "foo", set, ...labels };
    const infrastructureRef = { apiGroup: "infrastructure.foo.example.com", kind: "FooMachine", name };
    await objects.create("machines", {
      apiVersion: CAPI,
      kind: "Machine",
      metadata: { name, labels: all, annotations, ownerReferences: [controller] },
      spec: { clusterName: "foo", bootstrap: { dataSecretName: "none" }, infrastructureRef },
    });
    const older = deprecated && { v1beta1: { conditions: deprecated } };
    const status = { nodeRef: { name }, conditions, deprecated: older };
    await objects.change("machines", `${name}/status`, { status });
  };

  return {
    async make(one, ...names) {
      await Promise.all(names.map((name) => makeOne(one, name)));
    },
    async check(name, more, ofCheck = {}) {
      const spec = { clusterName: "foo", selector: { matchLabels: { set: name } }, ...more };
      const check = { apiVersion: CAPI, kind: "MachineHealthCheck", metadata: { name, ...ofCheck }, spec };
      await objects.create("machinehealthchecks", check);
    },
    policy: (name, more) =>
      objects.create("remediationpolicies", {
        apiVersion: "capstan.dev/v1alpha1",
        kind: "RemediationPolicy",
        metadata: { name },
        spec: { clusterName: "foo", healthChecks: [name], ...more },
      }),
    machine,
    saidOf: async (name, type) => conditionOf((await machine(name)).status?.conditions, type),
    async bothOf(name, type) {
      const { status } = await machine(name);
      const present = conditionOf(status?.conditions, type);
      const older = conditionOf(status?.deprecated?.v1beta1?.conditions, type);
      return [present?.status, present?.reason, older?.status, older?.reason];
    },
    async say(name, family, type, says) {
      await eventually(async () => {
        const { status } = await machine(name);
        const operations =
          family === "conditions"
            ? operationsOn("/status/conditions", status?.conditions, { type, says })
            : operationsOn("/status/deprecated/v1beta1/conditions", status?.deprecated?.v1beta1?.conditions, {
                type,
                says,
              });
        await objects.change("machines", `${name}/status`, operations, JSON_PATCH);
      }, WITHIN);
    },
    nodes,
    nodeSays,
    async eventsOf(reason) {
      const events = await objects.list<Event>("events", `fieldSelector=reason=${reason}`);
      return events.map(({ involvedObject, message }) => `${involvedObject.name}: ${message}`);
    },
  };
}

/** A JSON patch counts in a list that others change at the same time: it tests what was found there. */
function operationsOn(
  path: string,
  list: readonly (Condition | DeprecatedCondition)[] = [],
  { type, says }: { readonly type: string; readonly says: object | undefined },
): readonly object[] {
  const index = list.findIndex((one) => one.type === type);
  if (index < 0)
    return says === undefined ? [] : [{ op: "add", path: `${path}/-`, value: { type, ...says } }];
  const test = { op: "test", path: `${path}/${index}/type`, value: type };
  const value = { ...list[index], ...says };
  return [
    test,
    says === undefined
      ? { op: "remove", path: `${path}/${index}` }
      : { op: "replace", path: `${path}/${index}`, value },
  ];
}
