import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import type { Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { MachineDrainRule } from "../../../../shared/api/machine/machine-drain-rule.ts";
import { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import { MachineHealthCheck } from "../../../../shared/api/machinehealthcheck.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { MachineSet } from "../../../../shared/api/machineset.ts";
import { toV1beta2 } from "../../../../shared/api/v1beta1/to-v1beta2.ts";

const V1BETA1 = "cluster.x-k8s.io/v1beta1";
const SINCE = "2026-01-01T00:00:00Z";
const former = { type: "Ready", status: "True", lastTransitionTime: SINCE };
const present = { ...former, reason: "Ready", message: "" };

function reference(kind: string, name: string): object {
  return { apiVersion: "infrastructure.example.com/v1beta1", kind, name, namespace: "default" };
}

function contractReference(kind: string, name: string): object {
  return { apiGroup: "infrastructure.example.com", kind, name };
}

function convert(kind: Kind, content: object): object {
  const object = { apiVersion: V1BETA1, kind: kind.kind, metadata: { name: "a" }, ...content };
  const { apiVersion, metadata, kind: _, ...converted } = toV1beta2(object).object;
  expect([apiVersion, metadata]).toEqual(["cluster.x-k8s.io/v1beta2", { name: "a" }]);
  const checked = kind.schema?.().safeParse({ ...object, ...converted, apiVersion });
  expect(checked?.error).toBeUndefined();
  return converted;
}

describe("a MachinePool of v1beta1", () => {
  it("has every field of its spec where v1beta2 has it", () => {
    const content = {
      spec: {
        clusterName: "c1",
        replicas: 3,
        minReadySeconds: 7,
        providerIDList: ["foo://1"],
        failureDomains: ["z1"],
        template: {
          metadata: { labels: { a: "b" } },
          spec: {
            clusterName: "c1",
            version: "v1.34.0",
            bootstrap: { configRef: reference("FooConfig", "b1"), dataSecretName: "" },
            infrastructureRef: reference("FooPool", "p1"),
            nodeDrainTimeout: "10m",
            nodeVolumeDetachTimeout: "1500ms",
            nodeDeletionTimeout: "0s",
            failureDomain: "z1",
          },
        },
      },
    };
    expect(convert(MachinePool, content)).toEqual({
      spec: {
        clusterName: "c1",
        replicas: 3,
        providerIDList: ["foo://1"],
        failureDomains: ["z1"],
        template: {
          metadata: { labels: { a: "b" } },
          spec: {
            clusterName: "c1",
            version: "v1.34.0",
            bootstrap: { configRef: contractReference("FooConfig", "b1"), dataSecretName: "" },
            infrastructureRef: contractReference("FooPool", "p1"),
            minReadySeconds: 7,
            deletion: {
              nodeDrainTimeoutSeconds: 600,
              nodeVolumeDetachTimeoutSeconds: 1,
              nodeDeletionTimeoutSeconds: 0,
            },
            failureDomain: "z1",
          },
        },
      },
    });
  });

  it("has every field of its status where v1beta2 has it", () => {
    const status = {
      bootstrapReady: true,
      infrastructureReady: false,
      conditions: [former],
      failureReason: "CreateError",
      failureMessage: "no",
      replicas: 4,
      readyReplicas: 1,
      availableReplicas: 2,
      unavailableReplicas: 3,
      phase: "Running",
      observedGeneration: 5,
      nodeRefs: [{ kind: "Node", name: "n1" }],
      versions: [{ version: "v1.34.0", replicas: 4 }],
      v1beta2: { conditions: [present], readyReplicas: 6, availableReplicas: 7, upToDateReplicas: 8 },
    };
    expect(convert(MachinePool, { ...poolSpec(), status })).toMatchObject({
      status: {
        initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: false },
        conditions: [present],
        replicas: 4,
        readyReplicas: 6,
        availableReplicas: 7,
        upToDateReplicas: 8,
        phase: "Running",
        observedGeneration: 5,
        nodeRefs: [{ kind: "Node", name: "n1" }],
        versions: [{ version: "v1.34.0", replicas: 4 }],
        deprecated: {
          v1beta1: {
            conditions: [former],
            failureReason: "CreateError",
            failureMessage: "no",
            readyReplicas: 1,
            availableReplicas: 2,
            unavailableReplicas: 3,
          },
        },
      },
    });
  });

  it("loses what v1beta1 wrote for nothing", () => {
    const { spec } = poolSpec();
    const template = { metadata: {}, spec: { ...spec.template.spec, version: "", failureDomain: "" } };
    expect(convert(MachinePool, { spec: { ...spec, template } })).toEqual(convert(MachinePool, poolSpec()));
  });

  it("is a good MachinePool of v1beta2 whatever optional fields it has", () =>
    fc.assert(
      fc.property(
        fc.record(
          {
            minReadySeconds: fc.nat(),
            replicas: fc.nat(),
            failureDomains: fc.array(fc.constantFrom("z1", "z2")),
          },
          { requiredKeys: [] },
        ),
        fc.record(
          {
            nodeDrainTimeout: fc.nat().map((seconds) => `${seconds}s`),
            nodeDeletionTimeout: fc.nat().map((minutes) => `${minutes}m`),
            version: fc.constantFrom("", "v1.34.0"),
            providerID: fc.constantFrom("", "foo://1"),
          },
          { requiredKeys: [] },
        ),
        (more, moreOfTemplate) => {
          const { spec } = poolSpec();
          const template = { spec: { ...spec.template.spec, ...moreOfTemplate } };
          const content = { spec: { ...spec, ...more, template } };
          const before = structuredClone(content);
          convert(MachinePool, content);
          expect(content).toEqual(before);
        },
      ),
    ));
});

function poolSpec() {
  const infrastructureRef = reference("FooPool", "p1");
  const template = { spec: { clusterName: "c1", bootstrap: { dataSecretName: "s" }, infrastructureRef } };
  return { spec: { clusterName: "c1", template } };
}

describe("a Cluster of v1beta1", () => {
  it("has its references and its status where v1beta2 has them", () => {
    const content = {
      spec: {
        paused: true,
        clusterNetwork: { pods: { cidrBlocks: ["10.0.0.0/8"] }, serviceDomain: "cluster.local" },
        controlPlaneEndpoint: { host: "example.com", port: 6443 },
        infrastructureRef: reference("FooCluster", "i1"),
        controlPlaneRef: reference("FooControlPlane", "p1"),
      },
      status: {
        phase: "Provisioned",
        infrastructureReady: true,
        controlPlaneReady: true,
        failureDomains: { z2: { controlPlane: true }, z1: {} },
        failureReason: "CreateError",
        failureMessage: "no",
        conditions: [former],
        observedGeneration: 2,
        v1beta2: { conditions: [present], controlPlane: { replicas: 1 }, workers: { desiredReplicas: 2 } },
      },
    };
    expect(convert(Cluster, content)).toEqual({
      spec: {
        ...content.spec,
        infrastructureRef: contractReference("FooCluster", "i1"),
        controlPlaneRef: contractReference("FooControlPlane", "p1"),
      },
      status: {
        phase: "Provisioned",
        observedGeneration: 2,
        initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
        failureDomains: [{ name: "z1" }, { name: "z2", controlPlane: true }],
        conditions: [present],
        controlPlane: { replicas: 1 },
        workers: { desiredReplicas: 2 },
        deprecated: {
          v1beta1: { conditions: [former], failureReason: "CreateError", failureMessage: "no" },
        },
      },
    });
  });

  it("loses an endpoint and a network that say nothing", () => {
    const infrastructureRef = reference("FooCluster", "i1");
    const spec = {
      infrastructureRef,
      controlPlaneEndpoint: { host: "", port: 0 },
      clusterNetwork: { pods: { cidrBlocks: [] }, services: {} },
    };
    expect(convert(Cluster, { spec })).toEqual({
      spec: { infrastructureRef: contractReference("FooCluster", "i1") },
    });
  });

  it("is refused with a topology, which names the field and the next step", () => {
    const spec = { topology: { class: "quick", version: "v1.34.0" } };
    expect(() => convert(Cluster, { spec })).toThrow(
      "Cluster default/a of cluster.x-k8s.io/v1beta1: spec.topology: is not converted, because it needs Cluster API's topology controller, which Capstan does not have; set infrastructureRef and controlPlaneRef instead",
    );
  });
});

describe("a Machine of v1beta1", () => {
  it("has its spec and its status where v1beta2 has them", () => {
    const content = {
      spec: {
        clusterName: "c1",
        bootstrap: { configRef: reference("FooConfig", "b1") },
        infrastructureRef: reference("FooMachine", "m1"),
        nodeDrainTimeout: "1m",
        version: "",
      },
      status: {
        nodeRef: { apiVersion: "v1", kind: "Node", name: "n1", uid: "u" },
        bootstrapReady: true,
        infrastructureReady: true,
        phase: "Running",
        conditions: [former],
        v1beta2: { conditions: [present] },
      },
    };
    expect(convert(Machine, content)).toEqual({
      spec: {
        clusterName: "c1",
        bootstrap: { configRef: contractReference("FooConfig", "b1") },
        infrastructureRef: contractReference("FooMachine", "m1"),
        deletion: { nodeDrainTimeoutSeconds: 60 },
      },
      status: {
        nodeRef: { name: "n1" },
        initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
        phase: "Running",
        conditions: [present],
        deprecated: { v1beta1: { conditions: [former] } },
      },
    });
  });
});

describe("a MachineSet of v1beta1", () => {
  it("has its spec and its status where v1beta2 has them", () => {
    const content = {
      spec: {
        clusterName: "c1",
        replicas: 3,
        minReadySeconds: 7,
        deletePolicy: "Oldest",
        machineNamingStrategy: { template: "m-{{ .random }}" },
        selector: { matchLabels: { a: "b" } },
        template: {
          metadata: { labels: { a: "b" } },
          spec: {
            clusterName: "c1",
            bootstrap: { configRef: reference("FooConfigTemplate", "b1") },
            infrastructureRef: reference("FooMachineTemplate", "i1"),
            nodeDrainTimeout: "1m",
          },
        },
      },
      status: {
        selector: "a=b",
        replicas: 3,
        fullyLabeledReplicas: 3,
        readyReplicas: 2,
        availableReplicas: 1,
        conditions: [former],
        v1beta2: { conditions: [present], readyReplicas: 4, availableReplicas: 5, upToDateReplicas: 6 },
      },
    };
    expect(convert(MachineSet, content)).toEqual({
      spec: {
        clusterName: "c1",
        replicas: 3,
        deletion: { order: "Oldest" },
        machineNaming: { template: "m-{{ .random }}" },
        selector: { matchLabels: { a: "b" } },
        template: {
          metadata: { labels: { a: "b" } },
          spec: {
            clusterName: "c1",
            bootstrap: { configRef: contractReference("FooConfigTemplate", "b1") },
            infrastructureRef: contractReference("FooMachineTemplate", "i1"),
            minReadySeconds: 7,
            deletion: { nodeDrainTimeoutSeconds: 60 },
          },
        },
      },
      status: {
        selector: "a=b",
        replicas: 3,
        readyReplicas: 4,
        availableReplicas: 5,
        upToDateReplicas: 6,
        conditions: [present],
        deprecated: {
          v1beta1: {
            conditions: [former],
            fullyLabeledReplicas: 3,
            readyReplicas: 2,
            availableReplicas: 1,
          },
        },
      },
    });
  });

  it("loses what v1beta1 wrote for nothing", () => {
    const infrastructureRef = reference("FooMachineTemplate", "i1");
    const template = { spec: { clusterName: "c1", bootstrap: { dataSecretName: "s" }, infrastructureRef } };
    const spec = { clusterName: "c1", selector: {}, template };
    const empty = { ...spec, deletePolicy: "", machineNamingStrategy: {} };
    expect(convert(MachineSet, { spec: empty })).toEqual(convert(MachineSet, { spec }));
  });
});

describe("a MachineDrainRule of v1beta1", () => {
  it("has the same fields as in v1beta2", () => {
    const spec = {
      drain: { behavior: "Drain", order: -3 },
      machines: [{ selector: { matchLabels: { os: "linux" } } }],
      pods: [{ namespaceSelector: { matchExpressions: [{ key: "team", operator: "Exists" }] } }],
    };
    expect(convert(MachineDrainRule, { spec })).toEqual({ spec });
  });
});

const CHECK = {
  spec: {
    clusterName: "c1",
    selector: { matchLabels: { role: "worker" } },
    nodeStartupTimeout: "1500ms",
    unhealthyConditions: [
      { type: "Ready", status: "Unknown", timeout: "5m" },
      { type: "Ready", status: "False", timeout: "5m0s" },
    ],
    unhealthyMachineConditions: [{ type: "NodeHealthy", status: "False", timeout: "0s" }],
    maxUnhealthy: "40%",
    unhealthyRange: "[1-3]",
    remediationTemplate: reference("FooRemediationTemplate", "t1"),
  },
};

describe("a MachineHealthCheck of v1beta1", () => {
  it("has its spec and its status where v1beta2 has them", () => {
    const status = {
      expectedMachines: 2,
      currentHealthy: 0,
      remediationsAllowed: 1,
      observedGeneration: 4,
      targets: ["m1", "m2"],
      conditions: [former],
      v1beta2: { conditions: [present] },
    };
    expect(convert(MachineHealthCheck, { ...CHECK, status })).toEqual({
      spec: {
        clusterName: "c1",
        selector: { matchLabels: { role: "worker" } },
        checks: {
          nodeStartupTimeoutSeconds: 1,
          unhealthyNodeConditions: [
            { type: "Ready", status: "Unknown", timeoutSeconds: 300 },
            { type: "Ready", status: "False", timeoutSeconds: 300 },
          ],
          unhealthyMachineConditions: [{ type: "NodeHealthy", status: "False", timeoutSeconds: 0 }],
        },
        remediation: {
          triggerIf: { unhealthyLessThanOrEqualTo: "40%", unhealthyInRange: "[1-3]" },
          templateRef: {
            apiVersion: "infrastructure.example.com/v1beta1",
            kind: "FooRemediationTemplate",
            name: "t1",
          },
        },
      },
      status: {
        expectedMachines: 2,
        remediationsAllowed: 1,
        observedGeneration: 4,
        targets: ["m1", "m2"],
        conditions: [present],
        deprecated: { v1beta1: { conditions: [former] } },
      },
    });
  });

  it("loses what v1beta1 wrote for nothing, and keeps a timeout of 0", () => {
    const spec = { clusterName: "c1", selector: CHECK.spec.selector };
    const empty = { ...spec, unhealthyConditions: [], unhealthyRange: "" };
    expect(convert(MachineHealthCheck, { spec: empty })).toEqual({ spec });
    expect(convert(MachineHealthCheck, { spec: { ...spec, nodeStartupTimeout: "0s" } })).toEqual({
      spec: { ...spec, checks: { nodeStartupTimeoutSeconds: 0 } },
    });
  });

  it.each(["v1beta1", "v1alpha4", "v1alpha3"])("of %s names each field that is renamed, once", (version) => {
    const object = {
      apiVersion: `cluster.x-k8s.io/${version}`,
      kind: "MachineHealthCheck",
      metadata: { name: "a" },
      ...CHECK,
    };
    const { object: converted, renamed } = toV1beta2(object);
    expect(converted.apiVersion).toBe("cluster.x-k8s.io/v1beta2");
    const pair = / of cluster\.x-k8s\.io\/v1\w+: (\S+) is applied as (\S+), its name in v1beta2$/;
    expect(renamed.map((text) => pair.exec(text)?.slice(1))).toEqual([
      ["spec.nodeStartupTimeout", "spec.checks.nodeStartupTimeoutSeconds"],
      ["spec.unhealthyConditions", "spec.checks.unhealthyNodeConditions"],
      ["spec.unhealthyConditions[].timeout", "spec.checks.unhealthyNodeConditions[].timeoutSeconds"],
      ["spec.unhealthyMachineConditions", "spec.checks.unhealthyMachineConditions"],
      [
        "spec.unhealthyMachineConditions[].timeout",
        "spec.checks.unhealthyMachineConditions[].timeoutSeconds",
      ],
      ["spec.maxUnhealthy", "spec.remediation.triggerIf.unhealthyLessThanOrEqualTo"],
      ["spec.unhealthyRange", "spec.remediation.triggerIf.unhealthyInRange"],
      ["spec.remediationTemplate", "spec.remediation.templateRef"],
    ]);
  });

  it.each([
    [
      { unhealthyConditions: [{ type: "Ready", status: "False", timeout: "5" }] },
      'spec.unhealthyConditions[0].timeout: "5" is not a duration of at least 0; write it with units',
    ],
    [{ nodeStartupTimeout: "-1s" }, 'spec.nodeStartupTimeout: "-1s" is not a duration of at least 0'],
    [{ remediationTemplate: { kind: "T", name: "t" } }, "spec.remediationTemplate.apiVersion: is missing"],
    [
      { remediationTemplate: { apiVersion: "v1", kind: "T", name: "t" } },
      'spec.remediationTemplate.apiVersion: "v1" has no group',
    ],
    [
      { remediationTemplate: { ...reference("T", "t"), namespace: "other" } },
      'spec.remediationTemplate.namespace: "other" is not the object\'s own',
    ],
    [{ maxHealthy: 1 }, "spec.maxHealthy: has no counterpart in v1beta2; leave it out"],
    [
      { unhealthyConditions: [{ type: "Ready", status: "False", timeout: "5m", reason: "x" }] },
      "spec.checks.unhealthyNodeConditions[0].reason: has no counterpart in v1beta2; leave it out",
    ],
  ])("is refused with %j, by field", (more, message) => {
    expect(() => convert(MachineHealthCheck, { spec: { ...CHECK.spec, ...more } })).toThrow(
      `MachineHealthCheck default/a of cluster.x-k8s.io/v1beta1: ${message}`,
    );
  });
});

describe("a MachineDeployment of v1beta1", () => {
  const template = {
    spec: {
      clusterName: "c1",
      version: "v1.34.0",
      bootstrap: { dataSecretName: "b1" },
      infrastructureRef: reference("FooTemplate", "t1"),
    },
  };
  const converted = { ...template.spec, infrastructureRef: contractReference("FooTemplate", "t1") };

  it("has every field of its spec where v1beta2 has it, without those that v1beta2 has not", () => {
    const spec = {
      clusterName: "c1",
      replicas: 3,
      minReadySeconds: 7,
      rolloutAfter: SINCE,
      strategy: {
        type: "RollingUpdate",
        rollingUpdate: { maxSurge: "50%", maxUnavailable: 0, deletePolicy: "Newest" },
        remediation: { maxInFlight: 2 },
      },
      machineNamingStrategy: { template: "m-{{ .random }}" },
      revisionHistoryLimit: 1,
      progressDeadlineSeconds: 600,
      paused: true,
      selector: { matchLabels: null },
      template,
    };
    expect(convert(MachineDeployment, { spec })).toEqual({
      spec: {
        clusterName: "c1",
        replicas: 3,
        rollout: {
          after: SINCE,
          strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "50%", maxUnavailable: 0 } },
        },
        remediation: { maxInFlight: 2 },
        deletion: { order: "Newest" },
        machineNaming: { template: "m-{{ .random }}" },
        paused: true,
        selector: { matchLabels: null },
        template: { spec: { ...converted, minReadySeconds: 7 } },
      },
    });
  });

  it("has every field of its status where v1beta2 has it", () => {
    const status = {
      conditions: [former],
      observedGeneration: 5,
      phase: "Running",
      selector: "a=b",
      replicas: 4,
      updatedReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      unavailableReplicas: 3,
      v1beta2: { conditions: [present], readyReplicas: 6, availableReplicas: 7, upToDateReplicas: 8 },
    };
    const spec = { clusterName: "c1", rolloutAfter: null, strategy: { rollingUpdate: {} }, template };
    expect(convert(MachineDeployment, { spec, status })).toEqual({
      spec: { clusterName: "c1", template: { spec: converted } },
      status: {
        conditions: [present],
        observedGeneration: 5,
        phase: "Running",
        selector: "a=b",
        replicas: 4,
        readyReplicas: 6,
        availableReplicas: 7,
        upToDateReplicas: 8,
        deprecated: {
          v1beta1: {
            conditions: [former],
            updatedReplicas: 3,
            readyReplicas: 2,
            availableReplicas: 1,
            unavailableReplicas: 3,
          },
        },
      },
    });
  });
});

describe("every other object", () => {
  it.each([
    [{ apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster" }],
    [{ apiVersion: V1BETA1, kind: "ClusterClass" }],
    [{ apiVersion: "infrastructure.example.com/v1beta1", kind: "Cluster" }],
  ])("stays as it is: %j", (type) => {
    const object: KubeObject = { ...type, metadata: { name: "a" } };
    expect(toV1beta2(object)).toEqual({ object, renamed: [] });
  });
});

describe("what Cluster API keeps of v1beta2 in an annotation", () => {
  it("goes, and other annotations stay", () => {
    const metadata = {
      name: "a",
      annotations: { "cluster.x-k8s.io/conversion-data": "{}", "example.com/note": "x" },
    };
    const spec = { infrastructureRef: reference("FooCluster", "i1") };
    const object = { apiVersion: V1BETA1, kind: "Cluster", metadata, spec };
    expect(toV1beta2(object).object.metadata.annotations).toEqual({ "example.com/note": "x" });
  });
});
