import { describe, expect, it } from "vitest";
import { functionProcesses, workersOf } from "../../../../infra/deploy/manifests/deployments.ts";
import { scaledGroup, scalingComponents } from "../../../../infra/deploy/manifests/scaling.ts";
import { GROUPS } from "../../../../shared/function/groups.ts";

const functions = await functionProcesses();
const { keda, "keda-prometheus": prometheus, hpa, ...others } = scalingComponents(functions);
const BEHAVIOR = {
  scaleDown: {
    stabilizationWindowSeconds: 120,
    policies: [{ type: "Percent", value: 50, periodSeconds: 60 }],
  },
};

describe("components for scaling", () => {
  it("keda has one ScaledObject per group, which asks the relay over mTLS", () => {
    const [authentication, ...scaled] = keda?.files["keda"] ?? [];
    expect(scaled.map(({ metadata }) => metadata.name)).toEqual(GROUPS.map(workersOf));
    expect(scaledGroup("core")["spec"]).toEqual({
      scaleTargetRef: { name: "capstan-worker-core" },
      pollingInterval: 5,
      minReplicaCount: 1,
      maxReplicaCount: 20,
      fallback: { failureThreshold: 3, replicas: 1, behavior: "currentReplicasIfHigher" },
      advanced: { horizontalPodAutoscalerConfig: { behavior: BEHAVIOR } },
      triggers: [
        {
          type: "metrics-api",
          metricType: "AverageValue",
          metadata: {
            url: "https://capstan-relay.capstan-system.svc:8443/scale?group=core",
            valueLocation: "workers",
            targetValue: "1",
            authMode: "tls",
          },
          authenticationRef: { name: authentication?.metadata.name },
        },
      ],
    });
    expect(authentication?.["spec"]).toEqual({
      secretTargetRef: [
        { parameter: "ca", name: "capstan-diagnostics-client", key: "ca.crt" },
        { parameter: "cert", name: "capstan-diagnostics-client", key: "tls.crt" },
        { parameter: "key", name: "capstan-diagnostics-client", key: "tls.key" },
      ],
    });
  });

  it("keda-per-function and hpa-per-function have one for each function in place of those of groups", () => {
    for (const component of ["keda", "hpa"] as const) {
      const { files, patches } = others[`${component}-per-function`] ?? {};
      const scaled = files?.[component] ?? [];
      expect(scaled.map(({ metadata }) => metadata.name)).toEqual(functions.map(({ name }) => name));
      expect(patches?.map(({ target }) => target)).toEqual([
        { kind: scaled[0]?.kind, name: "capstan-worker-.*" },
      ]);
    }
    const [one] = others["keda-per-function"]?.files["keda"] ?? [];
    const [of] = functions[0]?.functions ?? [];
    expect(JSON.stringify(one)).toContain(`/scale?group=${of?.spec.name}"`);
    expect(one?.["spec"]).toMatchObject({ minReplicaCount: 0 });
  });

  it("keda-prometheus replaces each trigger, and takes a missing sample for an error, not for 0", () => {
    const patches = new Map(
      prometheus?.patches?.map(({ target, patch }) => [target.name, JSON.parse(patch)]),
    );
    for (const group of GROUPS) {
      const metadata = { query: `max(capstan_scale_workers{group="${group}"})`, ignoreNullValues: "false" };
      const value = [{ type: "prometheus", metadata: { threshold: "1", ...metadata } }];
      expect(patches.get(workersOf(group))).toMatchObject([{ op: "replace", path: "/spec/triggers", value }]);
    }
  });

  it("hpa scales each group by the CPU that one process can use", () => {
    const autoscalers = hpa?.files["hpa"] ?? [];
    expect(autoscalers.map(({ metadata }) => metadata.name)).toEqual(GROUPS.map(workersOf));
    expect(autoscalers[2]?.["spec"]).toMatchObject({
      scaleTargetRef: { kind: "Deployment", name: "capstan-worker-credentials" },
      minReplicas: 1,
      maxReplicas: 20,
      metrics: [{ resource: { name: "cpu", target: { averageValue: "700m" } } }],
      behavior: BEHAVIOR,
    });
  });
});
