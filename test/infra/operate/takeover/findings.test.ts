import { describe, expect, it } from "vitest";
import type { Core } from "../../../../infra/operate/takeover/core.ts";
import { FAMILIES } from "../../../../infra/operate/takeover/families.ts";
import { judge, judgeBack } from "../../../../infra/operate/takeover/findings.ts";
import type { Scope, Survey } from "../../../../infra/operate/takeover/survey.ts";
import { toCrd } from "../../../../infra/platform/crds/crd.ts";
import type { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import type { CustomResourceDefinition } from "../../../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { MachineSet } from "../../../../shared/api/machineset.ts";
import { valueAt } from "../../../../shared/api/path.ts";

const FILTER = "cluster.x-k8s.io/watch-filter";
const STATUS = "openAPIV3Schema.properties.status.properties";
const SCOPE: Scope = {
  clusters: [],
  parkLease: false,
  core: { namespace: "capi-system", name: "capi-controller-manager" },
  filter: "capstan",
};
const PARKING: Scope = { ...SCOPE, parkLease: true };
const LEASE = {
  resourceVersion: "1",
  holder: "capi_1",
  parked: false,
  durationSeconds: 15,
  renewed: undefined,
};
const CORE: Core = {
  deployment: SCOPE.core,
  replicas: 2,
  filter: "capi",
  user: "system:serviceaccount:capi-system:capi-manager",
  managers: new Set(["manager"]),
  leaseKey: { namespace: "capi-system", name: "controller-leader-election-capi" },
  lease: LEASE,
};

function objectOf(kind: string, name: string, rest: { metadata?: object; spec?: object } = {}): KubeObject {
  const metadata = { name, namespace: "default", labels: { [FILTER]: "capi" }, ...rest.metadata };
  const spec = { clusterName: "demo", ...rest.spec };
  return { apiVersion: "cluster.x-k8s.io/v1beta2", kind, metadata, spec } as unknown as KubeObject;
}

/** A management cluster with the Cluster demo, which may change hands. */
function survey(changes: Partial<Survey> = {}, objects: readonly KubeObject[] = []): Survey {
  const cluster = objectOf("Cluster", "demo") as Cluster;
  const members = [cluster, ...objects].flatMap((object) => {
    const kind = FAMILIES.find((each) => each.kind === object.kind);
    return kind === undefined ? [] : [{ kind, object }];
  });
  return {
    core: CORE,
    clusters: [{ name: "default/demo", cluster, members, makers: [] }],
    definitions: new Map(
      FAMILIES.map((kind) => [kind.kind, toCrd(kind) as unknown as CustomResourceDefinition]),
    ),
    missingRights: [],
    ...changes,
  };
}

function failures(of: Survey, scope: Scope = SCOPE): readonly string[] {
  return judge(of, scope).flatMap(({ verdict, object, found }) =>
    verdict === "fail" ? [`${object}: ${found}`] : [],
  );
}

function warnings(of: Survey, scope: Scope = SCOPE): readonly string[] {
  return judge(of, scope).flatMap(({ verdict, object, found }) =>
    verdict === "warn" ? [`${object}: ${found}`] : [],
  );
}

describe("what stops a return", () => {
  it("is a manager that was retired", () => {
    const away = survey({ core: { ...CORE, replicas: 0 } });
    expect(judgeBack(survey(), SCOPE)).toEqual([]);
    expect(judgeBack(away, SCOPE)).toMatchObject([{ verdict: "fail", found: "has no replica" }]);
  });
});

describe("what stops a take-over", () => {
  it("is nothing where Cluster API's manager has a filter, or has two replicas and elects a leader", () => {
    expect(judge(survey(), SCOPE)).toEqual([]);
    const unfiltered = survey({ core: { ...CORE, filter: undefined } }, []);
    const unlabelled = {
      ...unfiltered,
      clusters: unfiltered.clusters.map((each) => ({ ...each, members: [] })),
    };
    expect(judge(unlabelled, PARKING)).toEqual([]);
  });

  it("CRDs that are absent, serve another version, or lack fields", () => {
    const machineSet = FAMILIES.find(({ kind }) => kind === "MachineSet");
    const crd = machineSet === undefined ? undefined : toCrd(machineSet);
    const spec = crd?.spec as { versions: readonly { schema: object }[] };
    const [version] = spec.versions;
    const withCrd = (found: unknown) =>
      survey({
        definitions: new Map([...survey().definitions, ["MachineSet", found as CustomResourceDefinition]]),
      });
    const name = "CustomResourceDefinition machinesets.cluster.x-k8s.io";
    expect(failures(withCrd(undefined))).toEqual([`${name}: does not exist`]);
    const old = { ...crd, spec: { ...spec, versions: [{ ...version, name: "v1beta1" }] } };
    expect(failures(withCrd(old))).toEqual([
      `${name}: serves v1beta1, and Capstan needs cluster.x-k8s.io/v1beta2`,
    ]);
    const bare = { openAPIV3Schema: { properties: { metadata: {}, apiVersion: {}, kind: {}, spec: {} } } };
    const poor = { ...crd, spec: { ...spec, versions: [{ ...version, schema: bare }] } };
    expect(failures(withCrd(poor))[0]).toMatch(/v1beta2 lacks spec\.\w+, .*more$/);
    const schema = structuredClone(version?.schema ?? {});
    Reflect.deleteProperty(valueAt(schema, STATUS) as object, "versions");
    const earlier = withCrd({ ...crd, spec: { ...spec, versions: [{ ...version, schema }] } });
    expect(failures(earlier)).toEqual([]);
    expect(warnings(earlier)).toEqual([`${name}: v1beta2 lacks status.versions`]);
  });

  it("a topology, which Capstan does not run", () => {
    const cluster = objectOf("Cluster", "demo", { spec: { topology: {} } }) as Cluster;
    const topology = { clusters: [{ name: "default/demo", cluster, members: [], makers: [] }] };
    for (const scope of [SCOPE, PARKING])
      expect(failures(survey(topology), scope)).toEqual([
        "Cluster default/demo: has a topology, which Cluster API's manager keeps",
      ]);
  });

  it("a set whose Machines Cluster API's manager moves, and a Machine that it updates in place", () => {
    const marked = (kind: Kind, mark: string, name: string, filter = "capi") => {
      const annotations = { [`in-place-updates.internal.cluster.x-k8s.io/${mark}`]: "web-bbbbb" };
      const metadata = { annotations, labels: { [FILTER]: filter } };
      return { kind, object: objectOf(kind.kind, name, { metadata }) };
    };
    const [demo] = survey().clusters;
    const members = [
      ...(demo?.members ?? []),
      marked(MachineSet as Kind, "move-machines-to-machineset", "web-aaaaa"),
      marked(Machine as Kind, "update-in-progress", "web-1"),
      marked(Machine as Kind, "update-in-progress", "web-2", "capstan"),
    ];
    const clusters = demo === undefined ? [] : [{ ...demo, members }];
    expect(failures(survey({ clusters }))).toContain(
      "Cluster default/demo: is updated in place: MachineSet web-aaaaa, Machine web-1",
    );
    expect(warnings(survey({ clusters }))).toEqual([
      "Cluster default/demo: is updated in place: Machine web-2",
    ]);
  });

  it("what makes Machines and has no labels for them is named, with the label that they need", () => {
    const [demo] = survey().clusters;
    const [title, object] = ["OddControlPlane default/cp", objectOf("KubeadmControlPlane", "cp")];
    const template = { kind: Machine as Kind, object };
    const makers = [{ title }, { title: "KubeadmControlPlane default/cp", template }];
    const clusters = demo === undefined ? [] : [{ ...demo, makers }];
    expect(warnings(survey({ clusters }))).toEqual([
      `Cluster default/demo: ${title} makes Machines and has no labels for them`,
    ]);
  });

  it("is a manager without a filter, with the filter of Capstan, without a Lease, or none", () => {
    const core = (changes: Partial<Core>) => survey({ core: { ...CORE, ...changes }, clusters: [] });
    const name = "Deployment capi-system/capi-controller-manager";
    expect(failures(core({ filter: undefined }))).toEqual([
      `${name}: has no --watch-filter, so it works on every object`,
    ]);
    expect(failures(core({ filter: "capstan" }))).toEqual([
      `${name}: has Capstan's own --watch-filter capstan`,
    ]);
    expect(failures(survey({ core: undefined, clusters: [] }))).toEqual([`${name}: does not exist`]);
    expect(failures(core({ lease: undefined }), PARKING)).toEqual([
      "Lease capi-system/controller-leader-election-capi: does not exist",
    ]);
    expect(warnings(core({ replicas: 1, lease: { ...LEASE, holder: "" } }), PARKING)).toEqual([
      "Lease capi-system/controller-leader-election-capi: is free: no manager leads now",
      `${name}: has one replica: no webhook answers while it restarts`,
    ]);
  });

  it("is a Lease that is parked already, unless all Clusters follow", () => {
    const parked = survey({
      core: { ...CORE, lease: { ...LEASE, parked: true, holder: "capstan-takeover" } },
    });
    expect(failures(parked)).toEqual([
      "Lease capi-system/controller-leader-election-capi: is parked by a take-over of all Clusters",
    ]);
    expect(failures(parked, PARKING)).toEqual([]);
    const one = { ...PARKING, clusters: ["default/demo"] };
    expect(judgeBack(parked, one).map(({ object }) => object)).toEqual(["a parked Lease"]);
  });

  it("is an object that a third controller has, a right that is missing, a Cluster that is not there", () => {
    const blue = objectOf("Machine", "m1", { metadata: { labels: { [FILTER]: "blue" } } });
    expect(failures(survey({}, [blue]))).toEqual([
      `Cluster default/demo: label ${FILTER}=blue on Machine m1`,
    ]);
    const rights = ["patch machines.cluster.x-k8s.io"];
    expect(failures(survey({ missingRights: rights }))).toEqual([
      "this account: lacks the right to patch machines.cluster.x-k8s.io",
    ]);
    expect(failures(survey(), { ...SCOPE, clusters: ["default/nil"] })).toEqual([
      "Cluster default/nil: does not exist",
    ]);
  });

  it("is not what a user has paused: it changes hands and stays paused", () => {
    const held = objectOf("Machine", "m1", { metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } });
    expect(failures(survey({}, [held]))).toEqual([]);
    expect(warnings(survey({}, [held]))).toEqual(["Cluster default/demo: is paused by a user: Machine m1"]);
  });
});
