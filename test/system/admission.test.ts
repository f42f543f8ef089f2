import { afterAll, beforeAll, expect, it } from "vitest";
import { admissionPolicy } from "../../infra/deploy/manifests/base.ts";
import { loadCrds } from "../../infra/platform/crds/crd.ts";
import { valueAt } from "../../shared/api/path.ts";
import { TRAITS } from "../../shared/api/traits.ts";
import { eventually } from "../support/eventually.ts";
import { API_SERVERS, REAL } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };
const infrastructureRef = { apiGroup: "infrastructure.example.com", kind: "FooThing", name: "one" };
const MACHINE = { clusterName: "c1", bootstrap: { dataSecretName: "s" }, infrastructureRef };
const LABELS = { tier: "a" };

const object = (kind: string, spec: object, name = "one") => ({
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind,
  metadata: { name, namespace: "default" },
  spec,
});
const cluster = (...cidrBlocks: readonly string[]) =>
  object("Cluster", { infrastructureRef, clusterNetwork: { pods: { cidrBlocks } } });
const machine = (fields: object) => object("Machine", { ...MACHINE, ...fields });
const set = (fields: object, labels: object = LABELS) =>
  object("MachineSet", {
    clusterName: "c1",
    selector: { matchLabels: LABELS },
    template: { metadata: { labels }, spec: MACHINE },
    ...fields,
  });
const pool = (fields: object) =>
  object("MachinePool", { clusterName: "c1", template: { spec: { ...MACHINE, ...fields } } });
const check = (fields: object) =>
  object("MachineHealthCheck", { clusterName: "c1", selector: { matchLabels: LABELS }, ...fields });
const drain = (requirement: object) =>
  object("MachineDrainRule", {
    drain: { behavior: "Skip" },
    pods: [{ selector: { matchExpressions: [requirement] } }],
  });
const address = (fields: object) => ({
  ...object("IPAddress", {
    claimRef: { name: "one" },
    poolRef: { apiGroup: "ipam.example.com", kind: "FooPool", name: "one" },
    address: "10.0.0.2",
    prefix: 24,
    ...fields,
  }),
  apiVersion: "ipam.cluster.x-k8s.io/v1beta2",
});
const CLASS = object("ClusterClass", {
  infrastructure: {
    templateRef: { apiVersion: "a.example.com/v1", kind: "FooClusterTemplate", name: "one" },
  },
  controlPlane: { templateRef: { apiVersion: "a.example.com/v1", kind: "FooPlaneTemplate", name: "one" } },
});
const EXTENSION = {
  apiVersion: "runtime.cluster.x-k8s.io/v1beta2",
  kind: "ExtensionConfig",
  metadata: { name: "one" },
  spec: { clientConfig: { url: "https://example.com" } },
};
const naming = (template: string) => ({ machineNaming: { template } });
const selecting = (requirement: object) => ({ selector: { matchExpressions: [requirement] } });

const REFUSED: readonly (readonly [string, object, string])[] = [
  ["blocks of a network with too many bits", cluster("10.0.0.0/99"), "CIDR notation"],
  ["one block of two without bits", cluster("10.0.0.0/8", "fd00::"), "CIDR notation"],
  ["a Machine of half a version", machine({ version: "1.x" }), "semantic version"],
  ["a Machine with an empty pre-release", machine({ version: "v1.34.2-" }), "semantic version"],
  ["a Machine that has no way to become a Node", machine({ bootstrap: {} }), "must be set"],
  ["a pool of half a version", pool({ version: "v1.34" }), "semantic version"],
  ["a set with an unknown operator", set(selecting({ key: "a", operator: "Is" })), "In or NotIn"],
  ["a set with In of nothing", set(selecting({ key: "a", operator: "In" })), "In or NotIn"],
  ["a set with a malformed key", set(selecting({ key: "a b", operator: "Exists" })), "should match"],
  ["labels that no Machine can have", set({}, { ...LABELS, a: "b c" }), "should match"],
  ["names of an unknown variable", set(naming("{{ .foo }}-{{ .random }}")), "the variables"],
  ["names with capitals", set(naming("A-{{ .random }}")), "the variables"],
  [
    "a health check of Exists with values",
    check(selecting({ key: "a", operator: "Exists", values: ["b"] })),
    "In or NotIn",
  ],
  ["a drain rule with In of nothing", drain({ key: "a", operator: "In" }), "anyOf"],
  ["a drain rule of Exists with values", drain({ key: "a", operator: "Exists", values: ["b"] }), "anyOf"],
  [
    "a drain rule with a malformed value",
    drain({ key: "a", operator: "In", values: ["b c"] }),
    "should match",
  ],
  ["an address that has a name's form", address({ address: "a.example.com" }), "must be a valid address"],
  ["a gateway of three numbers", address({ gateway: "10.0.0" }), "must be a valid address"],
  ["an address of IPv4 with a prefix of IPv6", address({ prefix: 64 }), "at most 32"],
  ["a class of Clusters", CLASS, "write a Cluster with infrastructureRef and controlPlaneRef instead"],
  ["a runtime extension", { ...EXTENSION, status: { handlers: [] } }, "leave it out"],
];

const ACCEPTED: readonly (readonly [string, object])[] = [
  ["blocks of both families, with bits behind the mask", cluster("10.0.0.1/8", "fd00::/48")],
  ["a Machine of a version without v", machine({ version: "1.34.2-rc.1+rke2r1" })],
  ["a Machine that wants no data, as those of pools", machine({ bootstrap: { dataSecretName: "" } })],
  ["a set that selects by expressions", set(selecting({ key: "tier", operator: "In", values: ["a"] }))],
  ["names of all variables", set(naming("{{ .cluster.name }}-{{.machineSet.name}}.{{ .random }}"))],
  ["a label with an empty value", set({}, { ...LABELS, "example.com/empty": "" })],
  ["a drain rule with In and Exists", drain({ key: "example.com/a", operator: "In", values: ["", "b"] })],
  ["an address of IPv4", address({ gateway: "10.0.0.1" })],
  ["an address of IPv6", address({ address: "fd00::2", prefix: 64 })],
];

const CONTROL_PLANE = { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" };
const tainted = machine({ taints: [{ ...CONTROL_PLANE, propagation: "Always" }] });
const noted = (annotations: object, labels: object = {}) => {
  const { metadata, ...rest } = set({});
  return { ...rest, metadata: { ...metadata, annotations, labels } };
};
const SKIPS = "machineset.cluster.x-k8s.io/skip-preflight-checks";
const sized = (min: string) => {
  const prefix = "cluster.x-k8s.io/cluster-api-autoscaler-node-group";
  return noted({ [`${prefix}-min-size`]: min, [`${prefix}-max-size`]: "5" });
};

/** By the admission policy, which the embedded server does not run. */
const POLICY_REFUSED: readonly (readonly [string, object, string])[] = [
  ["a worker with the taint of control planes", tainted, "on workers"],
  ["an unknown preflight check", noted({ [SKIPS]: "All, None" }), "comma list"],
  ["malformed sizes of an autoscaler", sized("few"), "must be counts"],
  ["a label key that no Machine can have", set({}, { ...LABELS, "a b": "c" }), "keys of labels"],
  [
    "expressions that the labels do not match",
    set(selecting({ key: "b", operator: "Exists" })),
    "must match",
  ],
  [
    "expressions that exclude the labels",
    set(selecting({ key: "tier", operator: "NotIn", values: ["a"] })),
    "must match",
  ],
];
const POLICY_ACCEPTED: readonly (readonly [string, object])[] = [
  [
    "the taint on a control plane Machine",
    {
      ...tainted,
      metadata: { ...tainted.metadata, labels: { "cluster.x-k8s.io/control-plane": "" } },
    },
  ],
  ["two preflight checks", noted({ [SKIPS]: "KubeadmVersionSkew, ControlPlaneIsStable" })],
  ["no preflight check", noted({ [SKIPS]: "" })],
  ["sizes of an autoscaler", sized("1")],
  ["expressions that do not concern the labels", set(selecting({ key: "b", operator: "DoesNotExist" }))],
];

/** Source: config/rbac/role.yaml of CAPV v1.16.1 and of the in-cluster provider of IPAM v1.1.0, which end without them. */
const WATCHED = [
  ...["clusters", "machines", "machinesets", "machinedeployments"].map(
    (plural) => `cluster.x-k8s.io/v1beta2/${plural}`,
  ),
  ...["ipaddressclaims", "ipaddresses"].map((plural) => `ipam.cluster.x-k8s.io/v1beta2/${plural}`),
];

/** The CRDs as they were before a rule: without any. */
async function crds(kubectl: Kubectl, change: (text: string) => string = (text) => text): Promise<void> {
  const items = await loadCrds(TRAITS.map(({ kind }) => kind));
  await kubectl(
    "apply --server-side -f -",
    change(JSON.stringify({ apiVersion: "v1", kind: "List", items })),
  );
  // kubectl 1.33 does not wait for a CRD without a status.
  await eventually(() => kubectl("wait crd --all --for=condition=Established --timeout=60s"), WITHIN);
}
const withoutRules = (text: string) =>
  JSON.stringify(JSON.parse(text), (member, value: unknown) =>
    member === "x-kubernetes-validations" || member === "pattern" ? undefined : value,
  );

describeWith(REAL.missing ?? kubectlMissing(), REAL)("what the admission policy refuses", () => {
  const stack = new AsyncDisposableStack();
  let kubectl: Kubectl;
  const tried = (manifest: object) =>
    kubectl.try("create --dry-run=server -o name -f -", JSON.stringify(manifest));
  const old = { metadata: { ...tainted.metadata, name: "old", finalizers: ["example.com/a"] } };
  beforeAll(async () => {
    kubectl = kubectlFor(stack.use(await REAL.start()).kubeconfigFile);
    await crds(kubectl);
    await kubectl("create -f -", JSON.stringify({ ...tainted, ...old }));
    const items = admissionPolicy("capstan-system");
    await kubectl("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    await eventually(async () => expect((await tried(tainted)).ok).toBe(false), WITHIN);
  });
  afterAll(() => stack.disposeAsync());

  it.each(POLICY_REFUSED)("refuses %s", async (_, manifest, message) => {
    const { ok, output } = await tried(manifest);
    expect([ok, output]).toEqual([false, expect.stringContaining(message)]);
  });

  it.each([...ACCEPTED, ...POLICY_ACCEPTED])("accepts %s", async (_, manifest) => {
    const { ok, output } = await tried(manifest);
    expect([ok, output]).toEqual([true, output]);
  });

  it("lets an older object change where it is right, and go", async () => {
    const change = (patch: object) =>
      kubectl.try(`patch machine/old --type=merge -p '${JSON.stringify(patch)}'`);
    for (const patch of [
      { spec: { minReadySeconds: 3 } },
      { metadata: { annotations: { a: "b" }, finalizers: null } },
    ]) {
      const { ok, output } = await change(patch);
      expect([ok, output]).toEqual([true, output]);
    }
    expect(
      (await change({ spec: { taints: [{ ...CONTROL_PLANE, propagation: "OnInitialization" }] } })).ok,
    ).toBe(false);
  });

  it("has no mistake that the server sees", async () => {
    await eventually(async () => {
      const status = await kubectl("get validatingadmissionpolicy -o jsonpath={.items[*].status}");
      expect(status).not.toContain("expressionWarnings");
    }, WITHIN);
  });
});

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `what the CRDs refuse and fill in on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let kubectl: Kubectl;
      const tried = (manifest: object) =>
        kubectl.try("create --dry-run=server -o json -f -", JSON.stringify(manifest));
      beforeAll(async () => {
        kubectl = kubectlFor(stack.use(await flavour.start()).kubeconfigFile);
        await crds(kubectl);
      });
      afterAll(() => stack.disposeAsync());

      it.each(WATCHED)(
        "shows providers %s, by a list, a watch, and a watch with all objects",
        async (path) => {
          const asked = async (query: string) => {
            const shown = await kubectl.try(`get --raw '/apis/${path}?${query}'`);
            if (!shown.output.includes("Unauthorized")) return shown;
            // kubectl before 1.34 leaves out the path of the server's URL, in which the embedded one has its token.
            const server = await kubectl("config view --minify -o jsonpath={.clusters[0].cluster.server}");
            return kubectl.try(`get --raw '${new URL(server).pathname}/apis/${path}?${query}'`);
          };
          const { metadata } = JSON.parse((await asked("")).output);
          const watched = (query: string) => asked(`watch=true&timeoutSeconds=1&${query}`);
          expect((await watched(`resourceVersion=${metadata.resourceVersion}`)).ok).toBe(true);
          const whole = await watched(
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
          );
          // Clients of client-go 0.35 and newer ask so first, and list where that is refused.
          expect(whole.output).toMatch(whole.ok ? /initial-events-end/ : /sendInitialEvents/);
        },
      );

      it.each(REFUSED)("refuses %s", async (_, manifest, message) => {
        const { ok, output } = await tried(manifest);
        expect(ok).toBe(false);
        expect(output).toContain(message);
      });

      it.each(ACCEPTED)("accepts %s", async (_, manifest) => {
        const { ok, output } = await tried(manifest);
        expect([ok, output]).toEqual([true, output]);
      });

      it.each([
        ["a Machine", machine({}), "spec.deletion.nodeDeletionTimeoutSeconds", 10],
        [
          "a Machine with other timeouts",
          machine({ deletion: { nodeDrainTimeoutSeconds: 1 } }),
          "spec.deletion.nodeDeletionTimeoutSeconds",
          10,
        ],
        [
          "a Machine without limit",
          machine({ deletion: { nodeDeletionTimeoutSeconds: 0 } }),
          "spec.deletion.nodeDeletionTimeoutSeconds",
          0,
        ],
        ["a pool", pool({}), "spec.template.spec.deletion.nodeDeletionTimeoutSeconds", 10],
        ["a set", set({}), "spec.template.spec.deletion", undefined],
        ["a health check", check({}), "spec.checks.nodeStartupTimeoutSeconds", 600],
      ])("fills in what %s leaves out", async (_, manifest, path, value) => {
        const { output } = await tried(manifest);
        expect(valueAt(JSON.parse(output), path)).toBe(value);
      });
    },
  );

  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `objects older than a rule on ${flavour.name}`,
    () => {
      it("can be changed where they are right, and let go", async () => {
        await using server = await flavour.start();
        const kubectl = kubectlFor(server.kubeconfigFile);
        await crds(kubectl, withoutRules);
        const old = { finalizers: ["example.com/a"] };
        for (const one of [
          cluster("10.0.0.0/99"),
          machine({ version: "1.x", bootstrap: {} }),
          set({}, { ...LABELS, a: "b c" }),
          CLASS,
          address({}),
        ]) {
          await kubectl("create -f -", JSON.stringify({ ...one, metadata: { ...one.metadata, ...old } }));
        }
        const left = JSON.stringify({ status: { observedGeneration: 1 } });
        await kubectl(`patch clusterclass one --subresource=status --type=merge -p '${left}'`);
        await crds(kubectl);
        const refused = JSON.stringify(object("Machine", { ...MACHINE, version: "1.x" }, "two"));
        await eventually(
          async () => expect((await kubectl.try("create --dry-run=server -f -", refused)).ok).toBe(false),
          WITHIN,
        );
        const change = (of: string, patch: object) =>
          kubectl.try(`patch ${of} --type=merge -p '${JSON.stringify(patch)}'`);
        for (const [of, patch] of [
          ["cluster/one", { spec: { paused: true } }],
          ["machine/one", { spec: { minReadySeconds: 3 } }],
          ["machineset/one", { spec: { replicas: 3 } }],
          ["clusterclass/one", { spec: { kubernetesVersions: ["v1.34.0"] } }],
          ["ipaddresses.ipam.cluster.x-k8s.io/one", { metadata: { annotations: { a: "b" } } }],
        ] as const) {
          const letGo = { metadata: { finalizers: null, labels: { a: "b" } } };
          for (const each of [patch, letGo]) {
            const { ok, output } = await change(of, each);
            expect([of, ok, output]).toEqual([of, true, output]);
          }
        }
        expect(
          (await change("ipaddresses.ipam.cluster.x-k8s.io/one", { spec: { prefix: 25 } })).output,
        ).toContain("immutable");
        expect((await change("machine/one", { spec: { version: "1.y" } })).output).toContain(
          "semantic version",
        );
      });
    },
  );
}
