import { afterAll, beforeAll, expect, it } from "vitest";
import { compareText } from "../../shared/rules/conditions/conditions.ts";
import { eventually } from "../support/eventually.ts";
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
import { FOO_MACHINE_PROVIDER } from "../support/foo-provider.ts";
import { patch, patchStatus } from "../support/foo-workload.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };
const RUNNING = "--for=jsonpath={.status.phase}=Running --timeout=240s";
const AVAILABLE = "--for=condition=Available --timeout=240s";

/** Comes twice where a slow machine lets the two writes of `machine-adopt` come back further apart than it waits. */
const SYNC = "machine-sync patch machines";
const BAR_CRD = "crd/barmachines.infrastructure.bar.example.com";
/** A kind of infrastructure machines that nothing else uses, without contract label. */
const BAR_MACHINES = (FOO_MACHINE_PROVIDER.split("---")[1] ?? "")
  .replaceAll("foomachine", "barmachine")
  .replaceAll("FooMachine", "BarMachine")
  .replaceAll("foo.example.com", "bar.example.com")
  .replace("  labels: { cluster.x-k8s.io/v1beta2: v1 }\n", "");

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `a Machine of a provider that Capstan does not know on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let scene: FooScene;
      beforeAll(async () => {
        scene = stack.use(await startFooScene(flavour));
        await scene.kubectl("apply -f -", FOO_MACHINE_PROVIDER);
        await scene.kubectl("wait crd --all --for=condition=Established --timeout=240s");
      });
      afterAll(() => stack.disposeAsync());

      /** A Machine whose provider objects are there, but not ready. */
      async function created(name: string, spec = ""): Promise<void> {
        await scene.kubectl(
          "apply -f -",
          [fooMachine(name, spec), fooConfig(name), fooInfra(name)].join("---"),
        );
      }

      it.each([
        ["Machine first", "a1", [fooMachine, fooInfra, fooConfig]],
        ["Machine last", "a2", [fooConfig, fooInfra, fooMachine]],
        ["Machine between", "a3", [fooInfra, fooMachine, fooConfig]],
      ] as const)("comes to Running in any order: %s", async (_, name, objects) => {
        const { kubectl, workload } = scene;
        for (const manifest of objects) await kubectl("apply -f -", manifest(name));
        await provide(kubectl, name);
        await joinHealthyNode(workload, name);
        await kubectl(`wait machine/${name} ${RUNNING}`);
        await kubectl(`wait machine/${name} ${AVAILABLE}`);
        const { metadata, spec, status } = await getMachine(kubectl, name);
        expect(metadata.ownerReferences?.map(({ kind }) => kind)).toEqual(["Cluster"]);
        expect(spec).toMatchObject({
          providerID: `foo://${name}`,
          bootstrap: { dataSecretName: `${name}-data` },
          deletion: { nodeDeletionTimeoutSeconds: 10 },
        });
        expect(status).toMatchObject({
          nodeRef: { name },
          failureDomain: "az-1",
          addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
          observedGeneration: metadata.generation,
        });
        for (const object of [`fooconfig/${name}`, `foomachine/${name}`]) {
          const owner = "{.metadata.ownerReferences[*].kind}={.metadata.ownerReferences[*].controller}";
          expect(await kubectl(`get ${object} -o jsonpath=${owner}`)).toBe("Machine=true");
        }
      });

      it("whose objects are ready costs six writes, one Event and no live read", async () => {
        const { kubectl, workload } = scene;
        await kubectl("apply -f -", `${fooConfig("six")}---${fooInfra("six")}`);
        await provide(kubectl, "six");
        await joinHealthyNode(workload, "six");
        await kubectl("apply -f -", fooMachine("six"));
        await kubectl(`wait machine/six ${AVAILABLE}`);
        const asked = async () => {
          const management = await scene.requests();
          const all = [...management, ...workload.server.requests];
          return all
            .filter(({ userAgent }) => / machine-(?!drain|delete)\w+$/.test(userAgent))
            .filter(({ name }) => name?.startsWith("six"))
            .map(({ userAgent, verb, resource, subresource, code }) => {
              const [, by] = userAgent.split(" ");
              const of = subresource === undefined ? resource : `${resource}/${subresource}`;
              return `${by} ${verb} ${of}${code < 400 ? "" : ` ${code}`}`;
            })
            .toSorted(compareText)
            .filter((text, at, texts) => text !== SYNC || at !== texts.indexOf(SYNC) + 1);
        };
        const expected = [
          "machine-adopt patch fooconfigs",
          "machine-adopt patch foomachines",
          "machine-guard patch machines",
          "machine-node patch nodes",
          "machine-status patch machines/status",
          SYNC,
        ];
        await eventually(
          async () => expect((await asked()).filter((text) => !text.includes(" events"))).toEqual(expected),
          WITHIN,
        );
        await eventually(async () => {
          const events = await kubectl(
            "get events --field-selector involvedObject.kind=Machine,involvedObject.name=six -o jsonpath={.items[*].reason}",
          );
          expect(events).toBe("SuccessfulSetNodeRef");
        }, WITHIN);
      });

      it("waits for a provider ID that is empty, and sets no latch before it", async () => {
        const { kubectl, workload } = scene;
        await created("empty");
        await provide(kubectl, "empty", "");
        await eventually(async () => {
          const machine = await getMachine(kubectl, "empty");
          expect(said(machine, "NodeReady")).toBe(
            "Unknown InspectionFailed Waiting for FooMachine to report spec.providerID",
          );
          expect(machine.status?.initialization).toEqual({ bootstrapDataSecretCreated: true });
        }, WITHIN);
        await patch(kubectl, "foomachine/empty", { spec: { providerID: "foo://empty" } });
        await joinHealthyNode(workload, "empty");
        await kubectl(`wait machine/empty ${RUNNING}`);
      });

      it("says which Machines share a provider ID, and the one that has its Node keeps it", async () => {
        const { kubectl, workload } = scene;
        await created("twin1");
        await provide(kubectl, "twin1");
        await joinHealthyNode(workload, "twin1");
        await kubectl(`wait machine/twin1 ${AVAILABLE}`);
        await created("twin2");
        await provide(kubectl, "twin2", "foo://twin1");
        const why = "Machines twin1, twin2 have the same provider ID foo://twin1";
        await eventually(async () => {
          const second = await getMachine(kubectl, "twin2");
          expect(said(second, "NodeReady")).toContain(why);
          expect(second.status?.nodeRef).toBeUndefined();
          const first = await getMachine(kubectl, "twin1");
          expect([said(first, "NodeReady"), first.status?.nodeRef]).toEqual([
            "True NodeReady ",
            { name: "twin1" },
          ]);
        }, WITHIN);
        await patch(kubectl, "foomachine/twin2", { spec: { providerID: "foo://twin2" } });
        await joinHealthyNode(workload, "twin2");
        await kubectl(`wait machine/twin2 ${AVAILABLE}`);
      });

      it("names two Nodes with one provider ID, and takes neither", async () => {
        const { kubectl, workload } = scene;
        await joinHealthyNode(workload, "double");
        const second =
          "apiVersion: v1\nkind: Node\nmetadata: { name: double-b }\nspec: { providerID: 'foo://double' }";
        await workload.kubectl("create -f -", second);
        await created("double");
        await provide(kubectl, "double");
        await eventually(async () => {
          const machine = await getMachine(kubectl, "double");
          expect(said(machine, "NodeHealthy")).toBe(
            "Unknown InternalError Nodes double, double-b have the same provider ID foo://double; delete all but one",
          );
          expect(machine.status?.nodeRef).toBeUndefined();
        }, WITHIN);
        await workload.kubectl("delete node/double-b");
        await kubectl(`wait machine/double ${AVAILABLE}`);
      });

      it("steals no config of another controller, says whose it is, and continues with the rest", async () => {
        const { kubectl } = scene;
        await kubectl("apply -f -", `${fooConfig("stolen")}---${fooInfra("stolen")}`);
        const uid = await kubectl("get foomachine/stolen -o jsonpath={.metadata.uid}");
        const owner = {
          apiVersion: "infrastructure.foo.example.com/v1",
          kind: "FooMachine",
          name: "stolen",
          uid,
          controller: true,
        };
        await patch(kubectl, "fooconfig/stolen", { metadata: { ownerReferences: [owner] } });
        await provide(kubectl, "stolen");
        await kubectl("apply -f -", fooMachine("stolen"));
        await eventually(
          async () => {
            const { spec, ...machine } = await getMachine(kubectl, "stolen");
            expect(said({ spec, ...machine }, "BootstrapConfigReady")).toBe(
              "False NotReady FooConfig stolen is controlled by FooMachine stolen",
            );
            expect(spec).toMatchObject({ providerID: "foo://stolen" });
            expect(spec.bootstrap.dataSecretName).toBeUndefined();
          },
          { ...WITHIN, withinMs: 120_000 },
        );
      });

      it("leaves a Secret name that a user sets, and names the user's tool", async () => {
        const { kubectl } = scene;
        await created("mine");
        await kubectl(
          `patch machine/mine --type=merge --field-manager=by-hand -p '{"spec":{"bootstrap":{"dataSecretName":"my-own"}}}'`,
        );
        await provide(kubectl, "mine");
        await eventually(async () => {
          const machine = await getMachine(kubectl, "mine");
          expect(said(machine, "BootstrapConfigReady")).toBe(
            "True DataSecretProvided data secret name is set by by-hand",
          );
          expect(machine.status?.initialization).toEqual({
            bootstrapDataSecretCreated: true,
            infrastructureProvisioned: true,
          });
          expect(machine.spec.bootstrap.dataSecretName).toBe("my-own");
        }, WITHIN);
      });

      it("names a CRD without contract label, continues once it has one, and ends without the CRD", async () => {
        const { kubectl } = scene;
        await kubectl("apply -f -", `${BAR_MACHINES}---${fooConfig("bar")}`);
        await kubectl(`wait ${BAR_CRD} --for=condition=Established --timeout=240s`);
        const inBar = (manifest: string) =>
          manifest
            .replace("infrastructure.foo.example.com", "infrastructure.bar.example.com")
            .replace("FooMachine", "BarMachine");
        await kubectl("apply -f -", [fooMachine("bar"), fooInfra("bar")].map(inBar).join("---"));
        const condition = async () => said(await getMachine(kubectl, "bar"), "InfrastructureReady");
        await eventually(
          async () =>
            expect(await condition()).toMatch(/^Unknown InternalError .*barmachines.* has no label/),
          { ...WITHIN, withinMs: 120_000 },
        );
        await kubectl(`label ${BAR_CRD} cluster.x-k8s.io/v1beta2=v1`);
        await eventually(
          async () =>
            expect(await condition()).toBe(
              "False NotReady BarMachine status.initialization.provisioned is false",
            ),
          WITHIN,
        );
        await kubectl(`delete ${BAR_CRD}`);
        await kubectl("delete machine/bar --timeout=240s");
      });

      it("shows values of a wrong type and uses the others", async () => {
        const { kubectl } = scene;
        await created("odd");
        await provide(kubectl, "odd");
        await patch(kubectl, "foomachine/odd", { spec: { failureDomain: 7 } });
        await patchStatus(kubectl, "foomachine/odd", { addresses: ["10.0.0.1"] });
        await patchStatus(kubectl, "fooconfig/odd", { dataSecretName: 7 });
        await eventually(async () => {
          const machine = await getMachine(kubectl, "odd");
          expect(said(machine, "InfrastructureReady")).toContain("spec.failureDomain is not a string");
          expect(said(machine, "InfrastructureReady")).toContain("status.addresses is not a list");
          expect(said(machine, "BootstrapConfigReady")).toContain("status.dataSecretName is not a string");
          expect(machine.spec.providerID).toBe("foo://odd");
        }, WITHIN);
      });
    },
  );
}
