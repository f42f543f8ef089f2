import { afterAll, beforeAll, expect, it } from "vitest";
import type { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../shared/api/conditions.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import type { MachineSet } from "../../shared/api/machineset.ts";
import { eventually, holds } from "../support/eventually.ts";
import {
  fooConfig,
  fooInfra,
  fooMachine,
  getMachine,
  joinHealthyNode,
  provide,
  said,
} from "../support/foo-machines.ts";
import { type FooScene, startFooScene } from "../support/foo-pools.ts";
import { FOO_CLUSTER, FOO_MACHINE_PROVIDER, fooSet } from "../support/foo-provider.ts";
import { patch, patchStatus } from "../support/foo-workload.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 120_000, stepMs: 200 };

/** A Cluster like foo with objects of its own, in this order: Cluster, FooCluster, FooControlPlane. */
function clusterNamed(name: string): readonly [string, string, string] {
  const [cluster = "", infrastructure = "", controlPlane = ""] = FOO_CLUSTER.replaceAll(
    "foo-cp",
    `${name}-cp`,
  )
    .replaceAll("name: foo,", `name: ${name},`)
    .replaceAll("name: foo }", `name: ${name} }`)
    .split("---");
  return [cluster, infrastructure, controlPlane];
}

/** MachineSet of Cluster foo with templates of its own, and what `change` makes of its text. */
function setNamed(name: string, replicas: number, change = (text: string) => text): string {
  return change(fooSet(replicas).replaceAll("foo-set", name).replaceAll("tier: a", `tier: ${name}`));
}

/** Requests of cluster-status for this Cluster's status so far. */
async function statusWrites(scene: FooScene, name: string): Promise<number> {
  const requests = await scene.requests();
  return requests.filter(
    (request) =>
      request.userAgent.endsWith(" cluster-status") && request.verb === "patch" && request.name === name,
  ).length;
}

const SET_FUNCTIONS = ["delete", "guard", "machines", "remediate", "status"];

/** Which functions of a set ran last because of this version of it: `machines remediate`. */
async function wokenBy({ capstan }: FooScene, key: string, resourceVersion: string): Promise<string> {
  const runs = await Promise.all(
    SET_FUNCTIONS.map(async (name) => ({ name, ...(await capstan.history(`machineset-${name}`, key)) })),
  );
  return runs
    .filter(({ lastRun }) => lastRun?.causes.some((cause) => cause.resourceVersion === resourceVersion))
    .map(({ name }) => name)
    .join(" ");
}

interface WithConditions {
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
}

/** `False NotReady some text` of a condition. */
function textOf({ status }: WithConditions, type: string): string {
  const found = status?.conditions?.find((condition) => condition.type === type);
  return `${found?.status} ${found?.reason} ${found?.message}`;
}

const mark = (type: string, status: string, message = "") => ({
  type,
  status,
  reason: "Reported",
  message,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `rules of Clusters, Machines and sets on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let scene: FooScene;
      beforeAll(async () => {
        scene = stack.use(await startFooScene(flavour));
        await scene.kubectl("apply -f -", FOO_MACHINE_PROVIDER);
        await scene.kubectl("wait crd --all --for=condition=Established --timeout=240s");
        await patchStatus(scene.kubectl, "foocontrolplane/foo-cp", {
          versions: [{ version: "v1.34.2", replicas: 1 }],
        });
      });
      afterAll(() => stack.disposeAsync());

      const read = async <T extends KubeObject>(object: string): Promise<T> =>
        JSON.parse(await scene.kubectl(`get ${object} -o json`));
      const clusterOf = (name: string) => read<Cluster>(`clusters.cluster.x-k8s.io/${name}`);
      const reasonsOf = (name: string) =>
        scene.kubectl(
          `get events --field-selector involvedObject.name=${name} -o jsonpath={.items[*].reason}`,
        );

      it("comes up as its provider says, owned and labelled, with an Event per phase", async () => {
        const { kubectl } = scene;
        const [cluster, infrastructure, controlPlane] = clusterNamed("up");
        await kubectl("apply -f -", cluster);
        await eventually(async () => {
          const { metadata, status, ...rest } = await clusterOf("up");
          expect(metadata.finalizers).toEqual(["cluster.cluster.x-k8s.io"]);
          expect(textOf({ status, ...rest }, "InfrastructureReady")).toBe(
            "False ObjectDoesNotExist FooCluster does not exist",
          );
          expect(status?.phase).toBe("Provisioning");
        }, WITHIN);
        await kubectl("apply -f -", `${infrastructure}---${controlPlane}`);
        for (const object of ["foocluster/up", "foocontrolplane/up-cp"]) {
          await eventually(async () => {
            const { metadata } = await read(object);
            expect(metadata.labels).toMatchObject({ "cluster.x-k8s.io/cluster-name": "up" });
            expect(metadata.ownerReferences).toMatchObject([{ kind: "Cluster", name: "up" }]);
            expect(metadata.ownerReferences?.[0]?.controller ?? false).toBe(false);
          }, WITHIN);
        }
        await patchStatus(kubectl, "foocluster/up", {
          initialization: { provisioned: true },
          conditions: [mark("Ready", "False", "the network is slow")],
        });
        const controlPlaneEndpoint = { host: "up.example.com", port: 6443 };
        await patch(kubectl, "foocluster/up", { spec: { controlPlaneEndpoint } });
        await patchStatus(kubectl, "foocontrolplane/up-cp", {
          initialization: { controlPlaneInitialized: true },
          conditions: [mark("Available", "False", "one of three answers")],
        });
        await eventually(async () => {
          const { metadata, spec, status } = await clusterOf("up");
          expect(spec.controlPlaneEndpoint).toEqual(controlPlaneEndpoint);
          expect(status).toMatchObject({ phase: "Provisioned", observedGeneration: metadata.generation });
          expect(textOf({ status }, "InfrastructureReady")).toBe("False Reported the network is slow");
          expect(textOf({ status }, "ControlPlaneAvailable")).toBe("False Reported one of three answers");
          expect(textOf({ status }, "ControlPlaneInitialized")).toMatch(/^True /);
          expect(textOf({ status }, "Available")).toMatch(
            /InfrastructureReady: the network is slow[\s\S]*ControlPlaneAvailable: one of three answers/,
          );
        }, WITHIN);
        expect((await reasonsOf("up")).split(" ")).toEqual(
          expect.arrayContaining(["Provisioning", "Provisioned", "InfrastructureReady"]),
        );
      });

      it("a Cluster that is brought up gets one status per second, however often its provider speaks", async () => {
        const { kubectl } = scene;
        await kubectl("apply -f -", clusterNamed("chatty").join("---"));
        await patchStatus(kubectl, "foocontrolplane/chatty-cp", {
          initialization: { controlPlaneInitialized: true },
        });
        const speak = (message: string) =>
          patchStatus(kubectl, "foocluster/chatty", {
            initialization: { provisioned: true },
            conditions: [mark("Ready", "False", message)],
          });
        const heard = (message: string) =>
          eventually(async () => {
            const { status } = await clusterOf("chatty");
            expect(status?.initialization?.infrastructureProvisioned).toBe(true);
            expect(textOf({ status }, "InfrastructureReady")).toBe(`False Reported ${message}`);
          }, WITHIN);
        await speak("at first");
        await heard("at first");
        const before = await statusWrites(scene, "chatty");
        const startedAt = performance.now();
        await Promise.all(Array.from({ length: 15 }, (_, at) => speak(`word ${at}`)));
        await speak("at last");
        await heard("at last");
        const seconds = (performance.now() - startedAt) / 1_000;
        expect((await statusWrites(scene, "chatty")) - before).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
      });

      it("merges what its sets say into three messages; a set wakes for what concerns it only", async () => {
        const { kubectl } = scene;
        await kubectl("apply -f -", clusterNamed("merged")[0]);
        // Without templates each set says how many Machines it misses, and stays as it is.
        const sets = [4, 2, 5, 1, 3].map(
          (replicas) =>
            setNamed(`merged-${replicas}`, replicas, (text) =>
              text.replaceAll("clusterName: foo", "clusterName: merged"),
            ).split("---")[0],
        );
        await kubectl("apply -f -", sets.join("---"));
        await eventually(async () => {
          const { status } = await clusterOf("merged");
          const lines = textOf({ status }, "ScalingUp").split("\n");
          expect(lines.filter((line) => /^(True ScalingUp )?\* MachineSet/.test(line))).toEqual([
            "True ScalingUp * MachineSet merged-1:",
            "* MachineSet merged-2:",
            "* MachineSet merged-3:",
          ]);
          expect(lines.at(-1)).toBe("And 2 MachineSets with other issues");
        }, WITHIN);

        const version = (annotation: string) =>
          kubectl(`annotate machineset/merged-1 ${annotation} -o jsonpath={.metadata.resourceVersion}`);
        const key = "default/merged|MachineSet|default/merged-1";
        const ofUser = await version("example.com/team=blue");
        const ofChecks = await version("machineset.cluster.x-k8s.io/skip-preflight-checks=All");
        await eventually(
          async () => expect(await wokenBy(scene, key, ofChecks)).toMatch(/^machines remediate/),
          WITHIN,
        );
        expect(await wokenBy(scene, key, ofUser)).toBe("");
      });

      it("becomes an owner beside the controller of an object", async () => {
        const { kubectl } = scene;
        const [cluster, infrastructure, controlPlane] = clusterNamed("stolen");
        const owner = { apiVersion: "example.com/v1", kind: "Stack", name: "s", uid: "u", controller: true };
        await kubectl("apply -f -", `${infrastructure}---${controlPlane}`);
        await patch(kubectl, "foocluster/stolen", { metadata: { ownerReferences: [owner] } });
        await patchStatus(kubectl, "foocluster/stolen", { initialization: { provisioned: true } });
        await kubectl("apply -f -", cluster);
        // A Cluster is an owner beside the controller, unless a topology makes it the controller.
        await eventually(async () => {
          const { metadata } = await read("foocluster/stolen");
          expect(metadata.ownerReferences?.map(({ kind }) => kind)).toEqual(["Stack", "Cluster"]);
        }, WITHIN);
      });

      it("sorts failure domains, keeps what it had for wrong ones, and keeps a failure", async () => {
        const { kubectl } = scene;
        await kubectl("apply -f -", clusterNamed("odd").join("---"));
        const failureDomains = [
          { name: "b", controlPlane: true },
          { name: "a", controlPlane: false },
        ];
        const initialization = { provisioned: true };
        await patchStatus(kubectl, "foocluster/odd", { initialization, failureDomains });
        const sorted = async () => {
          const { status } = await clusterOf("odd");
          expect(status?.failureDomains).toMatchObject([{ name: "a" }, { name: "b", controlPlane: true }]);
          return status;
        };
        await eventually(sorted, WITHIN);
        await patchStatus(kubectl, "foocluster/odd", {
          failureDomains: "all",
          failureReason: "Broken",
          failureMessage: "sold out",
        });
        await eventually(async () => {
          const status = await sorted();
          expect(textOf({ status }, "InfrastructureReady")).toContain("status.failureDomains is not a list");
          expect(textOf({ status }, "Paused")).toMatch(/^False /);
          expect(status?.deprecated?.v1beta1).toMatchObject({ failureReason: "Broken" });
          const old = status?.deprecated?.v1beta1?.conditions?.map(({ type }) => type);
          expect(old).toEqual(expect.arrayContaining(["InfrastructureReady", "ControlPlaneReady", "Ready"]));
        }, WITHIN);
        await patchStatus(kubectl, "foocluster/odd", {
          failureDomains,
          failureReason: null,
          failureMessage: null,
        });
        await eventually(async () => {
          const status = await sorted();
          expect(textOf({ status }, "InfrastructureReady")).not.toContain("failureDomains");
          expect(status?.deprecated?.v1beta1).toMatchObject({ failureReason: "Broken" });
        }, WITHIN);
      });

      it("a paused Cluster gets its finalizer and Paused alone, also while it is deleted, and resumes", async () => {
        const { kubectl } = scene;
        const [cluster, infrastructure, controlPlane] = clusterNamed("still");
        await kubectl("apply -f -", `${infrastructure}---${controlPlane}`);
        await kubectl("apply -f -", cluster.replace("spec:\n", "spec:\n  paused: true\n"));
        const untouched = async () => {
          const { metadata, status } = await clusterOf("still");
          expect(metadata.finalizers).toEqual(["cluster.cluster.x-k8s.io"]);
          expect(status?.conditions?.map(({ type }) => type)).toEqual(["Paused"]);
          expect((await read("foocluster/still")).metadata.ownerReferences).toBeUndefined();
        };
        await eventually(untouched, WITHIN);
        await kubectl("delete clusters.cluster.x-k8s.io/still --wait=false");
        await holds(untouched, { forMs: 1_500, stepMs: 300 });
        await patch(kubectl, "clusters.cluster.x-k8s.io/still", { spec: { paused: false } });
        await kubectl("wait clusters.cluster.x-k8s.io/still --for=delete --timeout=240s");
      });

      it("waits while paused, then reaches its phases, gates and minReadySeconds in turn", async () => {
        const { kubectl, workload } = scene;
        await kubectl("apply -f -", `${fooConfig("gated")}---${fooInfra("gated")}`);
        const gates = 'readinessGates: [{ conditionType: "example.com/Ready" }]\n  minReadySeconds: 1';
        const held = fooMachine("gated", gates).replace(
          "namespace: default }",
          'namespace: default, labels: { cluster.x-k8s.io/control-plane: "" }, annotations: { cluster.x-k8s.io/paused: "", machine.cluster.x-k8s.io/certificates-expiry: "2030-01-01T00:00:00Z" } }',
        );
        await kubectl("apply -f -", held);
        await eventually(async () => {
          const { metadata, status } = await getMachine(kubectl, "gated");
          expect(metadata.finalizers).toEqual(["machine.cluster.x-k8s.io"]);
          expect(metadata.ownerReferences).toBeUndefined();
          expect(status?.conditions?.map(({ type }) => type)).toEqual(["Paused"]);
        }, WITHIN);
        const phase = (wanted: string) =>
          kubectl(`wait machine/gated --for=jsonpath={.status.phase}=${wanted} --timeout=240s`);
        await kubectl("annotate machine/gated cluster.x-k8s.io/paused-");
        await phase("Pending");
        expect((await getMachine(kubectl, "gated")).spec.deletion?.nodeDeletionTimeoutSeconds).toBe(10);
        await patchStatus(kubectl, "fooconfig/gated", {
          initialization: { dataSecretCreated: true },
          dataSecretName: "gated-data",
        });
        await phase("Provisioning");
        await provide(kubectl, "gated");
        await phase("Provisioned");
        await joinHealthyNode(workload, "gated");
        await phase("Running");
        await eventually(async () => {
          const machine = await getMachine(kubectl, "gated");
          expect(said(machine, "Ready")).toContain("example.com/Ready");
          expect(machine.status?.certificatesExpiryDate).toBe("2030-01-01T00:00:00Z");
        }, WITHIN);
        const { status } = await getMachine(kubectl, "gated");
        await patchStatus(kubectl, "machine/gated", {
          conditions: [...(status?.conditions ?? []), mark("example.com/Ready", "True")],
        });
        await kubectl("wait machine/gated --for=condition=Available --timeout=240s");
        await kubectl("annotate --overwrite machine/gated machine.cluster.x-k8s.io/certificates-expiry=soon");
        await eventually(
          async () => expect(await reasonsOf("gated")).toContain("InvalidCertificatesExpiry"),
          WITHIN,
        );
        expect((await getMachine(kubectl, "gated")).status?.certificatesExpiryDate).toBe(
          "2030-01-01T00:00:00Z",
        );
      });

      it("restores the conditions that another client has wiped, and shares the deprecated list with a provider", async () => {
        const { kubectl } = scene;
        await kubectl("apply -f -", [fooConfig("wiped"), fooInfra("wiped"), fooMachine("wiped")].join("---"));
        await kubectl("wait machine/wiped --for=condition=Ready=False --timeout=240s");
        await patchStatus(kubectl, "machine/wiped", { conditions: null });
        await kubectl("wait machine/wiped --for=condition=Ready=False --timeout=240s");
        const listOf = async () =>
          (await getMachine(kubectl, "wiped")).status?.deprecated?.v1beta1?.conditions;
        const ofProvider = ["APIServerPodHealthy", "EtcdMemberHealthy"].map((type) =>
          mark(type, "True", "well"),
        );
        await patchStatus(kubectl, "machine/wiped", {
          deprecated: { v1beta1: { conditions: [...((await listOf()) ?? []), ...ofProvider] } },
        });
        const both = (infrastructure: string) =>
          new Set([
            `Ready: False ${infrastructure}`,
            "APIServerPodHealthy: True Reported",
            "BootstrapReady: False WaitingForDataSecret",
            "EtcdMemberHealthy: True Reported",
            `InfrastructureReady: False ${infrastructure}`,
            "NodeHealthy: False WaitingForNodeRef",
          ]);
        const saysBoth = async (infrastructure: string) =>
          expect(
            new Set((await listOf())?.map(({ type, status, reason = "" }) => `${type}: ${status} ${reason}`)),
          ).toEqual(both(infrastructure));
        await holds(() => saysBoth("WaitingForInfrastructure"), { forMs: 2_000 });
        await patchStatus(kubectl, "foomachine/wiped", {
          deprecated: {
            v1beta1: {
              conditions: [{ ...mark("Ready", "False", "none is left"), reason: "Quota", severity: "Info" }],
            },
          },
        });
        await eventually(() => saysBoth("Quota"), WITHIN);
      });

      it("gets labels, owner and defaults, and names Machines by its template", async () => {
        const { kubectl } = scene;
        const long = "named-".repeat(10).slice(0, 55);
        const manifest = setNamed("named", 2, (text) =>
          text.replace("replicas: 2", `replicas: 2\n  machineNaming: { template: "${long}-{{ .random }}" }`),
        );
        await kubectl("apply -f -", manifest);
        const setOf = () => read<MachineSet>("machineset/named");
        await eventually(async () => {
          const { metadata, spec, status } = await setOf();
          const label = { "cluster.x-k8s.io/cluster-name": "foo" };
          expect(metadata.ownerReferences).toMatchObject([{ kind: "Cluster", name: "foo" }]);
          for (const labels of [metadata.labels, spec.selector.matchLabels, spec.template.metadata?.labels]) {
            expect(labels).toMatchObject(label);
          }
          expect(status).toMatchObject({ replicas: 2, readyReplicas: 0 });
          expect(textOf({ status }, "ScalingUp")).toBe("False NotScalingUp ");
          expect(textOf({ status }, "MachinesReady")).toMatch(/^(False|Unknown) /);
        }, WITHIN);
        const names = await kubectl(
          "get machines --selector=tier=named -o jsonpath={.items[*].metadata.name}",
        );
        for (const name of names.split(" ")) {
          expect(name.length).toBeLessThanOrEqual(63);
          expect(name).toMatch(/^named-named-.*-[a-z0-9]{5}$/);
        }
        await kubectl("scale machineset/named --replicas=0");
        await eventually(async () => {
          expect(textOf(await setOf(), "MachinesReady")).toBe("True NoReplicas ");
        }, WITHIN);
      });

      it("a paused set makes nothing; an empty selector becomes its name", async () => {
        const { kubectl } = scene;
        const manifest = setNamed("quiet", 1, (text) =>
          text
            .replace(
              "namespace: default }",
              'namespace: default, annotations: { cluster.x-k8s.io/paused: "" } }',
            )
            .replace("selector: { matchLabels: { tier: quiet } }", "selector: {}"),
        );
        await kubectl("apply -f -", manifest);
        const machines = () => kubectl("get machines --selector=tier=quiet -o name");
        const untouched = async () => {
          const { metadata, status } = await read<MachineSet>("machineset/quiet");
          expect(metadata.finalizers).toEqual(["cluster.x-k8s.io/machineset"]);
          expect(status?.conditions?.map(({ type }) => type)).toEqual(["Paused"]);
          expect(await machines()).toBe("");
        };
        await eventually(untouched, WITHIN);
        await kubectl("annotate machineset/quiet cluster.x-k8s.io/paused-");
        await eventually(async () => {
          const { spec } = await read<MachineSet>("machineset/quiet");
          expect(spec.selector.matchLabels).toMatchObject({ "cluster.x-k8s.io/set-name": "quiet" });
          expect((await machines()).trim().split("\n")).toHaveLength(1);
        }, WITHIN);
      });
    },
  );
}
