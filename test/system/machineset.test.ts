import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { systemClock } from "../../infra/platform/clock.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachineSet } from "../../shared/api/machineset.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually, holds } from "../support/eventually.ts";
import { FOO_CLUSTER, FOO_MACHINE_PROVIDER, FOO_PROVIDER, fooSet } from "../support/foo-provider.ts";
import { patch, patchStatus } from "../support/foo-workload.ts";
import { anywhere, ownNamespace } from "../support/own-namespace.ts";
import { JUDGES, type TestServer } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };

const KINDS = `${FOO_PROVIDER}---${FOO_MACHINE_PROVIDER}`;
const ESTABLISHED = "wait crd --all --for=condition=Established --timeout=240s";

/** Cluster foo with a stable control plane, without its pool, in a namespace of its own. */
async function startScene(server: TestServer, namespace: string) {
  const { kubectl, apply } = await ownNamespace(server.kubeconfigFile, namespace);
  await apply(FOO_CLUSTER.split("---").slice(0, 3).join("---"));
  await patchStatus(kubectl, "foocontrolplane/foo-cp", { versions: [{ version: "v1.34.2", replicas: 1 }] });
  return { kubectl, apply, madeMachines: () => madeMachines(server, namespace) };
}

async function listed<T>(kubectl: Kubectl, kinds: string): Promise<readonly T[]> {
  return JSON.parse(await kubectl(`get ${kinds} -o json`)).items;
}

async function setOf(kubectl: Kubectl): Promise<MachineSet> {
  return JSON.parse(await kubectl("get machineset/foo-set -o json"));
}

function conditionText({ status }: MachineSet, type: string): string {
  const found = status?.conditions?.find((condition) => condition.type === type);
  return `${found?.status} ${found?.message}`;
}

/** Machines that were made in a namespace so far: those that are gone count, too. */
async function madeMachines(server: TestServer, namespace: string): Promise<number> {
  const requests = (await server.requests()).filter((request) => request.namespace === namespace);
  return requests.filter(
    ({ verb, resource, code }) => verb === "create" && resource === "machines" && code === 201,
  ).length;
}

/** All of a set is there: Machines, their objects, no reservation, and the status says so. */
async function isWhole(kubectl: Kubectl, replicas: number): Promise<void> {
  const objects = await listed<KubeObject>(kubectl, "machinesets,machines,fooconfigs,foomachines");
  const of = (kind: string) => objects.filter((object) => object.kind === kind);
  const set = of("MachineSet")[0] as MachineSet | undefined;
  expect(set?.status?.replicas).toBe(replicas);
  expect(set?.metadata.annotations?.["capstan.dev/machine-reservation"]).toBeUndefined();
  for (const kind of ["Machine", "FooConfig", "FooMachine"]) expect(of(kind)).toHaveLength(replicas);
}

/** Writes as a health check does on a Machine that its owner has to replace. */
async function handOver(kubectl: Kubectl, name: string): Promise<void> {
  const { status } = JSON.parse(await kubectl(`get machine/${name} -o json`)) as Machine;
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const failed = { status: "False", reason: "NodeNotReady", message: "", lastTransitionTime };
  const handed = ["HealthCheckSucceeded", "OwnerRemediated"].map((type) => ({ type, ...failed }));
  const others = (status?.conditions ?? []).filter(({ type }) => !handed.some((each) => each.type === type));
  await patchStatus(kubectl, `machine/${name}`, { conditions: [...others, ...handed] });
}

/**
 * Makes MachineDeployment `md` with the template of this set, whose controller it becomes; at most one remediation at a
 * time, and no rollout.
 */
async function deployed(kubectl: Kubectl, manifest: string): Promise<string> {
  const [set, ...templates] = parseAllDocuments(manifest).map((document) => document.toJS());
  const annotations = { "machinedeployment.clusters.x-k8s.io/revision": "1" };
  const { apiVersion, spec } = set;
  const kind = "MachineDeployment";
  const deployment = {
    apiVersion,
    kind,
    metadata: { name: "md", annotations },
    spec: { ...spec, paused: true, remediation: { maxInFlight: 1 } },
  };
  await kubectl("apply -f -", JSON.stringify(deployment));
  const uid = await kubectl("get machinedeployment/md -o jsonpath={.metadata.uid}");
  const ownerReferences = [{ apiVersion, kind, name: "md", uid, controller: true, blockOwnerDeletion: true }];
  set.metadata = { ...set.metadata, annotations, ownerReferences };
  return JSON.stringify({ apiVersion: "v1", kind: "List", items: [set, ...templates] });
}

/** A clock that is this much ahead of that of the API server. */
function aheadOfTime(byMs: number): Clock {
  return { ...systemClock, now: () => new Date(systemClock.now().getTime() + byMs) };
}

const HAND_MADE = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: by-hand
  labels: { tier: a, cluster.x-k8s.io/cluster-name: foo, cluster.x-k8s.io/set-name: foo-set }
spec:
  clusterName: foo
  bootstrap: { dataSecretName: by-hand }
  infrastructureRef: { apiGroup: infrastructure.foo.example.com, kind: FooMachine, name: by-hand }
---
apiVersion: infrastructure.foo.example.com/v1
kind: FooMachine
metadata: { name: by-hand }
spec: { size: small }
`;

type Change = (manifest: string) => string;
const REFUSED: readonly (readonly [Change, string])[] = [
  [(text) => text.replace("replicas: 1", "replicas: -1"), "spec.replicas"],
  [
    (text) => text.replace("matchLabels: { tier: a }", "matchLabels: { tier: b }"),
    "selector.matchLabels does not match template.metadata.labels",
  ],
  [
    (text) => text.replace("replicas: 1", "replicas: 1\n  machineNaming: { template: a }"),
    "machineNaming.template",
  ],
  [
    (text) =>
      text.replace(
        "version: v1.34.2",
        "version: v1.34.2\n      taints: [{ key: node.kubernetes.io/x, effect: NoSchedule, propagation: Always }]",
      ),
    "spec.template.spec.taints",
  ],
];

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(`a MachineSet on ${flavour.name}`, () => {
    describe("in a namespace of its own", { concurrent: true }, () => {
      const stack = new AsyncDisposableStack();
      let server: TestServer;
      beforeAll(async () => {
        server = stack.use(await flavour.start());
        stack.use(await startCapstan(server.kubeconfigFile, { roles: ["relay", "worker"] }));
        const kubectl = kubectlFor(server.kubeconfigFile);
        await kubectl("apply -f -", KINDS);
        await kubectl(ESTABLISHED);
      });
      afterAll(() => stack.disposeAsync());

      it("becomes Machines with a config and an infrastructure machine each, grows, shrinks and goes", async () => {
        const { kubectl, apply, madeMachines } = await startScene(server, "whole");
        await apply(fooSet(3));
        await eventually(() => isWhole(kubectl, 3), WITHIN);

        const machines = await listed<Machine>(kubectl, "machines");
        const [infrastructure] = await listed<Machine>(kubectl, "foomachines");
        expect(infrastructure).toMatchObject({
          metadata: {
            labels: { tier: "a", from: "template", "cluster.x-k8s.io/set-name": "foo-set" },
            annotations: { note: "one", "cluster.x-k8s.io/cloned-from-name": "foo-set" },
            ownerReferences: [{ kind: "Machine", controller: true, blockOwnerDeletion: true }],
          },
          spec: { size: "small" },
        });
        const [machine] = machines;
        expect(machine).toMatchObject({
          metadata: { finalizers: ["machine.cluster.x-k8s.io"], ownerReferences: [{ kind: "MachineSet" }] },
          spec: {
            version: "v1.34.2",
            bootstrap: { configRef: { kind: "FooConfig", name: machine?.metadata.name } },
            infrastructureRef: { kind: "FooMachine", name: machine?.metadata.name },
          },
        });
        const template = "get foomachinetemplate/foo-set -o jsonpath={.metadata.ownerReferences[0].kind}";
        expect(await kubectl(template)).toBe("Cluster");
        expect(await madeMachines()).toBe(3);
        await eventually(async () => {
          expect(await kubectl("get ms foo-set")).toMatch(/foo-set +foo +3 +3 +0 +0 +\d+ +\d+s +v1.34.2\n/);
        }, WITHIN);

        await kubectl("scale machineset/foo-set --replicas=5");
        await eventually(() => isWhole(kubectl, 5), WITHIN);
        expect(await madeMachines()).toBe(5);

        await patch(kubectl, "machineset/foo-set", {
          spec: { template: { metadata: { labels: { zone: "z" }, annotations: { note: null } } } },
        });
        await eventually(async () => {
          for (const kind of ["machines", "fooconfigs", "foomachines"]) {
            const objects = await listed<Machine>(kubectl, kind);
            expect(objects.map(({ metadata }) => metadata.labels?.["zone"])).toEqual(Array(5).fill("z"));
            expect(objects.some(({ metadata }) => metadata.annotations?.["note"] === "one")).toBe(false);
          }
        }, WITHIN);

        await kubectl("scale machineset/foo-set --replicas=2");
        await eventually(() => isWhole(kubectl, 2), WITHIN);
        await kubectl("delete machineset/foo-set --timeout=240s");
        for (const kind of ["machines", "fooconfigs", "foomachines"]) {
          await eventually(async () => expect(await listed(kubectl, kind)).toEqual([]), WITHIN);
        }
        expect(await madeMachines()).toBe(5);
      });

      it("costs one Machine while its objects are refused, says why, and is whole once corrected", async () => {
        const { kubectl, apply, madeMachines } = await startScene(server, "refused");
        await apply(fooSet(4, "huge"));
        await eventually(async () => {
          const events = await kubectl("get events --field-selector involvedObject.name=foo-set");
          expect(events).toContain('Unsupported value: "huge"');
        }, WITHIN);
        await holds(async () => expect(await listed(kubectl, "machines")).toHaveLength(1), {
          forMs: 1_000,
          stepMs: 100,
        });

        await patch(kubectl, "foomachinetemplate/foo-set", {
          spec: { template: { spec: { size: "large" } } },
        });
        await eventually(() => isWhole(kubectl, 4), WITHIN);
        expect(await madeMachines()).toBe(4);
      });

      it("makes nothing while the control plane is upgraded or a template is missing, and says so", async () => {
        const { kubectl, apply } = await startScene(server, "upgraded");
        await patch(kubectl, "foocontrolplane/foo-cp", { spec: { version: "v1.35.0" } });
        const [set = "", infrastructure = "", bootstrap = ""] = fooSet(2).split("---");
        await apply(set);
        await eventually(async () => {
          expect(conditionText(await setOf(kubectl), "ScalingUp")).toBe(
            'True Scaling up from 0 to 2 replicas is blocked because:\n* FooControlPlane upgraded/foo-cp is upgrading ("ControlPlaneIsStable" preflight check failed)\n* FooConfigTemplate and FooMachineTemplate do not exist',
          );
        }, WITHIN);
        await patchStatus(kubectl, "foocontrolplane/foo-cp", {
          versions: [{ version: "v1.35.0", replicas: 1 }],
        });
        await apply(infrastructure);
        await eventually(async () => {
          expect(conditionText(await setOf(kubectl), "ScalingUp")).toMatch(
            /because:\n\* FooConfigTemplate does not exist$/,
          );
        }, WITHIN);
        expect(await listed(kubectl, "machines")).toEqual([]);
        await apply(bootstrap);
        await eventually(() => isWhole(kubectl, 2), WITHIN);
      });

      it("adopts a Machine that was made by hand, and replaces it when a health check hands it over", async () => {
        const { kubectl, apply, madeMachines } = await startScene(server, "adopted");
        await apply(HAND_MADE);
        await apply(fooSet(1));
        await eventually(async () => {
          expect((await setOf(kubectl)).status?.replicas).toBe(1);
          const owner = "get machine/by-hand -o jsonpath={.metadata.ownerReferences[*].name}";
          expect(await kubectl(owner)).toContain("foo-set");
        }, WITHIN);
        expect(await madeMachines()).toBe(1);
        await eventually(async () => {
          const events = await kubectl("get events --field-selector involvedObject.name=foo-set");
          expect(events).toContain('Adopted Machine "by-hand"');
          expect(events).not.toContain("FailedAdopt");
        }, WITHIN);

        await handOver(kubectl, "by-hand");
        await eventually(async () => {
          const names = (await listed<Machine>(kubectl, "machines")).map(({ metadata }) => metadata.name);
          expect(names).toEqual([expect.stringMatching(/^foo-set-/)]);
        }, WITHIN);
        expect(await madeMachines()).toBe(2);
      });

      it("is refused by field with replicas, selector, names and taints that cannot work", async () => {
        const kubectl = kubectlFor(server.kubeconfigFile);
        for (const [change, message] of REFUSED) {
          const { ok, output } = await kubectl.try("create -f -", change(fooSet(1)).split("---")[0] ?? "");
          expect(ok).toBe(false);
          expect(output).toContain(message);
        }
      });
    });

    describe("with a Capstan of its own", () => {
      const stack = new AsyncDisposableStack();
      let server: TestServer;
      beforeAll(async () => {
        server = stack.use(await flavour.start());
        await kubectlFor(server.kubeconfigFile)("apply -f -", KINDS);
      });
      afterAll(() => stack.disposeAsync());

      const start = (clock?: Clock) =>
        startCapstan(server.kubeconfigFile, { roles: ["relay", "worker"], clock });

      it("S-33: deletes no more Machines within an hour than the administrator allows, and says so", async () => {
        await using stack = new AsyncDisposableStack();
        const limited = { roles: ["relay", "worker"], maxDeletionsPerHour: 2 } as const;
        stack.use(await startCapstan(server.kubeconfigFile, limited));
        const { kubectl, apply } = await startScene(server, "limited");
        await apply(fooSet(5));
        await eventually(() => isWhole(kubectl, 5), WITHIN);
        await kubectl("scale machineset/foo-set --replicas=0");
        await eventually(async () => {
          const events = "get events --field-selector reason=DeletionsHeldBack,involvedObject.kind=Cluster";
          expect(await kubectl(events)).toContain("Machine in Cluster foo: 2 were deleted within an hour");
          expect(await listed(kubectl, "machines")).toHaveLength(3);
        }, WITHIN);
        await holds(async () => expect(await listed(kubectl, "machines")).toHaveLength(3), {
          forMs: 1_000,
          stepMs: 100,
        });
      });

      it("never has one Machine too many with two relays and two workers that know nothing of each other", async () => {
        await using _first = await start();
        await using _second = await start();
        const { kubectl, apply, madeMachines } = await startScene(server, "relays");
        await apply(fooSet(20));
        await eventually(() => isWhole(kubectl, 20), WITHIN);
        await kubectl("scale machineset/foo-set --replicas=30");
        await eventually(() => isWhole(kubectl, 30), WITHIN);
        expect(await madeMachines()).toBe(30);
        await kubectl("scale machineset/foo-set --replicas=7");
        await eventually(() => isWhole(kubectl, 7), WITHIN);
        await kubectl("delete machineset/foo-set --timeout=240s");
        expect(await listed(kubectl, "machines")).toEqual([]);
      });

      it("of a MachineDeployment compares with it, keeps its limit of remediations, and names the Machine that does not go", async () => {
        await using stack = new AsyncDisposableStack();
        const capstan = stack.use(await start());
        const { kubectl, apply } = await startScene(server, "deployed");
        await apply(await deployed(kubectl, anywhere(fooSet(3))));
        await eventually(() => isWhole(kubectl, 3), WITHIN);

        const says = async (type: string) => {
          const machines = await listed<Machine>(kubectl, "machines");
          return machines.map(({ status }) => {
            const found = conditionOf(status?.conditions, type);
            return `${found?.status} ${found?.reason} ${found?.message}`;
          });
        };
        await eventually(async () => {
          expect(await says("UpToDate")).toEqual(Array(3).fill("True UpToDate "));
        }, WITHIN);
        const wants = (version: string) =>
          patch(kubectl, "machinedeployment/md", { spec: { template: { spec: { version } } } });
        await wants("v1.35.0");
        await eventually(async () => {
          const outdated = "False NotUpToDate * Version v1.34.2, v1.35.0 required";
          expect(await says("UpToDate")).toEqual(Array(3).fill(outdated));
        }, WITHIN);

        // The provider takes its time, so that a Machine that is deleted stays.
        const names = (await listed<Machine>(kubectl, "machines")).map(({ metadata }) => metadata.name);
        for (const name of names) {
          await patch(kubectl, `foomachine/${name}`, { metadata: { finalizers: ["example.com/slow"] } });
        }
        for (const name of names) await handOver(kubectl, name);
        const going = async () => {
          const machines = await listed<Machine>(kubectl, "machines");
          return machines.flatMap(({ metadata }) =>
            metadata.deletionTimestamp === undefined ? [] : [metadata.name],
          );
        };
        const waits =
          "False RemediationDeferred Waiting because there are already too many remediations in progress (spec.strategy.remediation.maxInFlight is 1)";
        await eventually(async () => {
          expect(await going()).toHaveLength(1);
          expect((await says("OwnerRemediated")).filter((text) => text === waits)).toHaveLength(2);
        }, WITHIN);
        const [first = ""] = await going();
        // A write that another one overtook is refused, and comes again: only those that count.
        const writes = (await server.requests())
          .filter(({ userAgent, code }) => / machineset-remediate$/.test(userAgent) && code < 300)
          .filter(({ verb }) => /patch|delete/.test(verb))
          .map(({ verb, resource }) => `${verb} ${resource}`);
        // Machines that must wait may be marked so beside the reservation; the deletion follows it.
        expect(writes).toContain("patch machinesets");
        expect(writes.indexOf("patch machinesets")).toBeLessThan(writes.indexOf("delete machines"));
        expect(writes.filter((write) => write === "delete machines")).toHaveLength(1);

        // The clock of this one is ahead, as if it had waited.
        await kubectl("scale machinedeployment/md --replicas=2");
        await capstan[Symbol.asyncDispose]();
        stack.use(await start(aheadOfTime(16 * 60_000)));
        await eventually(async () => {
          expect(conditionText(await setOf(kubectl), "ScalingDown")).toBe(
            `True Scaling down from 3 to 2 replicas\n* Machine ${first} is in deletion since more than 15m`,
          );
        }, WITHIN);
        expect(await going()).toEqual([first]);
        // A marked Machine counts until it is gone: then the next one has its turn.
        await patch(kubectl, `foomachine/${first}`, { metadata: { finalizers: null } });
        await eventually(async () => {
          expect(await going()).toHaveLength(1);
          expect(await going()).not.toContain(first);
        }, WITHIN);
      });
    });
  });
}
