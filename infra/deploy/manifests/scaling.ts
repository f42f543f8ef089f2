import { GROUPS, type Group } from "../../../shared/function/groups.ts";
import type { Manifest } from "../deployment.ts";
import { DIAGNOSTICS_PORT, NAMESPACE, type ServerProcess, workersOf } from "./deployments.ts";
import { type Folder, without } from "./kustomization.ts";
import { CLIENT } from "./monitors.ts";

/**
 * Bounds of the workers of a group, and of a function: many of them rest for hours. KEDA starts the first one when a key is
 * due, since the relay ticks.
 */
const REPLICAS = { least: 1, leastOfFunction: 0, most: 20 };

/** The way down: by half, two minutes after a burst, since bursts come in parts and a worker that ends drains. */
const SCALE_DOWN = {
  stabilizationWindowSeconds: 120,
  policies: [{ type: "Percent", value: 50, periodSeconds: 60 }],
};

/** Where the Prometheus operator's is. */
export const PROMETHEUS = "http://prometheus-operated.monitoring.svc:9090";

const KEDA = "keda.sh/v1alpha1";
const HPA = "autoscaling/v2";
const AUTHENTICATION = "capstan-scale";

/**
 * Returns the components that let an autoscaler set the number of workers, those of groups and those of one function each.
 */
export function scalingComponents(ofFunctions: readonly ServerProcess[]): {
  readonly [name: string]: Folder;
} {
  const scaledFunctions = ofFunctions.flatMap(({ name, functions }) =>
    functions.map(({ spec }) => scaledObject(name, spec.name, REPLICAS.leastOfFunction)),
  );
  return {
    keda: { kind: "Component", files: { keda: [authentication(), ...GROUPS.map(scaledGroup)] } },
    "keda-per-function": inPlaceOfGroups([KEDA, "ScaledObject"], { keda: scaledFunctions }),
    "keda-prometheus": KEDA_PROMETHEUS,
    hpa: { kind: "Component", files: { hpa: GROUPS.map((group) => podAutoscaler(workersOf(group))) } },
    "hpa-per-function": inPlaceOfGroups([HPA, "HorizontalPodAutoscaler"], {
      hpa: ofFunctions.map(({ name }) => podAutoscaler(name)),
    }),
  };
}

/** Replaces what another component has for each group, in files of these names. */
function inPlaceOfGroups([apiVersion, kind]: readonly [string, string], files: Folder["files"]): Folder {
  return { kind: "Component", files, patches: [without(apiVersion, { kind, name: workersOf(".*") })] };
}

function authentication(): Manifest {
  const keys = { ca: "ca.crt", cert: "tls.crt", key: "tls.key" };
  return {
    apiVersion: KEDA,
    kind: "TriggerAuthentication",
    metadata: { name: AUTHENTICATION, namespace: NAMESPACE },
    spec: {
      secretTargetRef: Object.entries(keys).map(([parameter, key]) => ({ parameter, name: CLIENT, key })),
    },
  };
}

/**
 * Returns what asks the relay over mTLS how many workers a group wants. An error is never 0: after three of them the workers
 * stay as many as they are.
 */
export function scaledGroup(group: Group): Manifest {
  return scaledObject(workersOf(group), group, REPLICAS.least);
}

function scaledObject(name: string, group: string, least: number): Manifest {
  return {
    apiVersion: KEDA,
    kind: "ScaledObject",
    metadata: { name, namespace: NAMESPACE },
    spec: {
      scaleTargetRef: { name },
      pollingInterval: 5,
      minReplicaCount: least,
      maxReplicaCount: REPLICAS.most,
      fallback: { failureThreshold: 3, replicas: 1, behavior: "currentReplicasIfHigher" },
      advanced: { horizontalPodAutoscalerConfig: { behavior: { scaleDown: SCALE_DOWN } } },
      triggers: [
        {
          type: "metrics-api",
          metricType: "AverageValue",
          metadata: {
            url: `https://capstan-relay.${NAMESPACE}.svc:${DIAGNOSTICS_PORT}/scale?group=${group}`,
            valueLocation: "workers",
            targetValue: "1",
            authMode: "tls",
          },
          authenticationRef: { name: AUTHENTICATION },
        },
      ],
    },
  };
}

/** Changes component `keda`: the same number from Prometheus, where KEDA cannot reach the relay. */
const KEDA_PROMETHEUS: Folder = {
  kind: "Component",
  files: {},
  patches: [
    ...GROUPS.map((group) => ({
      target: { kind: "ScaledObject", name: workersOf(group) },
      patch: `${JSON.stringify([{ op: "replace", path: "/spec/triggers", value: [prometheusTrigger(group)] }])}\n`,
    })),
    without(KEDA, { kind: "TriggerAuthentication", name: AUTHENTICATION }),
  ],
};

function prometheusTrigger(group: Group): object {
  return {
    type: "prometheus",
    metricType: "AverageValue",
    metadata: {
      serverAddress: PROMETHEUS,
      query: `max(capstan_scale_workers{group="${group}"})`,
      threshold: "1",
      // Otherwise KEDA takes a missing sample for 0.
      ignoreNullValues: "false",
    },
  };
}

/** Returns what scales a Deployment by CPU, where KEDA is not installed. */
function podAutoscaler(name: string): Manifest {
  // A worker is one thread: more than a core it cannot use.
  const cpu = { name: "cpu", target: { type: "AverageValue", averageValue: "700m" } };
  return {
    apiVersion: HPA,
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace: NAMESPACE },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: REPLICAS.least,
      maxReplicas: REPLICAS.most,
      metrics: [{ type: "Resource", resource: cpu }],
      behavior: { scaleDown: SCALE_DOWN },
    },
  };
}
