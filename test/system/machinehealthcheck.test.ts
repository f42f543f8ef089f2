import { afterAll, beforeAll, expect, it } from "vitest";
import type { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { FOO_CLUSTER } from "../support/foo-provider.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { checkOf, REFUSED, trigger } from "../support/refused-health-checks.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };
const policy = (spec: string) => `
apiVersion: capstan.dev/v1alpha1
kind: RemediationPolicy
metadata: {name: bad}
spec: {clusterName: foo, ${spec}}
`;

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `a MachineHealthCheck on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let kubectl: Kubectl;
      const refused = async (verb: string, manifest: string, message: string) => {
        const { ok, output } = await kubectl.try(`${verb} -f -`, manifest);
        expect(ok).toBe(false);
        expect(output).toContain(message);
      };
      beforeAll(async () => {
        const server = stack.use(await flavour.start());
        kubectl = kubectlFor(server.kubeconfigFile);
        const functions = ["mhc-*", "remediationpolicy-*"];
        stack.use(await startCapstan(server.kubeconfigFile, { roles: ["relay", "worker"], functions }));
        await kubectl("apply -f -", FOO_CLUSTER.split("---")[0] ?? "");
      });
      afterAll(() => stack.disposeAsync());

      it.each(REFUSED)("is refused by field with %s", async (...[, manifest, message]) => {
        await refused("create", manifest, message);
      });

      it("is accepted with every limit that upstream accepts, and cannot move to another Cluster", async () => {
        for (const limit of ["0", "-1", '"150%"', '"-5%"']) {
          const manifest = checkOf("good", trigger(`unhealthyLessThanOrEqualTo: ${limit}`));
          await kubectl("apply -f -", manifest);
        }
        const moved = checkOf("good").replace("clusterName: foo", "clusterName: other");
        await refused("apply", moved, "spec.clusterName: Forbidden: field is immutable");
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

      it("has a policy that is refused by field, too", async () => {
        for (const pacing of [
          "{maxRemediations: 0, windowSeconds: 60}",
          "{maxRemediations: 1, windowSeconds: 30}",
        ])
          await refused("create", policy(`pacing: ${pacing}`), "Invalid value");
        await refused(
          "create",
          policy("retries: {windowSeconds: 60}"),
          "set perMachine, perController or both",
        );
      });
    },
  );
}
