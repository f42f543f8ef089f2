import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROWS } from "../../infra/deploy/observation/dashboard.ts";
import { refuseLeaks } from "../support/canaries.ts";
import { emptyFamilies, upstreamMetrics } from "../support/custom-resource-metrics.ts";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { simClusterOfMachines, simMachineSet, simPool } from "../support/manifests.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { startCli } from "../support/processes/cli.ts";
import { clusterApiMissing } from "../support/processes/cluster-api.ts";
import { freePorts } from "../support/processes/free-ports.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { type Prometheus, prometheusMissing, startPrometheus } from "../support/processes/prometheus.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { startSpanCollector } from "../support/processes/span-collector.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";
import { newAuthority } from "../support/tls-files.ts";

const WITHIN = { withinMs: HANG_MS, stepMs: 500 };
const SERVED = ["cluster", "machine", "machinehealthcheck", "machinepool", "machineset"];

const HEALTH_CHECK = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: { name: h1, namespace: default }
spec:
  clusterName: c1
  selector: { matchLabels: { set: s1 } }
  checks: { unhealthyNodeConditions: [{ type: Ready, status: "False", timeoutSeconds: 300 }] }
`;
const MANIFESTS = [
  simClusterOfMachines("c1", 1),
  simPool("p1", "c1", 2),
  simMachineSet("s1", "c1", 1),
  HEALTH_CHECK,
].join("---");

/** Spans of an event, of a wait, of a run and of a write. */
const SPANS = ["event Cluster", "wait machinepool-guard", "machinepool-guard", "apply MachinePool/status"];

/** Queries of the dashboards that Kubebuilder's plugin grafana/v1-alpha makes for controller-runtime, without `go_*`. */
const CONTROLLER_RUNTIME = [
  "sum(rate(controller_runtime_reconcile_total[1m])) by (instance, pod)",
  "sum(rate(controller_runtime_reconcile_errors_total[1m])) by (instance, pod)",
  ...["0.50", "0.90", "0.99"].flatMap((quantile) =>
    ["workqueue_queue_duration_seconds", "workqueue_work_duration_seconds"].map(
      (metric) => `histogram_quantile(${quantile}, sum(rate(${metric}_bucket[1m])) by (instance, name, le))`,
    ),
  ),
  "sum(rate(workqueue_adds_total[1m])) by (instance, name)",
  "sum(rate(workqueue_retries_total[1m])) by (instance, name)",
  "workqueue_depth",
  "rate(workqueue_unfinished_work_seconds[1m])",
  "controller_runtime_active_workers",
  "rate(process_cpu_seconds_total[1m]) * 100",
  "process_resident_memory_bytes",
];

/** The queries that draw no line. */
async function emptyQueries(prometheus: Prometheus): Promise<readonly string[]> {
  const own = ROWS.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(([expr]) => expr)));
  const all = [...own.map((expr) => expr.replaceAll("$__rate_interval", "1m")), ...CONTROLLER_RUNTIME];
  const answers = await Promise.all(all.map((expr) => prometheus.query(expr)));
  return all.filter((_, at) => answers[at]?.every(({ value }) => Number.isNaN(value)) === true);
}

/** Files for the listeners of relay and worker, and for a client with a certificate. */
async function writeCertificates(dir: string) {
  const authority = await newAuthority();
  const [server, client] = [await authority.issue("server"), await authority.issue("client")];
  const file = (name: string) => join(dir, name);
  await writeFile(file("ca.crt"), authority.cert);
  await writeFile(file("tls.crt"), server.cert);
  await writeFile(file("tls.key"), server.key);
  await writeFile(file("client.crt"), client.cert);
  await writeFile(file("client.key"), client.key);
  const tls = { ca_file: file("ca.crt"), server_name: "localhost" };
  return {
    flags: ["--diagnostics-cert-dir", dir, "--diagnostics-client-ca", file("ca.crt")],
    tls,
    clientTls: { ...tls, cert_file: file("client.crt"), key_file: file("client.key") },
  };
}

async function newScraperToken(kubectl: Kubectl): Promise<string> {
  await kubectl("create serviceaccount scraper");
  await kubectl("create clusterrole capstan-metrics --verb=get --non-resource-url=/metrics");
  await kubectl(
    "create clusterrolebinding capstan-metrics --clusterrole=capstan-metrics --serviceaccount=default:scraper",
  );
  return (await kubectl("create token scraper")).trim();
}

/** Families without a line in the kinds that we serve, and what they are about. */
async function emptyUpstreamFamilies(kubectl: Kubectl): Promise<readonly string[]> {
  const resources = (await upstreamMetrics()).filter(({ groupVersionKind: { group, kind } }) =>
    SERVED.some((served) => group === "cluster.x-k8s.io" && kind.toLowerCase() === served),
  );
  expect(resources.length).toBe(SERVED.length);
  const empty = resources.map(async (resource) => {
    const { items } = JSON.parse(await kubectl(`get ${resource.groupVersionKind.kind} -o json`));
    return emptyFamilies(resource, items);
  });
  return (await Promise.all(empty)).flat();
}

const programs = redisMissing() ?? kubectlMissing() ?? prometheusMissing() ?? clusterApiMissing();

describeWith(REAL.missing ?? programs, { optional: REAL.missing !== undefined })(
  "relay and worker on a real API server, observed",
  () => {
    it("by Prometheus over TLS, by metrics of their objects, and by traces", async () => {
      await using stack = new AsyncDisposableStack();
      const dir = testFolder("observation");
      const spans = join(dir, "spans.jsonl");
      const collector = stack.use(await startSpanCollector(spans));
      const server = stack.use(await REAL.start());
      const redis = stack.use(await startRedis());
      const kubectl = kubectlFor(server.kubeconfigFile);
      const { flags, tls, clientTls } = await writeCertificates(dir);
      const [relayPort = 0, workerPort = 0] = await freePorts(2);
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: "always_on" };
      const start = (part: string, port: number, ...more: readonly string[]) => {
        const shared = ["--kubeconfig", server.kubeconfigFile, "--queue", redis.url, ...flags];
        return startCli([part, ...shared, "--diagnostics-address", `127.0.0.1:${port}`, ...more], env);
      };
      const relay = stack.use(start("relay", relayPort, "--install-crds"));
      const worker = stack.use(start("worker", workerPort));
      stack.use(startCli(["cloud", "--kubeconfig", server.kubeconfigFile]));
      const token = await newScraperToken(kubectl);
      const jobOf = (name: string, port: number, more: object) => ({
        job_name: name,
        scheme: "https",
        static_configs: [{ targets: [`127.0.0.1:${port}`] }],
        ...more,
      });
      const prometheus = stack.use(
        await startPrometheus([
          jobOf("relay", relayPort, { tls_config: tls, authorization: { credentials: token } }),
          jobOf("worker", workerPort, { tls_config: clientTls }),
          jobOf("stranger", workerPort, { tls_config: tls }),
        ]),
      );
      await eventually(() => expect(relay.output()).toContain("first list"), WITHIN);

      await kubectl("apply -f -", MANIFESTS);
      const phaseOf = (object: string) => kubectl(`get ${object} -o jsonpath={.status.phase}`);
      await eventually(async () => expect(await phaseOf("machinepool/p1")).toBe("Running"), WITHIN);
      await eventually(async () => expect(await phaseOf("cluster/c1")).toBe("Provisioned"), WITHIN);

      await eventually(
        async () =>
          expect(await prometheus.targets()).toEqual({
            relay: "up",
            worker: "up",
            stranger: "server returned HTTP status 401 Unauthorized",
          }),
        WITHIN,
      );
      await eventually(async () => expect(await emptyQueries(prometheus)).toEqual([]), WITHIN);

      const controlPlane = "machines -l cluster.x-k8s.io/control-plane";
      await kubectl(
        `annotate ${controlPlane} machine.cluster.x-k8s.io/certificates-expiry=2027-01-01T00:00:00Z`,
      );
      const expiry = `get ${controlPlane} -o jsonpath={.items[*].status.certificatesExpiryDate}`;
      await eventually(async () => expect(await kubectl(expiry)).not.toBe(""), WITHIN);
      for (const kind of SERVED) await kubectl(`annotate ${kind} --all cluster.x-k8s.io/paused=`);
      await eventually(async () => expect(await emptyUpstreamFamilies(kubectl)).toEqual([]), WITHIN);

      for (const part of [relay, worker]) {
        part.child.kill("SIGTERM");
        expect(await part.ended).toBe(0);
      }
      const sent = await readFile(spans);
      for (const name of SPANS) expect(sent.toString()).toContain(`"name":"${name}"`);
      refuseLeaks("spans", sent);
    });
  },
);
