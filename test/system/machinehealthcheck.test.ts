import { afterAll, beforeAll, expect, it } from "vitest";
import type { Running } from "../../infra/cli/compose.ts";
import { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import type { RemediationPolicy } from "../../shared/api/remediation-policy.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually, holds } from "../support/eventually.ts";
import { FOO_CLUSTER } from "../support/foo-provider.ts";
import { createKubeconfigSecret, patchStatus, startFooWorkload } from "../support/foo-workload.ts";
import { FOREIGN_REMEDIATORS } from "../support/foreign-remediators.ts";
import { type HandmadeMachines, handmadeMachines, inSeconds } from "../support/handmade-machines.ts";
import { type Objects, objectsOf } from "../support/objects.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { checkOf, REFUSED, trigger } from "../support/refused-health-checks.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };
/** Longer than calm. */
const FOR_LONG = { forMs: 9_000, stepMs: 500 };
const HOLD = "capstan.dev/hold-remediation";
const PAUSED = "cluster.x-k8s.io/paused";
const LABEL = "cluster.x-k8s.io/cluster-name";
const DISK = { type: "example.com/Disk", status: "Unknown", timeoutSeconds: 3 };
/** Of a condition Disk that has failed for a minute. */
const failedDisk = () => {
  return { status: "Unknown", reason: "NoAnswer", message: "", lastTransitionTime: inSeconds(-60) };
};

const READY = { type: "Ready", status: "False", timeoutSeconds: 1 };
/** A health check of Nodes alone. */
const CHECKS = { checks: { nodeStartupTimeoutSeconds: 0, unhealthyNodeConditions: [READY] } };
const upTo = (unhealthyLessThanOrEqualTo: number | string) => {
  return { ...CHECKS, remediation: { triggerIf: { unhealthyLessThanOrEqualTo } } };
};
const WAITING = ["False", "WaitingForRemediation", "False", "WaitingForRemediation"];
const NEITHER = [undefined, undefined, undefined, undefined];

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `a MachineHealthCheck on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let kubectl: Kubectl;
      let capstan: Running;
      let workload: Awaited<ReturnType<typeof startFooWorkload>>;
      let objects: Objects;
      let by: HandmadeMachines;
      beforeAll(async () => {
        const server = stack.use(await flavour.start());
        kubectl = kubectlFor(server.kubeconfigFile);
        workload = stack.use(await startFooWorkload());
        capstan = stack.use(
          await startCapstan(server.kubeconfigFile, {
            roles: ["relay", "worker"],
            functions: ["mhc-*", "remediationpolicy-*"],
          }),
        );
        await kubectl("apply -f -", FOREIGN_REMEDIATORS);
        await kubectl("wait crd --all --for=condition=Established --timeout=240s");
        await kubectl("apply -f -", FOO_CLUSTER.split("---")[0] ?? "");
        await createKubeconfigSecret(kubectl, workload.kubeconfigFile);
        const up = ["InfrastructureReady", "ControlPlaneInitialized"].map((type) => {
          return { type, status: "True", reason: "Up", message: "", lastTransitionTime: inSeconds(-60) };
        });
        const initialization = { infrastructureProvisioned: true, controlPlaneInitialized: true };
        await patchStatus(kubectl, "cluster/foo", { conditions: up, initialization });
        objects = objectsOf(server.kubeconfigFile);
        by = await handmadeMachines(objects, workload);
      });
      afterAll(() => stack.disposeAsync());

      /** Once health checks have found these Machines so. */
      const found = (status: string, ...names: readonly string[]) =>
        eventually(async () => {
          const said = await Promise.all(names.map((name) => by.saidOf(name, "HealthCheckSucceeded")));
          expect(said.map((one) => one?.status)).toEqual(names.map(() => status));
        }, WITHIN);
      const handedOver = (...names: readonly string[]) =>
        eventually(async () => {
          for (const name of names) expect(await by.bothOf(name, "OwnerRemediated")).toEqual(WAITING);
        }, WITHIN);
      const counted = (name: string, ...counts: readonly number[]) =>
        eventually(async () => {
          const { status } = await objects.read<MachineHealthCheck>("machinehealthchecks", name);
          expect([status?.expectedMachines, status?.currentHealthy]).toEqual(counts);
        }, WITHIN);
      const blocked = (name: string, text: string) =>
        eventually(async () => {
          const events = await by.eventsOf("RemediationBlocked");
          expect(events).toContainEqual(expect.stringContaining(text));
          expect(events.find((event) => event.includes(text))).toMatch(new RegExp(`^${name}: `));
        }, WITHIN);
      /** Its owner lets go of a Machine that has recovered. */
      const letGo = async (name: string) => {
        await by.say(name, "conditions", "OwnerRemediated", undefined);
        await by.say(name, "deprecated", "OwnerRemediated", undefined);
      };

      it.each(REFUSED)("is refused by field with %s", async (...[, manifest, message]) => {
        const { ok, output } = await kubectl.try("create -f -", manifest);
        expect(ok).toBe(false);
        expect(output).toContain(message);
      });

      it("is accepted with every limit that upstream accepts, and cannot move to another Cluster", async () => {
        for (const limit of ["0", "-1", '"150%"', '"-5%"']) {
          const manifest = checkOf("good", trigger(`unhealthyLessThanOrEqualTo: ${limit}`));
          await kubectl("apply -f -", manifest);
        }
        const moved = checkOf("good").replace("clusterName: foo", "clusterName: other");
        const { ok, output } = await kubectl.try("apply -f -", moved);
        expect(ok).toBe(false);
        expect(output).toContain("spec.clusterName: Forbidden: field is immutable");
      });

      it("gets label, owner and startup timeout, and is shown by its short names", async () => {
        await kubectl("apply -f -", checkOf("h1"));
        const { uid } = JSON.parse(await kubectl("get cluster/foo -o json")).metadata;
        await eventually(async () => {
          const check: MachineHealthCheck = JSON.parse(await kubectl("get mhc/h1 -o json"));
          expect(check.metadata.labels).toEqual({ "cluster.x-k8s.io/cluster-name": "foo" });
          expect(check.metadata.ownerReferences).toEqual([
            { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "foo", uid },
          ]);
          expect(check.spec.checks).toEqual({ nodeStartupTimeoutSeconds: 600 });
          expect(check.metadata.finalizers).toBeUndefined();
        }, WITHIN);
        expect(await kubectl("get mhcs h1 -o wide")).toMatch(
          /^NAME +CLUSTER +REPLICAS +HEALTHY +PAUSED +AGE\n/,
        );
      });

      it("is left alone while it or its Cluster is paused, and while it is being deleted", async () => {
        const paused = { annotations: { [PAUSED]: "" } };
        const cluster = {
          apiVersion: "cluster.x-k8s.io/v1beta2",
          kind: "Cluster",
          metadata: { name: "resting" },
        };
        await objects.create("clusters", {
          ...cluster,
          spec: {
            paused: true,
            infrastructureRef: {
              apiGroup: "infrastructure.foo.example.com",
              kind: "FooCluster",
              name: "resting",
            },
          },
        });
        await by.check("paused", {}, paused);
        await by.check("resting", { clusterName: "resting" });
        await by.check("leaving", {}, { ...paused, finalizers: ["example.com/kept"] });
        await objects.remove("machinehealthchecks", "leaving");
        await by.check("working", {});
        const guarded = async (name: string) => {
          const { metadata } = await objects.read<MachineHealthCheck>("machinehealthchecks", name);
          return [metadata.labels?.[LABEL], metadata.ownerReferences?.length];
        };
        const done = (cluster: string) => [cluster, 1];
        await eventually(async () => expect(await guarded("working")).toEqual(done("foo")), WITHIN);
        const untouched = async (...names: readonly string[]) => {
          for (const name of names) expect(await guarded(name)).toEqual([undefined, undefined]);
        };
        await untouched("paused", "resting", "leaving");
        for (const name of ["paused", "leaving"]) {
          await objects.change("machinehealthchecks", name, { metadata: { annotations: null } });
        }
        await objects.change("clusters", "resting", { spec: { paused: false } });
        await eventually(async () => {
          expect([await guarded("paused"), await guarded("resting")]).toEqual([done("foo"), done("resting")]);
        }, WITHIN);
        await untouched("leaving");
        await objects.change("machinehealthchecks", "leaving", { metadata: { finalizers: null } });
      });

      it("is woken by a Machine that comes and goes and by its Node, and by no Machine of another set", async () => {
        await by.check("east", upTo(0));
        await by.check("west", upTo(0));
        const matchExpressions = [{ key: "set", operator: "In", values: ["east"] }];
        await by.check("by-expression", { ...upTo(0), selector: { matchExpressions } });
        await by.make({ set: "east" }, "wanderer");
        await counted("east", 1, 1);
        await counted("by-expression", 1, 1);
        await objects.change("machines", "wanderer", { metadata: { labels: { set: "west" } } });
        await counted("west", 1, 1);
        await counted("east", 0, 0);
        await counted("by-expression", 0, 0);
        /** Of its status, once that has nothing left to write. */
        const lastRunOf = (name: string) =>
          eventually(async () => {
            const key = `default/foo|${MachineHealthCheck.kind}|default/${name}`;
            const { state, lastRun } = await capstan.history("mhc-status", key);
            expect([state, lastRun?.writes]).toEqual([undefined, []]);
            return lastRun?.runId;
          }, WITHIN);
        await lastRunOf("east");
        const west = await lastRunOf("west");
        await by.nodes("False", "wanderer");
        await counted("west", 1, 0);
        expect(await lastRunOf("west")).not.toBe(west);
        // Other checks of the Cluster come and go meanwhile, and may overlap.
        const { lastRun } = await capstan.history(
          "mhc-status",
          `default/foo|${MachineHealthCheck.kind}|default/east`,
        );
        const wokenBy = lastRun?.causes.map(({ what }) => what.split(" ")[0]) ?? [];
        expect([await lastRunOf("east"), ...wokenBy]).toEqual([
          lastRun?.runId,
          ...wokenBy.map(() => MachineHealthCheck.kind),
        ]);
      });

      it("texts of the Machine stand first, the first deadline counts, and no other condition changes", async () => {
        const other = (type: string, status = "True" as const) => {
          return {
            type,
            status,
            reason: "Mine",
            message: "of another controller",
            lastTransitionTime: inSeconds(-90),
          };
        };
        const conditions = ["Alpha", "Zeta"].map((type) => other(type));
        const deprecated = ["Ready", "Alpha", "Zeta"].map((type) => other(type));
        await by.make({ set: "texts", conditions, deprecated }, "both", "slow");
        const pressure = { type: "MemoryPressure", status: "True", timeoutSeconds: 3_600 };
        const checks = { unhealthyNodeConditions: [READY, pressure], unhealthyMachineConditions: [DISK] };
        await by.check("texts", { ...upTo(0), checks: { nodeStartupTimeoutSeconds: 0, ...checks } });
        await found("True", "both", "slow");

        await by.nodeSays("slow", {
          type: "MemoryPressure",
          status: "True",
          lastTransitionTime: inSeconds(0),
        });
        await by.say("slow", "conditions", DISK.type, { ...failedDisk(), lastTransitionTime: inSeconds(0) });
        await by.say("both", "conditions", DISK.type, failedDisk());
        await by.nodes("False", "both");
        const texts = [
          "Condition example.com/Disk on Machine is reporting status Unknown with reason NoAnswer for more than 3s",
          "Condition Ready on Node is reporting status False with reason Kubelet for more than 1s",
        ];
        const lines = (...of: readonly string[]) =>
          ["Health check failed:", ...of.map((text) => `  * ${text}`)].join("\n");
        await eventually(async () => {
          const said = [
            await by.saidOf("both", "HealthCheckSucceeded"),
            await by.saidOf("slow", "HealthCheckSucceeded"),
          ];
          expect(said).toMatchObject([
            { status: "False", reason: "UnhealthyMachine", message: lines(...texts) },
            { status: "False", reason: "UnhealthyMachine", message: lines(texts[0] ?? "") },
          ]);
        }, WITHIN);
        const { status } = await by.machine("both");
        const older = status?.deprecated?.v1beta1?.conditions ?? [];
        expect(status?.conditions?.map(({ type }) => type)).toEqual([
          "HealthCheckSucceeded",
          "Alpha",
          "Zeta",
          DISK.type,
        ]);
        expect(status?.conditions).toEqual(expect.arrayContaining(conditions));
        expect(older.map(({ type }) => type)).toEqual(["Ready", "Alpha", "HealthCheckSucceeded", "Zeta"]);
        expect(older).toEqual(expect.arrayContaining(deprecated));
        expect(older[2]).toMatchObject({ status: "False", severity: "Warning", message: texts.join("; ") });
      });

      it("a condition of a Node without time fails at once, one of the future later, and one without reason says none", async () => {
        await by.make({ set: "odd" }, "timeless", "early");
        const wanted = [{ ...READY, timeoutSeconds: 3_600 }];
        await by.check("odd", { ...upTo(0), checks: { ...CHECKS.checks, unhealthyNodeConditions: wanted } });
        await found("True", "timeless", "early");
        await by.nodeSays("early", { type: "Ready", status: "False", lastTransitionTime: inSeconds(3_600) });
        await by.nodeSays("timeless", { type: "Ready", status: "False" });
        await found("False", "timeless");
        expect((await by.saidOf("timeless", "HealthCheckSucceeded"))?.message).toBe(
          "Health check failed:\n  * Condition Ready on Node is reporting status False with reason  for more than 1h0m0s",
        );
        await counted("odd", 2, 0);
        await found("True", "early");
      });

      it("a template of a kind or version that is not served, or of another content, is said on Machine and check", async () => {
        const apiVersion = "infrastructure.cluster.x-k8s.io/v1beta2";
        const kind = "MetalRemediationTemplate";
        const content = {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "ClusterRoleBinding",
          roleRef: {},
        };
        const template = { apiVersion, kind, metadata: { name: "misleading" }, spec: { template: content } };
        await objects.create(`${apiVersion}/metalremediationtemplates`, template);
        const name = "misleading";
        const templates = {
          unknown: { apiVersion, kind: "NoRemediationTemplate", name },
          unserved: { apiVersion: apiVersion.replace("v1beta2", "v9"), kind, name },
          misleading: { apiVersion, kind, name },
        };
        for (const [set, templateRef] of Object.entries(templates)) {
          await by.make({ set }, `of-${set}`);
          await by.check(set, { ...CHECKS, remediation: { templateRef } });
          await found("True", `of-${set}`);
          await by.nodes("False", `of-${set}`);
        }
        const older = async (set: string, type: string) => {
          const { status } = await objects.read<MachineHealthCheck>("machinehealthchecks", set);
          return conditionOf(status?.deprecated?.v1beta1?.conditions, type)?.status;
        };
        await eventually(async () => {
          for (const [set, text] of [
            ["unknown", "NoRemediationTemplate"],
            ["unserved", "v1beta1, v1beta2"],
          ] as const) {
            expect(await by.saidOf(`of-${set}`, "ExternallyRemediated")).toMatchObject({
              status: "False",
              reason: "RemediationTemplateNotFound",
              message: expect.stringContaining(text),
            });
            expect(await older(set, "ExternalRemediationTemplateAvailable")).toBe("False");
          }
          expect((await by.saidOf("of-misleading", "ExternallyRemediated"))?.reason).toBe(
            "RemediationRequestCreationFailed",
          );
          expect(await older("misleading", "ExternalRemediationRequestAvailable")).toBe("False");
          expect(await by.eventsOf("RemediationRequestCreationFailed")).toContainEqual(
            expect.stringMatching(
              /^of-misleading: spec\.template\.apiVersion of .* is not .*; leave it out$/,
            ),
          );
        }, WITHIN);
      });

      it("OwnerRemediated is written in each family by itself, and not where the owner has its turn", async () => {
        const owner = (status: "True" | "False", reason: string) => {
          return { type: "OwnerRemediated", status, reason, message: "", lastTransitionTime: inSeconds(-90) };
        };
        await by.make({ set: "turns", conditions: [owner("True", "Done")] }, "finished");
        await by.make({ set: "turns", conditions: [owner("False", "Busy")] }, "busy");
        const { reason: _reason, message: _message, ...older } = owner("True", "Done");
        const mark = { conditions: [owner("False", "MachineDeleting")], deprecated: [older] };
        await by.make({ set: "turns", ...mark }, "marked");
        await by.nodes("False", "finished", "busy", "marked");
        await by.check("turns", upTo("100%"));
        await found("False", "finished", "busy", "marked");
        await handedOver("finished");
        await eventually(async () => {
          expect(await by.bothOf("busy", "OwnerRemediated")).toEqual([
            "False",
            "Busy",
            "False",
            "WaitingForRemediation",
          ]);
        }, WITHIN);
        expect(await by.bothOf("marked", "OwnerRemediated")).toEqual([
          "False",
          "MachineDeleting",
          "True",
          undefined,
        ]);
      });

      it("an owner keeps its place for a minute after the recovery, and a hand-over waits for calm", async () => {
        await by.make({ set: "places" }, "first", "second");
        await by.check("places", upTo(1));
        await found("True", "first", "second");
        await by.nodes("False", "first");
        await handedOver("first");
        const stampOf = async (type: string) =>
          Date.parse((await by.saidOf("first", type))?.lastTransitionTime ?? "");
        expect(
          (await stampOf("OwnerRemediated")) - (await stampOf("HealthCheckSucceeded")),
        ).toBeGreaterThanOrEqual(5_000);
        await by.nodes("True", "first");
        await found("True", "first");
        const recovered = (seconds: number) =>
          by.say("first", "conditions", "HealthCheckSucceeded", { lastTransitionTime: inSeconds(seconds) });
        // However slow this machine is, its minute is not over.
        await recovered(3_600);
        await by.nodes("False", "second");
        await found("False", "second");
        await holds(async () => {
          expect(await by.bothOf("second", "OwnerRemediated")).toEqual(NEITHER);
          expect(await by.bothOf("first", "OwnerRemediated")).toEqual(WAITING);
        }, FOR_LONG);
        await eventually(async () => {
          expect(await by.eventsOf("RemediationRestricted")).toContainEqual(
            expect.stringMatching(/^places: .*may still be remediated: first \(places: 1, used: 2\)$/),
          );
        }, WITHIN);
        await recovered(-70);
        await handedOver("second");
        expect(await by.bothOf("first", "OwnerRemediated")).toEqual(NEITHER);
      });

      it("without calm a Machine waits for a minute and no longer", async () => {
        await by.make({ set: "restless" }, "waiting", "changing");
        await by.check("restless", upTo(1));
        await found("True", "waiting", "changing");
        await by.say("changing", "conditions", "HealthCheckSucceeded", {
          lastTransitionTime: inSeconds(3_600),
        });
        await by.nodes("False", "waiting");
        await found("False", "waiting");
        const failedSince = (seconds: number) =>
          by.say("waiting", "conditions", "HealthCheckSucceeded", { lastTransitionTime: inSeconds(seconds) });
        await failedSince(600);
        await holds(
          async () => expect(await by.bothOf("waiting", "OwnerRemediated")).toEqual(NEITHER),
          FOR_LONG,
        );
        await failedSince(-70);
        await handedOver("waiting");
      });

      it("a workload server that shows no single Node holds up hand-overs, not conditions", async () => {
        await by.make({ set: "secretive" }, "vanished", "broken");
        const checks = { ...CHECKS.checks, unhealthyMachineConditions: [DISK] };
        await by.check("secretive", { ...upTo("100%"), checks });
        await found("True", "vanished", "broken");
        const lift = ["vanished", "broken"].map((name) =>
          workload.server.faults.add({
            on: { verbs: ["get"], resource: "nodes", name },
            effect: { kind: "status", code: 403, message: `nodes "${name}" is forbidden: not yours` },
          }),
        );
        await workload.kubectl("delete node/vanished");
        await by.nodes("False", "broken");
        await found("False", "broken");
        await blocked("secretive", 'nodes "vanished" is forbidden');
        await blocked("secretive", 'nodes "broken" is forbidden');
        expect((await by.saidOf("vanished", "HealthCheckSucceeded"))?.status).toBe("True");
        await by.say("vanished", "conditions", DISK.type, failedDisk());
        await found("False", "vanished");
        expect((await by.saidOf("vanished", "HealthCheckSucceeded"))?.message).not.toContain("deleted");
        for (const name of ["vanished", "broken"])
          expect(await by.bothOf(name, "OwnerRemediated")).toEqual(NEITHER);
        for (const id of lift) workload.server.faults.remove(id);
        await objects.change("machines", "vanished", { metadata: { labels: { changed: "yes" } } });
        await handedOver("vanished", "broken");
        await eventually(async () => {
          expect((await by.saidOf("vanished", "HealthCheckSucceeded"))?.message).toContain(
            "Node vanished has been deleted",
          );
        }, WITHIN);
      });

      it("a policy leaves a Machine alone after its remediation, and counts those of it and of its owner", async () => {
        await by.make({ set: "tired" }, "tired");
        const retries = { perMachine: 1, perController: 1, windowSeconds: 3_600 };
        await by.policy("tired", { cooldownSeconds: 3_600, retries });
        await by.check("tired", upTo("100%"));
        await found("True", "tired");
        await by.nodes("False", "tired");
        await handedOver("tired");
        await by.nodes("True", "tired");
        await found("True", "tired");
        await letGo("tired");
        const history = async () =>
          (await objects.read<RemediationPolicy>("remediationpolicies", "tired")).status?.remediations;
        await eventually(
          async () => expect(await history()).toMatchObject([{ outcome: "Recovered" }]),
          WITHIN,
        );
        await by.nodes("False", "tired");
        const change = (body: object) => objects.change("remediationpolicies", "tired", { spec: body });
        await blocked("tired", "ended less than 3600 s ago (spec.cooldownSeconds)");
        await change({ cooldownSeconds: 0 });
        await blocked("tired", "1 remediations of it have begun within 3600 s (spec.retries.perMachine)");
        await change({ retries: { perMachine: 2 } });
        await blocked(
          "tired",
          "1 remediations of Machines of its owner have begun within 3600 s (spec.retries.perController)",
        );
        expect(await by.bothOf("tired", "OwnerRemediated")).toEqual(NEITHER);
        await change({ retries: { perController: 2 } });
        await handedOver("tired");
        expect(await history()).toMatchObject([{ outcome: "Recovered" }, { machine: { name: "tired" } }]);
      });

      it("a policy keeps most of a control plane healthy, and one remediation of it at a time", async () => {
        const ready = {
          type: "Ready",
          status: "True" as const,
          reason: "Ready",
          message: "",
          lastTransitionTime: inSeconds(-90),
        };
        const labels = { "cluster.x-k8s.io/control-plane": "" };
        await by.make(
          { set: "planes", labels, conditions: [ready], annotations: { [HOLD]: "" } },
          "cp-1",
          "cp-2",
          "cp-3",
        );
        await by.policy("planes", { controlPlaneQuorum: true });
        await by.check("planes", upTo("100%"));
        await found("True", "cp-1", "cp-2", "cp-3");
        const release = (name: string) =>
          objects.change("machines", name, { metadata: { annotations: null } });
        await by.nodes("False", "cp-1", "cp-2");
        await found("False", "cp-1", "cp-2");
        await release("cp-1");
        await blocked(
          "planes",
          "1 of 3 control plane Machines would be healthy, and 2 must be (spec.controlPlaneQuorum)",
        );
        await by.nodes("True", "cp-2");
        await handedOver("cp-1");
        await release("cp-2");
        await by.nodes("False", "cp-2");
        await blocked("planes", "control plane Machine cp-1 is being remediated (spec.controlPlaneQuorum)");
        expect(await by.bothOf("cp-2", "OwnerRemediated")).toEqual(NEITHER);
        await objects.remove("machines", "cp-1");
        await by.make({ set: "planes", labels, conditions: [ready] }, "cp-4");
        await handedOver("cp-2");
      });

      it("a policy is refused by field, and cannot move to another Cluster", async () => {
        const pacing = { maxRemediations: 0, windowSeconds: 30 };
        for (const field of ["maxRemediations", "windowSeconds"]) {
          await expect(by.policy("bad", { pacing })).rejects.toThrow(`spec.pacing.${field}: Invalid value`);
        }
        await expect(by.policy("bad", { retries: { windowSeconds: 60 } })).rejects.toThrow(
          "set perMachine, perController or both",
        );
        await by.policy("bad", {});
        await expect(
          objects.change("remediationpolicies", "bad", { spec: { clusterName: "other" } }),
        ).rejects.toThrow("spec.clusterName");
      });
    },
  );
}
