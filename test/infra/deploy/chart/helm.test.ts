import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Manifest } from "../../../../infra/deploy/deployment.ts";
import { components } from "../../../../infra/deploy/manifests/components.ts";
import { type Charts, packedCharts } from "../../../support/chart.ts";
import { renderManifests, writeOverlay } from "../../../support/deployed-accounts.ts";
import { HELM_OPTIONAL, helmFor, helmMissing } from "../../../support/processes/helm.ts";
import { kubectlFor, kubectlMissing } from "../../../support/processes/kubectl.ts";
import { describeWith } from "../../../support/requires.ts";
import { testFolder } from "../../../support/test-folder.ts";

/** Values that add the same as a component of kustomize, with those that it changes. */
const VALUES: { readonly [component: string]: readonly [values: string, components?: readonly string[]] } = {
  "per-function": ["workers.perFunction=true"],
  "workload-relays": ["workloadRelays.enabled=true"],
  "owner-enforcement": ["rights.ownerEnforcement=true"],
  takeover: ["takeover.enabled=true"],
  monitors: ["monitoring.serviceMonitor=true"],
  keda: ["scaling.by=keda"],
  "keda-per-function": ["scaling.by=keda,workers.perFunction=true", ["per-function", "keda"]],
  "keda-prometheus": [
    "scaling.by=keda,scaling.prometheus=http://prometheus-operated.monitoring.svc:9090",
    ["keda"],
  ],
  hpa: ["scaling.by=cpu"],
  "hpa-per-function": ["scaling.by=cpu,workers.perFunction=true", ["per-function", "hpa"]],
  "watch-kubeconfigs": ["rights.watchKubeconfigs=true"],
  alerts: ["monitoring.alerts=true"],
  dashboards: ["monitoring.dashboards=true"],
  traces: ["traces.enabled=true"],
  console: ["console.enabled=true"],
  "console-actions": ["console.enabled=true,console.actions=true", ["console"]],
  "v1beta2-only": ["webhook.enabled=false"],
  namespaced: ["rights.namespaced=true,rights.namespaces={team-a}"],
  hardened: ["rights.hardened=true"],
};
const helm = helmFor();

describeWith(helmMissing() ?? kubectlMissing(), HELM_OPTIONAL)("the chart under Helm", () => {
  let charts: Charts;
  let dir = "";
  let manifests = "";
  beforeAll(async () => {
    charts = await packedCharts(["v0.1.0"]);
    dir = testFolder("chart");
    manifests = await renderManifests(join(dir, "rendered"));
  });
  afterAll(() => charts[Symbol.asyncDispose]());

  const command = (...values: readonly string[]) =>
    [
      `template capstan ${charts.fileOf("v0.1.0")} --namespace capstan-system --kube-version 1.34.0`,
      ...values.map((each) => `--set '${each}'`),
    ].join(" ");
  const rendered = async (...values: readonly string[]) =>
    loadAll(await helm(command("redis.enabled=true", ...values))) as readonly (Manifest | null)[];
  const refused = async (...values: readonly string[]) => {
    const { ok, output } = await helm.try(command(...values));
    expect(ok, output).toBe(false);
    return output;
  };

  it("passes helm lint", async () => {
    const options = "--strict --set redis.enabled=true,demo.enabled=true,console.enabled=true";
    expect(await helm(`lint ${charts.fileOf("v0.1.0")} ${options}`)).toContain("0 chart(s) failed");
  });

  it.each(["nothing", ...Object.keys(VALUES)])("brings with %s what kustomize brings", async (name) => {
    const [values = "", others = []] = VALUES[name] ?? [];
    const overlay = join(dir, name);
    await mkdir(overlay);
    await writeOverlay(overlay, manifests, name === "nothing" ? [] : [...others, name]);
    const wanted = comparable(loadAll(await kubectlFor("")(`kustomize ${overlay}`)) as readonly Manifest[]);
    const found = comparable(await rendered(...(values === "" ? [] : [values])));
    expect([...found.keys()].toSorted()).toEqual([...wanted.keys()].toSorted());
    for (const [key, object] of found) expect(object, key).toEqual(wanted.get(key));
  });

  it("knows the value of every component", async () => {
    expect(Object.keys(VALUES)).toEqual(Object.keys(await components()));
  });

  it("refuses a wrong key by its name, a wrong type, and values that cannot work together", async () => {
    expect(await refused("redis.enabled=true", "relay.replcas=3")).toMatch(/relay.*replcas/s);
    expect(await refused("redis.enabled=true", "logLevel=loud")).toContain("logLevel");
    expect(await refused()).toContain("set queue.url to your Redis");
    expect(await refused("redis.enabled=true", "queue.url=redis://r:6379")).toContain("set one of them");
    expect(await refused("redis.enabled=true", "rights.namespaced=true")).toContain(
      "name at least one there",
    );
    expect(await refused("redis.enabled=true", "scaling.by=cpu", "scaling.min=0")).toContain("only KEDA");
  });

  it("takes a mirror, pull secrets, an authority and Nodes of one's own for every Pod", async () => {
    const file = join(dir, "values.yaml");
    await writeFile(
      file,
      JSON.stringify({
        imageRegistry: "mirror.example.com:5000/",
        imagePullSecrets: ["pull"],
        authority: "-----BEGIN CERTIFICATE-----\nMIIB\n",
        env: { EXTRA: "{{ 1 }}" },
        proxy: { url: "http://proxy:3128", except: ["10.0.0.0/8", "corp"] },
        redis: { enabled: true, nodeSelector: { disk: "fast" } },
        console: { enabled: true, hostNames: ["console.example.com"] },
        workers: { args: ["--odd={{ x }}: #"], maxDeletionsPerHour: 0, namespaceRunsPerSecond: 20 },
        networkPolicies: { workloadClusters: ["10.1.0.0/16"], apiServer: ["10.2.0.0/16"] },
      }),
    );
    const objects = loadAll(await helm(`${command()} --values ${file}`)) as readonly (Manifest | null)[];
    const pods = new Map(
      objects.flatMap((each) => (each && podOf(each) ? [[each.metadata.name, podOf(each)]] : [])),
    );
    expect(pods.size).toBe(7);
    for (const [name, pod] of pods) {
      expect(pod?.containers[0].image).toMatch(
        /^mirror\.example\.com:5000\/(library\/redis:7\.2|example\/capstan:v0\.1\.0)$/,
      );
      expect(pod?.imagePullSecrets).toEqual([{ name: "pull" }]);
      if (name === "capstan-redis") continue;
      expect(pod?.containers[0].env).toEqual(
        expect.arrayContaining([
          { name: "NODE_EXTRA_CA_CERTS", value: "/etc/capstan/authority/ca.crt" },
          { name: "HTTPS_PROXY", value: "http://proxy:3128" },
          { name: "NO_PROXY", value: "$(KUBERNETES_SERVICE_HOST),.svc,10.0.0.0/8,corp" },
          { name: "EXTRA", value: "{{ 1 }}" },
        ]),
      );
    }
    const policy = objects.find((each) => each?.metadata.name === "capstan-api-server");
    expect(JSON.stringify(policy?.["spec"])).toContain('{"port":3128,"protocol":"TCP"}');
    expect(pods.get("capstan-redis")?.nodeSelector).toEqual({ disk: "fast" });
    expect(pods.get("capstan-console")?.containers[0].args).toContain("--host-name=console.example.com");
    expect(pods.get("capstan-worker-workload")?.containers[0].args?.slice(-4)).toEqual([
      "--workload-addresses=10.1.0.0/16",
      "--max-deletions-per-hour=0",
      "--namespace-runs-per-second=20",
      "--odd={{ x }}: #",
    ]);
    expect(pods.get("capstan-relay")?.containers[0].args).toContain("--workload-addresses=10.1.0.0/16");
  });

  it("finds a Redis of one's own by its URL, and brings none then", async () => {
    const objects = loadAll(
      await helm(command("queue.url=rediss://u:p@r.example.com:6380")),
    ) as readonly (Manifest | null)[];
    expect(objects.filter((each) => each?.metadata.name === "capstan-redis")).toEqual([]);
    const queue = objects.find((each) => each?.metadata.name === "capstan-worker-queue");
    expect(queue?.["stringData"]).toEqual({ url: "rediss://u:p@r.example.com:6380", "ca.crt": "" });
  });
});

interface Pod {
  readonly containers: readonly [
    { readonly image: string; readonly args?: readonly string[]; readonly env?: readonly object[] },
  ];
  readonly imagePullSecrets?: readonly object[];
  readonly nodeSelector?: object;
}

function podOf(object: Manifest): Pod | undefined {
  return (object as { spec?: { template?: { spec?: Pod } } }).spec?.template?.spec;
}

type Comparable = Manifest & {
  readonly metadata: { annotations?: object };
  readonly spec: { replicas?: number; readonly template: { readonly metadata: { annotations?: object } } };
};

/** Kinds that only one of both has: kustomize has a Namespace, and its definitions and Secrets are applied apart. */
const APART = new Set(["CustomResourceDefinition", "Namespace", "Secret"]);

/** Takes from the Pods of an object what the chart sets by values of its own. */
function adaptPod(object: Comparable): void {
  const container = podOf(object)?.containers[0];
  if (container === undefined) return;
  const args = container.args?.filter((arg) => arg !== "--namespace=team-a");
  Object.assign(container, { image: "", imagePullPolicy: "IfNotPresent", args });
  if (object.metadata.name.includes("redis")) delete object.spec.template.metadata.annotations;
  else if (!/relay|console|webhook/.test(object.metadata.name)) delete object.spec.replicas;
}

/** Objects by kind and name, without what the chart always adds to Pods and the rights that it binds in namespaces. */
function comparable(objects: readonly (Manifest | null)[]): ReadonlyMap<string, unknown> {
  return new Map(
    objects.flatMap((each) => {
      if (each === null || APART.has(each.kind)) return [];
      const object = structuredClone(each) as Comparable;
      if (object["aggregationRule"] !== undefined) delete object.metadata.annotations;
      if (object.kind === "RoleBinding" && object.metadata.namespace !== "capstan-system") return [];
      adaptPod(object);
      return [[`${object.kind}/${object.metadata.name}`, object] as const];
    }),
  );
}
