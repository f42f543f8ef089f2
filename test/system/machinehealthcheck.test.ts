import { afterAll, beforeAll, expect, it } from "vitest";
import type { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { FOO_CLUSTER } from "../support/foo-provider.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };

/** Health checks that no server takes, in the flow style of YAML. */

/** A health check of Cluster foo; `more` is further YAML of its spec. */
function checkOf(name: string, more = ""): string {
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: { name: ${name}, namespace: default }
spec:
  clusterName: foo
  selector: { matchLabels: { tier: a } }${more}
`;
}

const trigger = (limit: string) => `\n  remediation: { triggerIf: { ${limit} } }`;

/** Each with its manifest and the words of the server. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  [
    "an empty selector",
    checkOf("bad").replace("{ matchLabels: { tier: a } }", "{}"),
    "spec.selector: Required value: selector must not be empty",
  ],
  [
    "a selector that cannot be read",
    checkOf("bad").replace(
      "{ matchLabels: { tier: a } }",
      "{ matchExpressions: [{ key: tier, operator: Like, values: [a] }] }",
    ),
    "spec.selector.matchExpressions: Invalid value: ",
  ],
  [
    "the selector of another Cluster",
    checkOf("bad").replace("tier: a", "cluster.x-k8s.io/cluster-name: other"),
    "cannot specify a cluster selector other than the one specified by ClusterName",
  ],
  [
    "a short startup timeout",
    checkOf("bad", "\n  checks: { nodeStartupTimeoutSeconds: 10 }"),
    "must be at least 30s",
  ],
  [
    "a limit in quotes",
    checkOf("bad", trigger('unhealthyLessThanOrEqualTo: "10"')),
    "must be either an int or a percentage: ",
  ],
  [
    "a broken percentage",
    checkOf("bad", trigger('unhealthyLessThanOrEqualTo: "40.5%"')),
    "must be either an int or a percentage: ",
  ],
  [
    "a descending range",
    checkOf("bad", trigger('unhealthyInRange: "[5-3]"')),
    "must be [low-high], the smaller number first",
  ],
  [
    "a condition that the health check writes itself",
    checkOf(
      "bad",
      "\n  checks: { unhealthyMachineConditions: [{ type: OwnerRemediated, status: Unknown, timeoutSeconds: 1 }] }",
    ),
    "type must not be one of: Ready, Available,",
  ],
];

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
