import { describe, expect, it } from "vitest";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition, Node, Secret } from "../../../../shared/api/core.ts";
import { type Kind, type KubeObject, MANAGEMENT, refTo } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { Pod } from "../../../../shared/api/workload.ts";
import type { AnyDecision, AnyFunction } from "../../../../shared/function/define-function.ts";
import type { LiveReader, Reader } from "../../../../shared/function/reads.ts";
import { done } from "../../../../shared/function/result.ts";
import { checkReach, reachOf, withinReach } from "../../../../shared/runtime/decide/reach.ts";

const named = (kind: Kind, namespace: string | undefined, name = "x", more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: kind.kind,
  metadata: { name, namespace, uid: "u" },
  ...more,
});
const functionOf = (reconciles: Kind): AnyFunction =>
  ({ spec: { name: "machine-node", reconciles, watches: [], owns: [] } }) as unknown as AnyFunction;

const machine = named(Machine as Kind, "a", "m", { spec: { clusterName: "c1" } });
const reach = reachOf(functionOf(Machine as Kind), machine);

/** A server that has everything that is asked for, and lists what it is given. */
function serving(...listed: readonly KubeObject[]): Reader & { readonly asked: string[] } {
  const asked: string[] = [];
  const answer = (text: string, value: unknown) => {
    asked.push(text);
    return Promise.resolve(value as never);
  };
  const reads = (prefix: string) => ({
    get: (kind: Kind, { namespace, name }: { namespace: string; name: string }, cluster: string) =>
      answer(`${prefix}get ${cluster}`, named(kind, namespace, name)),
    list: (_kind: Kind, _selection: unknown, cluster: string) => answer(`${prefix}list ${cluster}`, listed),
    referenced: (_reference: unknown, namespace: string) =>
      answer(`${prefix}referenced ${namespace}`, { state: "missing" }),
  });
  const live = {
    ...reads("live "),
    secret: ({ namespace }: { namespace: string }) => answer(`live secret ${namespace}`, undefined),
  };
  return { asked, ...reads(""), live: live as unknown as LiveReader } as unknown as Reader & {
    readonly asked: string[];
  };
}

const key = (namespace: string, name = "x") => ({ namespace, name });
const reference = { apiGroup: "g", kind: "FooMachine", name: "x" };

describe("the reach of a run", () => {
  it("S-30, S-32: is the Namespace of its object, and the workload server of its Cluster", async () => {
    const cluster = named(Cluster as Kind, "a", "c2");
    expect(reachOf(functionOf(Cluster as Kind), cluster)).toMatchObject({ namespace: "a", workload: "a/c2" });
    expect(reach).toMatchObject({ namespace: "a", workload: "a/c1" });
    const server = serving(named(Machine as Kind, "a"));
    const read = withinReach(server, reach);
    await read.get(Machine, key("a"));
    await read.list(Machine, {});
    await read.referenced(reference, "a");
    await read.live.secret(key("a"));
    await read.live.get(Machine, key("a"));
    await read.live.list(Machine, { namespace: "a" });
    await read.live.referenced(reference, "a");
    await read.get(CustomResourceDefinition, key(""));
    await read.get(Node, key(""), "a/c1");
    expect(server.asked).toHaveLength(9);
    // Namespaces of a workload server are its own.
    const pods = serving(named(Pod as Kind, "kube-system"));
    expect(await withinReach(pods, reach).live.list(Pod, {}, "a/c1")).toHaveLength(1);
  });

  it.each<readonly [string, (read: Reader) => Promise<unknown>]>([
    ["an object", (read) => read.get(Machine, key("b"))],
    ["an object, live", (read) => read.live.get(Machine, key("b"))],
    ["a reference", (read) => read.referenced(reference, "b")],
    ["a reference, live", (read) => read.live.referenced(reference, "b")],
    ["a Secret", (read) => read.live.secret(key("b"))],
    ["a Node", (read) => read.get(Node, key(""), "b/c1")],
    ["a Node of its neighbour", (read) => read.live.get(Node, key(""), "a/c2")],
    ["Nodes of its neighbour", (read) => read.list(Node, {}, "a/c2")],
    ["Pods of its neighbour", (read) => read.live.list(Pod, {}, "a/c2")],
  ])("S-30, S-32: refuses %s elsewhere, before it is asked for", async (_, ask) => {
    const server = serving();
    await expect(ask(withinReach(server, reach))).rejects.toThrow(
      /^bug: machine-node reaches for .* foreign/,
    );
    expect(server.asked).toEqual([]);
  });

  it("S-30: refuses a list in which an object of another Namespace claims to belong", async () => {
    const read = withinReach(serving(named(Machine as Kind, "a"), named(Machine as Kind, "b")), reach);
    await expect(read.list(Machine, {})).rejects.toThrow(
      "machine-node reaches for Machine of the foreign Namespace b",
    );
    await expect(read.live.list(Machine, {})).rejects.toThrow("foreign Namespace b");
  });

  it.each<readonly [string, Omit<AnyDecision, "result">]>([
    ["patches", { patch: [{ target: refTo(Machine, named(Machine as Kind, "b")), operations: [] }] }],
    ["patches a Node", { patch: [{ target: refTo(Node, named(Node, undefined), "a/c2"), operations: [] }] }],
    ["applies", { applyOn: [{ target: refTo(Machine, named(Machine as Kind, "b")), body: {} }] }],
    ["deletes", { delete: [{ target: refTo(Machine, named(Machine as Kind, "b")) }] }],
    ["evicts", { evict: { pods: [{ target: refTo(Pod, named(Pod as Kind, "b"), "a/c2") }] } }],
    ["creates", { create: [{ cluster: MANAGEMENT, kind: Secret, object: named(Secret as Kind, "b") }] }],
    [
      "creates without Namespace",
      { create: [{ cluster: MANAGEMENT, kind: Secret, object: named(Secret, undefined) }] },
    ],
    ["issues", { issue: [{ secret: key("b") }] as unknown as NonNullable<AnyDecision["issue"]> }],
    [
      "reports",
      { events: [{ type: "Normal", reason: "R", message: "m", about: named(Machine as Kind, "b") }] },
    ],
  ])("S-30, S-32: refuses a decision that %s elsewhere", (_, decision) => {
    expect(() => checkReach(reach, { ...decision, result: done })).toThrow(
      /^bug: machine-node reaches for .* foreign/,
    );
  });

  it("an object without a Cluster reaches no workload server", () => {
    const lonely = reachOf(functionOf(Secret as Kind), named(Secret as Kind, "a"));
    expect(lonely.workload).toBeUndefined();
  });
});
