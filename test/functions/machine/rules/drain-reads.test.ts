import { describe, expect, it } from "vitest";
import {
  type Drained,
  readAttached,
  readPlan,
  readVolumes,
} from "../../../../functions/machine/rules/drain-reads.ts";
import { isBlocked } from "../../../../functions/machine/rules/drain-rules.ts";
import type { Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import { KubeError, WaitingError } from "../../../../shared/function/errors.ts";
import type { ListOptions, Reader } from "../../../../shared/function/reads.ts";
import { node } from "../../../support/builders.ts";
import {
  attachment,
  daemonSet,
  deletedMachine,
  namespace,
  ofDaemonSet,
  podOn,
  volume,
} from "../../../support/draining.ts";
import { NOW } from "../../../support/world.ts";

type Answer = readonly KubeObject[] | Error;

/** A drain whose lists are answered like this, by kind, with the lists that it asked for. */
function drainedWith(answers: { readonly [kind: string]: Answer }) {
  const asked: (readonly [string, ListOptions])[] = [];
  const list = async ({ kind }: Kind, options: ListOptions) => {
    asked.push([kind, options]);
    const answer = answers[kind] ?? [];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const read = { live: { list } } as unknown as Reader;
  const drained: Drained = {
    read,
    machine: deletedMachine(),
    owner: undefined,
    node: node("n1"),
    cluster: "default/c1",
    now: NOW,
  };
  return { drained, asked };
}

const refusal = (reason: string) => new KubeError({ class: "Transient", status: 404, reason, message: "no" });

describe("reads of a drain", () => {
  it("are one list of a Node without Pods, in pages of 100", async () => {
    const { drained, asked } = drainedWith({});
    await readPlan(drained);
    expect(asked).toEqual([["Pod", { fieldSelector: "spec.nodeName=n1", pageItems: 100, maxItems: 10_000 }]]);
  });

  it("are one list of each kind that decides, of nothing but what the Pods name", async () => {
    const Pod = [podOn("a"), podOn("b", ofDaemonSet("logs")), podOn("c", ofDaemonSet("logs"))];
    const { drained, asked } = drainedWith({
      Pod,
      Namespace: [namespace("apps")],
      DaemonSet: [daemonSet("logs")],
    });
    const plan = await readPlan(drained);
    expect(plan).toMatchObject({ evictNow: [{ metadata: { name: "a" } }], skipped: [{}, {}] });
    expect(asked.slice(1)).toEqual([
      ["Namespace", { where: { path: "metadata.name", values: ["apps"] } }],
      ["DaemonSet", { where: { path: "metadata.name", values: ["logs"] } }],
      ["MachineDrainRule", { namespace: "default", pageItems: 100, maxItems: 1_000 }],
    ]);
  });

  it("do without MachineDrainRules where their CRD is not installed", async () => {
    const lists = { Pod: [podOn("a")], Namespace: [namespace("apps")] };
    const missing = drainedWith({ ...lists, MachineDrainRule: refusal("TypeNotServed") });
    expect(await readPlan(missing.drained)).toMatchObject({ evictNow: [{ metadata: { name: "a" } }] });
    const refused = drainedWith({ ...lists, MachineDrainRule: refusal("Forbidden") });
    expect(await readPlan(refused.drained)).toEqual({ problem: "no" });
  });

  it("leave a server that is no longer connected to the runtime", async () => {
    const { drained } = drainedWith({ Pod: new WaitingError("Connection default/c1") });
    await expect(readPlan(drained)).rejects.toThrow("Connection default/c1");
  });

  it("ask for the Node and its VolumeAttachments at once: neither waits for the answer to the other", async () => {
    const asked: string[] = [];
    const gate = Promise.withResolvers<void>();
    const answer = <T>(what: string, value: T) => {
      asked.push(what);
      return gate.promise.then(() => value);
    };
    const live = { get: () => answer("Node", node("n1")), list: () => answer("VolumeAttachment", []) };
    const { drained } = drainedWith({});
    const attached = readAttached({ ...drained, read: { live } as unknown as Reader });
    expect(asked).toEqual(["Node", "VolumeAttachment"]);
    gate.resolve();
    expect(await attached).toEqual({ onNode: [], attachments: [] });
  });

  it("ask for PersistentVolumes by name, and by handle only those that are not found", async () => {
    const { drained, asked } = drainedWith({ PersistentVolume: [volume("v1")] });
    const onNode = ["kubernetes.io/csi/csi.dev^h-v1", "kubernetes.io/csi/csi.dev^h-v2", "other.io/x"];
    const found = await readVolumes(drained, { onNode, attachments: [attachment("a1", "v1")] });
    expect(isBlocked(found)).toBe(false);
    expect(asked).toEqual([
      ["PersistentVolume", { where: { path: "metadata.name", values: ["v1"] } }],
      ["PersistentVolume", { where: { path: "spec.csi.volumeHandle", values: ["h-v2"] } }],
    ]);
  });
});
