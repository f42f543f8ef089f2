import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeMove } from "../../../../../infra/cli/move/plan.ts";
import type { Server } from "../../../../../infra/platform/kube/client.ts";
import { readMovePlan } from "../../../../../infra/providers/clusterctl/move/read-plan.ts";
import { Secret } from "../../../../../shared/api/core.ts";
import type { Kind } from "../../../../../shared/api/kinds.ts";
import { MachineDrainRule } from "../../../../../shared/api/machine/machine-drain-rule.ts";
import { RemediationPolicy } from "../../../../../shared/api/remediation-policy.ts";
import {
  BLOCK_MOVE_ANNOTATION,
  DISCOVERED_LABEL,
  MOVE_HIERARCHY_LABEL,
  MOVE_LABEL,
} from "../../../../../shared/contract/clusterctl-marks.ts";
import { staysBehind } from "../../../../../shared/contract/rules/move/left-behind.ts";
import type { MoveSubject } from "../../../../../shared/contract/rules/move/subject.ts";
import { ensureNamespace, startSide, type TestSide } from "../../../../support/management-side.ts";
import { plant, type Seedling } from "../../../../support/planted.ts";
import { EMBEDDED } from "../../../../support/processes/api-servers.ts";
import { restingCluster } from "../../../../support/resting-cluster.ts";

const kind = (name: string, namespaced = true): Kind => ({
  group: "example.dev",
  version: "v1",
  kind: name,
  plural: `${name.toLowerCase()}s`,
  namespaced,
});
const CONFIG_MAP: Kind = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};
const SECRET = Secret as unknown as Kind;
const POLICY = RemediationPolicy as unknown as Kind;
const DRAIN_RULE = MachineDrainRule as unknown as Kind;
const WIDGET = kind("Widget");
const GADGET = kind("Gadget");
const IDENTITY = kind("Identity", false);
const MOVES = { metadata: { labels: { [MOVE_LABEL]: "" } } };

/** A Cluster at rest with some of its seedlings changed, by `Kind/name`. */
function rest(
  name: string,
  changes: { readonly [title: string]: Partial<Seedling> } = {},
): readonly Seedling[] {
  return restingCluster(name).map((each) => ({ ...each, ...changes[`${each.kind.kind}/${each.name}`] }));
}

/** The same, paused by its field. */
function paused(name: string): readonly Seedling[] {
  const [cluster] = restingCluster(name);
  const content = { spec: { ...(cluster?.content?.["spec"] as object | undefined), paused: true } };
  return rest(name, { [`Cluster/${name}`]: { content } });
}

describe("the rows of capstan move plan", () => {
  const stack = new AsyncDisposableStack();
  let source: TestSide;
  let target: TestSide;
  beforeAll(async () => {
    [source, target] = await Promise.all([startSide(EMBEDDED), startSide(EMBEDDED)]);
    stack.use(source);
    stack.use(target);
    await source.install(WIDGET, {});
    await source.install(GADGET);
    await source.install(IDENTITY, { [DISCOVERED_LABEL]: "", [MOVE_HIERARCHY_LABEL]: "" });
    await target.install(IDENTITY);
  });
  afterAll(() => stack.disposeAsync());

  const put = async (side: TestSide, namespace: string, seedlings: readonly Seedling[]) => {
    if (namespace !== "") await ensureNamespace(side.client, namespace);
    return plant(side.client, namespace, seedlings);
  };
  const planOf = (namespace: string, tries = false): Promise<MoveSubject> =>
    readMovePlan({ source: source.server, target: target.server }, { namespace, tries });
  /** Judgements of a rule beside `pass`, as `verdict object path: found`. */
  const said = (subject: MoveSubject, rule: string): readonly string[] =>
    judgeMove(subject)
      .filter((each) => each.rule === rule && each.verdict !== "pass")
      .map(({ verdict, object, path = "", found }) => `${verdict} ${object} ${path}: ${found}`);
  const findings = async (namespace: string, rule: string, tries = false): Promise<readonly string[]> =>
    said(await planOf(namespace, tries), rule);

  it("finds nothing in a Cluster at rest, and nothing of it stays", async () => {
    await put(source, "rest", rest("c1"));
    const subject = await planOf("rest", true);
    const verdicts = judgeMove(subject).filter(({ verdict }) => verdict === "fail" || verdict === "warn");
    expect(verdicts).toEqual([]);
    expect(staysBehind(subject)).toEqual([]);
    expect(subject.order.map(({ length }) => length)).toEqual([1, 5, 4, 2]);
  });

  it("says nothing is to move in a namespace that does not exist", async () => {
    const subject = await planOf("nowhere");
    expect(subject.order).toEqual([]);
    expect(judgeMove(subject).filter(({ verdict }) => verdict === "fail")).toEqual([]);
  });

  it("MV-01: names providers that the target lacks or has in an older version", async () => {
    const entry = { namespace: "capi-system", providerName: "cluster-api", type: "CoreProvider" };
    const sim = { namespace: "sim", providerName: "sim", type: "InfrastructureProvider" };
    await put(source, "provided", rest("c1"));
    expect(await findings("provided", "MV-01")).toEqual([
      "na Namespace provided : the inventory of the source is empty: clusterctl compares no provider",
    ]);
    await source.provide({ ...entry, name: "cluster-api", version: "v1.2.0" });
    await source.provide({ ...sim, name: "infrastructure-sim", version: "v1.0.0" });
    expect(await findings("provided", "MV-01")).toEqual([
      "fail Provider capi-system/cluster-api : not on the target",
      "fail Provider sim/infrastructure-sim : not on the target",
    ]);
    await target.provide({ ...entry, name: "cluster-api", version: "v1.2.0-rc.1" });
    await target.provide({ ...sim, name: "infrastructure-sim", version: "v1.1.0" });
    expect(await findings("provided", "MV-01")).toEqual([
      "fail Provider capi-system/cluster-api version: on the target v1.2.0-rc.1",
    ]);
  });

  it("MV-02: names kinds that the target does not serve in the version of the source, and CRDs without label", async () => {
    await put(source, "kinds", [...rest("c1"), { kind: GADGET, name: "g", ...MOVES }]);
    expect(await findings("kinds", "MV-02")).toEqual([
      "fail Gadget.example.dev : the target has no CRD of this kind",
    ]);
    await target.install({ ...GADGET, version: "v2" }, {});
    expect(await findings("kinds", "MV-02")).toEqual([
      "fail Gadget.example.dev spec.versions: the target serves v2",
    ]);
    const trinket = kind("Trinket");
    await source.install(trinket);
    await target.install(trinket, {});
    await put(source, "labels", [...rest("c1"), { kind: trinket, name: "t", ...MOVES }]);
    expect(await findings("labels", "MV-02")).toEqual([
      "warn Trinket.example.dev metadata.labels[clusterctl.cluster.x-k8s.io]: absent on the CRD of the target",
    ]);
  });

  it("MV-03: names every Cluster and Machine that is not finished, with the field", async () => {
    await put(source, "young", [
      ...rest("c1", {
        "Cluster/c1": { status: { initialization: { controlPlaneInitialized: true } } },
        "Machine/c1-set-1": { status: { phase: "Pending" } },
      }),
      ...rest("c2", {
        "Cluster/c2": {
          status: {
            ...restingCluster("c2")[0]?.status,
            initialization: { infrastructureProvisioned: true },
          },
        },
      }),
    ]);
    expect(await findings("young", "MV-03")).toEqual([
      "fail Cluster young/c1 status.initialization.infrastructureProvisioned: not true",
      "fail Cluster young/c1 status.conditions[ControlPlaneInitialized].status: absent",
      "fail Cluster young/c2 status.initialization.controlPlaneInitialized: not true",
      "fail Machine young/c1-set-1 status.nodeRef: absent",
    ]);
  });

  it("MV-04: names paused Clusters, and the command that unpauses each", async () => {
    const annotated = { annotations: { "cluster.x-k8s.io/paused": "" } };
    await put(source, "paused", [...paused("c1"), ...rest("c2", { "Cluster/c2": { metadata: annotated } })]);
    const subject = await planOf("paused");
    expect(said(subject, "MV-04")).toEqual([
      "fail Cluster paused/c1 spec.paused: set",
      "fail Cluster paused/c2 metadata.annotations[cluster.x-k8s.io/paused]: set",
    ]);
    const [first, second] = judgeMove(subject).filter(({ rule }) => rule === "MV-04");
    expect(first?.expected).toBe(
      `absent: kubectl patch cluster c1 -n paused --type=merge -p '{"spec":{"paused":null}}'`,
    );
    expect(second?.expected).toBe("absent: kubectl annotate cluster c2 -n paused cluster.x-k8s.io/paused-");
  });

  it("MV-04: says how far an interrupted move came, and what to do on which side", async () => {
    await put(source, "creating", paused("c1"));
    await put(target, "creating", paused("c1").slice(0, 5));
    expect(await findings("creating", "MV-04")).toContain(
      "fail Namespace creating : an earlier move stopped while it created: 5 of 12 objects of the source are on the target",
    );
    await put(source, "deleting", paused("c1").slice(0, 5));
    await put(target, "deleting", paused("c1"));
    expect(await findings("deleting", "MV-04")).toContain(
      "fail Namespace deleting : an earlier move stopped while it deleted: 5 of 5 objects of the source are on the target, 7 are on the target only",
    );
    await put(source, "awake", paused("c1"));
    const machines = rest("c1").filter(({ kind: { kind } }) => kind === "Machine");
    const made = machines.map((each) => ({ ...each, name: "made", owners: [] }));
    await put(target, "awake", [...rest("c1").slice(0, 5), ...made]);
    expect(await findings("awake", "MV-04")).toEqual([
      "fail Cluster awake/c1 spec.paused: set",
      "fail Cluster awake/c1 spec.paused: paused at the source, and running on the target: 5 of 12 objects of the source are on the target; only there: Machine awake/made",
    ]);
    await put(target, "resuming", paused("c1"));
    expect(await findings("resuming", "MV-04")).toEqual([
      "warn Cluster resuming/c1 spec.paused: paused on the target, absent at the source",
    ]);
  });

  it("MV-05, MV-08: names what stays although its owner moves, with its finalizers, and why it stays", async () => {
    const labels = { "cluster.x-k8s.io/cluster-name": "c1" };
    const metadata = { labels, finalizers: ["example.dev/cloud"] };
    await put(source, "orphans", [
      ...rest("c1"),
      { kind: WIDGET, name: "w", owners: ["Cluster/c1"], metadata },
    ]);
    const subject = await planOf("orphans");
    expect(said(subject, "MV-05")).toEqual([
      "fail Widget orphans/w metadata.ownerReferences: owner Cluster c1 moves; finalizers: example.dev/cloud",
    ]);
    expect(said(subject, "MV-08")).toEqual(["warn Widget orphans/w : stays: no CRD label"]);
    expect(staysBehind(subject)).toEqual([{ object: "Widget orphans/w", why: "no CRD label" }]);
  });

  it("MV-06: names what can never be placed: an owner that stays or is missing, a cycle, and what is below", async () => {
    const ghost = { apiVersion: "ghosts.example.dev/v1", kind: "Ghost", name: "g", uid: "no-such-uid" };
    await put(source, "stuck", [
      ...rest("c1"),
      { kind: WIDGET, name: "w" },
      { kind: CONFIG_MAP, name: "a", owners: ["Cluster/c1", "Widget/w"] },
      { kind: CONFIG_MAP, name: "below-a", owners: ["ConfigMap/a"] },
      { kind: CONFIG_MAP, name: "b", owners: ["Cluster/c1", ghost] },
      { kind: CONFIG_MAP, name: "c", owners: ["Cluster/c1", "ConfigMap/d"] },
      { kind: CONFIG_MAP, name: "d", owners: ["ConfigMap/c"] },
      { kind: CONFIG_MAP, name: "below-d", owners: ["ConfigMap/d"] },
    ]);
    const subject = await planOf("stuck");
    expect(said(subject, "MV-06")).toEqual([
      "fail ConfigMap stuck/a metadata.ownerReferences: owner Widget w stays",
      "fail ConfigMap stuck/b metadata.ownerReferences: owner Ghost g does not exist",
      "fail ConfigMap stuck/below-a metadata.ownerReferences: owner ConfigMap a stays too",
      "fail ConfigMap stuck/below-d metadata.ownerReferences: owner ConfigMap d stays too",
      "fail ConfigMap stuck/c metadata.ownerReferences: a cycle of owners, by ConfigMap d",
      "fail ConfigMap stuck/d metadata.ownerReferences: a cycle of owners, by ConfigMap c",
    ]);
    expect(staysBehind(subject).map(({ why }) => why)).toEqual(Array(6).fill("cannot be placed"));
  });

  it("MV-07: names references of what moves to what stays", async () => {
    const widgetRef = { apiGroup: "example.dev", kind: "Widget", name: "w" };
    const spec = { identityRef: { kind: "Secret", name: "credentials" }, other: { widgetRef } };
    await put(source, "named", [
      ...rest("c1").filter(({ name }) => name !== "c1-kubeconfig"),
      { kind: WIDGET, name: "w" },
      { kind: SECRET, name: "c1-kubeconfig", owners: ["Widget/w"] },
      { kind: SECRET, name: "credentials" },
      { kind: GADGET, name: "g", ...MOVES, content: { spec } },
    ]);
    expect(await findings("named", "MV-07")).toEqual([
      "warn Cluster named/c1 metadata.name: Secret named/c1-kubeconfig, which stays",
      "warn Gadget named/g spec.other.widgetRef: Widget named/w, which stays",
      "warn Gadget named/g spec.identityRef: Secret named/credentials, which stays",
    ]);
  });

  it("MV-08: says in a word why an object of a Cluster stays", async () => {
    const labels = { labels: { "cluster.x-k8s.io/cluster-name": "c1" } };
    await source.provide({
      namespace: "elsewhere",
      name: "infrastructure-other",
      providerName: "other",
      type: "InfrastructureProvider",
      version: "v1.0.0",
    });
    await put(source, "left", [
      ...rest("c1"),
      { kind: SECRET, name: "loose", metadata: labels },
      { kind: WIDGET, name: "w" },
      { kind: CONFIG_MAP, name: "owned", owners: ["Widget/w"], metadata: labels },
    ]);
    await put(source, "elsewhere", [{ kind: SECRET, name: "far", metadata: labels }]);
    const left = staysBehind(await planOf("left"));
    expect(left).toEqual([
      { object: "ConfigMap left/owned", why: "owner stays" },
      { object: "Secret elsewhere/far", why: "other namespace" },
      { object: "Secret left/loose", why: "no owner" },
    ]);
    expect(await findings("left", "MV-08")).toHaveLength(3);
  });

  it("MV-08: names a policy that no guard has reached yet, by the Cluster in its spec; drain rules move", async () => {
    await put(source, "limited", [
      ...rest("c1"),
      { kind: POLICY, name: "r1", content: { spec: { clusterName: "c1" } } },
      { kind: DRAIN_RULE, name: "d1", content: { spec: { drain: { behavior: "Skip" } } } },
    ]);
    const subject = await planOf("limited");
    expect(said(subject, "MV-08")).toContain("warn RemediationPolicy limited/r1 : stays: no owner");
    expect(subject.order[0]).toContain("MachineDrainRule limited/d1");
  });

  it("MV-04, MV-09: names a Cluster that is on both sides, and what is on the target with another content, overwritten or kept", async () => {
    await put(source, "twice", rest("c1"));
    const [cluster, infrastructure, controlPlane] = rest("c1");
    const other = { type: "cluster.x-k8s.io/secret", data: { value: btoa("another value") } };
    await put(
      target,
      "twice",
      [cluster, infrastructure, controlPlane]
        .flatMap((each) => each ?? [])
        .with(1, {
          ...(infrastructure as Seedling),
          metadata: { labels: { by: "hand" } },
        }),
    );
    await put(target, "twice", [{ kind: SECRET, name: "c1-ca", content: other }]);
    const region = (name: string) => ({ content: { spec: { region: name } } });
    await put(source, "", [{ kind: IDENTITY, name: "i", ...region("north") }]);
    await put(target, "", [{ kind: IDENTITY, name: "i", ...region("south") }]);
    const subject = await planOf("twice");
    const found = await source.client.get(IDENTITY, { namespace: "", name: "i" });
    const uid = found?.metadata.uid ?? "";
    await source.client.delete(IDENTITY, { namespace: "", name: "i" }, { uid });
    expect(said(subject, "MV-04")).toEqual([
      "warn Cluster twice/c1 : runs at the source, and is on the target too",
    ]);
    expect(said(subject, "MV-09")).toEqual([
      "warn Identity i : another content on the target, which is kept",
      "warn Secret twice/c1-ca : another content on the target, which is overwritten",
      "warn SimCluster twice/c1 : another content on the target, which is overwritten",
    ]);
  });

  it("MV-10, MV-11: counts what blocks the move, and the Clusters that go together", async () => {
    const blocks = { metadata: { annotations: { [BLOCK_MOVE_ANNOTATION]: "" } } };
    await put(source, "slow", [
      ...rest("c1", { "SimCluster/c1": blocks, "SimMachinePool/c1-pool": blocks }),
      ...rest("c2"),
    ]);
    const subject = await planOf("slow");
    const path = "metadata.annotations[clusterctl.cluster.x-k8s.io/block-move]";
    expect(said(subject, "MV-10")).toEqual([
      `warn SimCluster slow/c1 ${path}: set; 2 such objects wait up to 12 minutes in all`,
      `warn SimMachinePool slow/c1-pool ${path}: set; 2 such objects wait up to 12 minutes in all`,
    ]);
    expect(said(subject, "MV-11")).toEqual(["warn Namespace slow : 2 Clusters: c1, c2"]);
  });

  it("MV-12: asks the target for each object with --try only, and shows no value of a Secret", async () => {
    await put(source, "tried", rest("c1"));
    expect(await findings("tried", "MV-12")).toEqual(["na Namespace tried : asked for with --try only"]);
    expect(await findings("tried", "MV-12", true)).toEqual([
      "unknown Namespace tried : not on the target yet, so none of its objects can be tried there",
    ]);
    await ensureNamespace(target.client, "tried");
    expect(await findings("tried", "MV-12", true)).toEqual([]);
    const refuse = (plural: string, group: string) =>
      target.started.refuse({
        group,
        plural,
        verb: "create",
        by: "move-plan",
        unless: "false",
        message: "refused: hunter2",
        probe: ["version"],
      });
    const undo = [await refuse("secrets", ""), await refuse("simclusters", "infrastructure.sim.capstan.dev")];
    const refused = await findings("tried", "MV-12", true);
    for (const each of undo) await each();
    expect(refused.toSorted()).toEqual([
      "fail Secret tried/c1-ca : Forbidden (403)",
      "fail Secret tried/c1-kubeconfig : Forbidden (403)",
      "fail Secret tried/c1-pool-data : Forbidden (403)",
      "fail SimCluster tried/c1 : create SimCluster tried/c1: refused: hunter2",
    ]);
    const stored = await target.client.list(SECRET, { namespace: "tried" });
    expect(stored.items).toEqual([]);
  });

  it("MV-12: does not know about an object that is deleted after it was listed", async () => {
    await put(source, "going", rest("c1"));
    await ensureNamespace(target.client, "going");
    const as: Server["as"] = (...of) => {
      const client = source.server.as(...of);
      const get: typeof client.get = async (kind, key) =>
        key.name === "c1-ca" ? undefined : await client.get(kind, key);
      return { ...client, get };
    };
    const server = { ...source.server, as };
    const subject = await readMovePlan(
      { source: server, target: target.server },
      { namespace: "going", tries: true },
    );
    expect(said(subject, "MV-12")).toEqual([
      "unknown Secret going/c1-ca : it was deleted at the source since it was listed",
    ]);
  });
});
