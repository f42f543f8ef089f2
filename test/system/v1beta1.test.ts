import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { runCli } from "../support/processes/cli.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

/** As `clusterctl generate cluster` of a Cluster API before v1.11 writes it. */
const MANIFEST = `
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: { name: old, namespace: default }
spec:
  clusterNetwork: { pods: { cidrBlocks: [192.168.0.0/16] } }
  controlPlaneEndpoint: { host: "", port: 0 }
  infrastructureRef:
    { apiVersion: infrastructure.sim.capstan.dev/v1beta2, kind: SimCluster, name: old, namespace: default }
  controlPlaneRef: { apiVersion: controlplane.sim.capstan.dev/v1beta2, kind: SimControlPlane, name: old }
---
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimCluster
metadata: { name: old, namespace: default }
spec: {}
---
apiVersion: controlplane.sim.capstan.dev/v1beta2
kind: SimControlPlane
metadata: { name: old, namespace: default }
spec: { version: v1.34.2 }
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachinePool
metadata: { name: old-pool, namespace: default }
spec:
  clusterName: old
  replicas: 2
  minReadySeconds: 1
  template:
    metadata: {}
    spec:
      clusterName: old
      version: v1.34.2
      nodeDeletionTimeout: 2m
      bootstrap:
        configRef: { apiVersion: bootstrap.sim.capstan.dev/v1beta2, kind: SimBootstrapConfig, name: old-pool }
      infrastructureRef:
        { apiVersion: infrastructure.sim.capstan.dev/v1beta2, kind: SimMachinePool, name: old-pool }
---
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimMachinePool
metadata: { name: old-pool, namespace: default }
spec: {}
---
apiVersion: bootstrap.sim.capstan.dev/v1beta2
kind: SimBootstrapConfig
metadata: { name: old-pool, namespace: default }
spec: {}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineSet
metadata: { name: old-set, namespace: default }
spec:
  clusterName: old
  replicas: 1
  minReadySeconds: 1
  deletePolicy: Oldest
  selector: { matchLabels: { set: old } }
  template:
    metadata: { labels: { set: old } }
    spec:
      clusterName: old
      version: v1.34.2
      nodeDrainTimeout: 1m30s
      bootstrap:
        configRef: { apiVersion: bootstrap.sim.capstan.dev/v1beta2, kind: SimBootstrapConfigTemplate, name: old }
      infrastructureRef: { apiVersion: infrastructure.sim.capstan.dev/v1beta2, kind: SimMachineTemplate, name: old }
---
apiVersion: bootstrap.sim.capstan.dev/v1beta2
kind: SimBootstrapConfigTemplate
metadata: { name: old, namespace: default }
spec: { template: { spec: {} } }
---
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimMachineTemplate
metadata: { name: old, namespace: default }
spec: { template: { spec: {} } }
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: Machine
metadata: { name: old-machine, namespace: default }
spec:
  clusterName: old
  version: v1.34.2
  nodeVolumeDetachTimeout: 2m
  bootstrap: { dataSecretName: by-hand }
  infrastructureRef: { apiVersion: infrastructure.sim.capstan.dev/v1beta2, kind: SimMachine, name: old-machine }
---
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimMachine
metadata: { name: old-machine, namespace: default }
spec: {}
---
${oldCheck("v1beta1", "unhealthyRange: '[0-2]', unhealthyMachineConditions: [{ type: NodeReady, status: 'False', timeout: 10m }]")}
---
${oldCheck("v1alpha4", "nodeStartupTimeout: 45500ms, maxUnhealthy: 40%, remediationTemplate: { apiVersion: example.com/v1, kind: ATemplate, name: a }")}
---
${oldCheck("v1alpha3", "maxUnhealthy: 40%")}
`;

/** A health check of an earlier version, as its users wrote it. */
function oldCheck(version: string, more: string): string {
  const condition = "{ type: Ready, status: Unknown, timeout: 5m }";
  return `
apiVersion: cluster.x-k8s.io/${version}
kind: MachineHealthCheck
metadata: { name: ${version}, namespace: default }
spec: { clusterName: old, selector: { matchLabels: { set: old } }, unhealthyConditions: [${condition}], ${more} }
`;
}

/** The example of the proposal of health checks. */
const PROPOSED = `
apiVersion: cluster.x-k8s.io/v1alpha3
kind: MachineHealthCheck
metadata: { name: example, namespace: default }
spec:
  selector: { matchLabels: { role: worker } }
  unhealthyConditions: [{ type: Ready, status: Unknown, timeout: 5m }]
  maxUnhealthy: 40%
`;

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `manifests of v1beta1 on ${flavour.name}`,
    () => {
      it("are applied as v1beta2 and reach Running", async () => {
        await using server = await flavour.start();
        const dir = testFolder("v1beta1");
        const file = join(dir, "old.yaml");
        await writeFile(file, MANIFEST);
        const to = ["--kubeconfig", server.kubeconfigFile, "--install-crds"];
        const { code, output } = await runCli("up", ...to, "-f", file, "--until-ready", "--timeout", "240");
        expect(output).toMatch(/MachinePool default\/old-pool .*Running/);
        for (const version of ["v1beta1", "v1alpha4", "v1alpha3"]) {
          const check = `MachineHealthCheck default/${version} of cluster.x-k8s.io/${version}`;
          expect(output).toContain(`${check}: spec.unhealthyConditions becomes spec.checks.`);
        }
        expect(code).toBe(0);
        await writeFile(file, PROPOSED);
        const refused = await runCli("up", ...to, "-f", file);
        expect(refused.code).toBe(1);
        expect(refused.output).toMatch(/spec\.maxUnhealthy becomes [\s\S]*spec\.clusterName: Required value/);
        const kubectl = kubectlFor(server.kubeconfigFile);
        const { spec } = JSON.parse(await kubectl("get machinepool/old-pool -o json"));
        expect(spec.template.spec).toMatchObject({
          minReadySeconds: 1,
          deletion: { nodeDeletionTimeoutSeconds: 120 },
          infrastructureRef: { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachinePool" },
        });
        const { spec: set } = JSON.parse(await kubectl("get machineset/old-set -o json"));
        expect(set).toMatchObject({
          replicas: 1,
          deletion: { order: "Oldest" },
          template: { spec: { minReadySeconds: 1, deletion: { nodeDrainTimeoutSeconds: 90 } } },
        });
        const { spec: machine } = JSON.parse(await kubectl("get machine/old-machine -o json"));
        expect(machine).toMatchObject({
          deletion: { nodeVolumeDetachTimeoutSeconds: 120 },
          infrastructureRef: { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachine" },
        });
        const { items } = JSON.parse(await kubectl("get mhc -o json"));
        const limit = { unhealthyLessThanOrEqualTo: "40%" };
        const templateRef = { apiVersion: "example.com/v1", kind: "ATemplate", name: "a" };
        expect(items.map((check: MachineHealthCheck) => check.spec)).toMatchObject([
          { checks: { nodeStartupTimeoutSeconds: 600 }, remediation: { triggerIf: limit } },
          { checks: { nodeStartupTimeoutSeconds: 45 }, remediation: { triggerIf: limit, templateRef } },
          {
            checks: {
              unhealthyNodeConditions: [{ type: "Ready", status: "Unknown", timeoutSeconds: 300 }],
              unhealthyMachineConditions: [{ type: "NodeReady", status: "False", timeoutSeconds: 600 }],
            },
            remediation: { triggerIf: { unhealthyInRange: "[0-2]" } },
          },
        ]);
      });
    },
  );
}
