import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CANARY, leaksIn, type Outputs, secretsIn } from "../support/canaries.ts";
import { openAt, PRESSED, type Sent } from "../support/console.ts";
import { tourOf } from "../support/console-tour.ts";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { freePorts } from "../support/processes/free-ports.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { type RedisServer, redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { contentOfRedis, plantInRedis } from "../support/redis-content.ts";
import { describeWith } from "../support/requires.ts";
import { streamMessages } from "../support/stream-messages.ts";
import { testFolder } from "../support/test-folder.ts";

const LEAKING = fileURLToPath(new URL("../support/leaking", import.meta.url));

/** In the text of every error, beside the secret. */
const MARKER = "m4rk3r";

const FAILING = ["header", "url", "kubeconfig", "encoded", "pem", "bootstrap", "terminal"];
const WITHIN = { withinMs: HANG_MS, stepMs: 500 };

const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: c
clusters: [{ name: c, cluster: { server: "https://admin:${CANARY}@127.0.0.1:1" } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
users:
- name: u
  user:
    token: ${CANARY}
    client-key-data: ${btoa(CANARY.repeat(3))}
`;

const VALUES = {
  token: CANARY,
  value: KUBECONFIG,
  kubeconfig: KUBECONFIG,
  "private-key": `-----BEGIN RSA PRIVATE KEY-----\n${CANARY}\n-----END RSA PRIVATE KEY-----`,
  "bootstrap-data": `#cloud-config\nwrite_files:\n- content: ${CANARY}`,
};

/** JSON is YAML. */
const secretOf = (name: string): string =>
  `\n${JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "default", labels: { "cluster.x-k8s.io/cluster-name": "c2" } },
    stringData: VALUES,
  })}\n`;

const configMapOf = (name: string): string =>
  `\n${JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default" },
    data: VALUES,
  })}\n`;

/** The cluster c1 works; the kubeconfig of c2 leads nowhere; the other pools make a function quote their ConfigMaps. */
const MANIFESTS = [
  simCluster("c1"),
  simPool("fine", "c1", 2),
  secretOf("c2-kubeconfig"),
  simCluster("c2"),
  ...[...FAILING, "waits"].map((name) => simPool(name, "c2", 0)),
].join("---");

/** `up -f` applies Capstan's kinds and those of CRDs only. */
const CONFIG_MAPS = [...FAILING, "waits"].map((name) => configMapOf(`${name}-secret`)).join("---");

/** A set for c1 whose Secret holds a Secret, and a ConfigMap that the workload server refuses and quotes. */
const ADDON = [
  {
    apiVersion: "addons.cluster.x-k8s.io/v1beta2",
    kind: "ClusterResourceSet",
    metadata: { name: "addons", namespace: "default" },
    spec: {
      clusterSelector: { matchLabels: { addons: "yes" } },
      resources: [{ kind: "Secret", name: "addon" }],
      strategy: "Reconcile",
    },
  },
  {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "addon", namespace: "default" },
    type: "addons.cluster.x-k8s.io/resource-set",
    stringData: {
      a: secretOf("brought"),
      b: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"refused","labels":{"x":"no label: ${CANARY}"}}}`,
    },
  },
]
  .map((object) => JSON.stringify(object))
  .join("\n---\n");

const dir = testFolder("canaries");
let redis: RedisServer;

beforeAll(async () => {
  await mkdir(join(dir, "redis"));
  redis = await startRedis([
    `dir ${join(dir, "redis")}`,
    ...["appendonly yes", "aof-use-rdb-preamble no", "rdbcompression no"],
  ]);
});

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

describeWith(kubectlMissing() ?? redisMissing())("Secrets of clusters, and errors that quote them", () => {
  it("S-21: stay out of Redis and its files, letters, logs, traces, endpoints, objects and the terminal", async () => {
    const [kubeconfig, manifests] = [join(dir, "kubeconfig"), join(dir, "manifests.yaml")];
    await writeFile(manifests, MANIFESTS);
    await writeFile(kubeconfig, "readable by all", { mode: 0o644 });
    const addresses = (await freePorts(2)).map((port) => `127.0.0.1:${port}`);
    const [own = "", leaking = ""] = addresses;
    const queues = { own: `${redis.url}/0`, leaking: `${redis.url}/1` };
    const spans = { own: join(dir, "spans.jsonl"), leaking: join(dir, "spans-of-leaks.jsonl") };
    const traced = (file: string) => ({
      CAPSTAN_LOG_LEVEL: "debug",
      OTEL_EXPORTER_OTLP_ENDPOINT: `file://${file}`,
      OTEL_TRACES_SAMPLER: "always_on",
    });
    const ownServer = ["-f", manifests, "--write-kubeconfig", kubeconfig, "--metrics-address", own];
    await using up = startCli(["up", "--queue", queues.own, ...ownServer], traced(spans.own));
    const kubectl = kubectlFor(kubeconfig);
    const isThere = async (): Promise<void> => {
      expect(await kubectl("get machinepool waits -o name")).toContain("waits");
    };
    await eventually(isThere, WITHIN);
    expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
    await kubectl("apply -f -", CONFIG_MAPS);
    await kubectl("apply -f -", ADDON);
    await kubectl("label cluster/c1 addons=yes");
    const otherServer = ["--kubeconfig", kubeconfig, "--roles", "relay", "worker", "--empty"];
    const serve = ["--functions-dir", LEAKING, "--metrics-address", leaking];
    await using leaker = startCli(
      ["up", ...otherServer, "--queue", queues.leaking, ...serve],
      traced(spans.leaking),
    );
    await eventually(async () => {
      const { output } = await runCli("dlq", "list", "pool-leak", "--queue", queues.leaking);
      for (const name of FAILING) expect(output).toMatch(new RegExp(`\\|default/${name} +dead`));
    }, WITHIN);
    await eventually(
      async () => expect(await kubectl("get machinepool fine -o jsonpath={.status.replicas}")).toBe("2"),
      WITHIN,
    );
    await eventually(async () => {
      const refused = "jsonpath={.status.conditions[?(@.type=='ResourcesApplied')].message}";
      expect(await kubectl(`get clusterresourceset/addons -o ${refused}`)).toContain(
        "ConfigMap refused: Invalid; the server's words are left out",
      );
    }, WITHIN);
    await eventually(async () => expect(await readFile(spans.leaking, "utf8")).toContain(MARKER), WITHIN);

    const outputs: Outputs = {
      ...(await commandOutputs(queues.leaking, kubeconfig)),
      ...(await endpointOutputs(own, leaking)),
      ...(await consoleOutputs(queues.leaking, kubeconfig)),
      ...(await redisOutputs()),
      traces: Buffer.concat(await Promise.all(Object.values(spans).map((file) => readFile(file)))),
      objects: await kubectl(
        "get events,clusters,clusterresourcesets,clusterresourcesetbindings,machinepools,simclusters,simcontrolplanes,simmachinepools -A -o yaml",
      ),
      "log and terminal of up": up.output(),
      "log and terminal of pool-leak": leaker.output(),
    };
    const { items } = JSON.parse(await kubectl("get secrets -A -o json"));
    const secrets = items.flatMap(({ data = {} }) => secretsIn(data));
    expect(secrets.length).toBeGreaterThan(10);

    // The messages of the errors are in it: a secret in them would be, too.
    expect(leaksIn(outputs, [MARKER])).toEqual(
      expect.arrayContaining([
        ...[
          "redis keys",
          "redis dump",
          "redis append-only file",
          "letters",
          "letter file",
          "test of a letter",
        ],
        ...["keys", "dlq list", "dlq show", "explain", "explain as JSON", "objects", "traces"],
        "log and terminal of pool-leak",
        ...["console", "history in the console", "stream of the console"],
      ]),
    );
    expect(leaksIn(outputs, [CANARY, ...secrets])).toEqual([]);
    expectSearched(outputs);
    await plantInRedis(redis.url, `token ${CANARY}`);
    const planted = await redisOutputs();
    expect(leaksIn(planted, [CANARY])).toEqual(Object.keys(planted));
  });
});

/** One leak in each output, plain, in the middle of base64, or in a compressed letter, is found there. */
function expectSearched(outputs: Outputs): void {
  for (const [name, output] of Object.entries(outputs)) {
    const bytes = Buffer.from(output);
    for (const leak of [CANARY, btoa(`ab${CANARY}cd`), `gzip:${gzipSync(CANARY).toString("base64")}`]) {
      const planted = Buffer.concat([bytes, Buffer.from(`\n${leak}\n`), bytes]);
      expect(leaksIn({ ...outputs, [name]: planted }, [CANARY])).toEqual([name]);
    }
  }
}

/** Everything that is in Redis, and its own files. */
async function redisOutputs(): Promise<Outputs> {
  const content = await contentOfRedis(redis.url, [0, 1]);
  const folder = join(dir, "redis");
  const appended = await readdir(join(folder, "appendonlydir"));
  const parts = appended.map((name) => readFile(join(folder, "appendonlydir", name)));
  return {
    "redis keys": content,
    "redis dump": await readFile(join(folder, "dump.rdb")),
    "redis append-only file": Buffer.concat(await Promise.all(parts)),
  };
}

/** Outputs that a person reads to find the reason. */
async function commandOutputs(queue: string, kubeconfig: string): Promise<Outputs> {
  const [file, test] = [join(dir, "letters.jsonl"), join(dir, "x.test.ts")];
  await writeFile(file, "readable by all", { mode: 0o644 });
  const asked = async (...args: readonly string[]): Promise<string> =>
    (await runCli(...args, "--queue", queue)).output;
  const ofAll = async (...args: readonly string[]): Promise<string> => {
    const texts: string[] = [];
    for (const name of FAILING)
      texts.push(await asked("dlq", "show", "pool-leak", `default/${name}`, ...args));
    return texts.join("\n");
  };
  const explained = async (...args: readonly string[]): Promise<string> =>
    asked("explain", "machinepool", ...args, "--kubeconfig", kubeconfig, "--functions-dir", LEAKING);
  const history = await asked(
    ...["history", "machinepool", "kubeconfig", "--kubeconfig", kubeconfig, "--functions-dir", LEAKING],
  );
  expect(history).toContain(MARKER);
  const replay = ["dlq", "replay", "pool-leak", "default/header"];
  const outputs = {
    "dlq list": await asked("dlq", "list"),
    "dlq export": await asked("dlq", "export", "-f", file),
    "dlq show": await ofAll(),
    letters: await ofAll("-o", "json"),
    queue: await asked("queue", "-o", "json"),
    replay: await asked(...replay, "--functions-dir", LEAKING),
    "writing a test": await asked(...replay, "--functions-dir", LEAKING, "--as-test", test),
    history,
    explain: await explained("header"),
    "explain as JSON": await explained("terminal", "-o", "json"),
    "letter file": await readFile(file),
    "test of a letter": await readFile(test),
  };
  for (const path of [file, test]) expect((await stat(path)).mode & 0o777).toBe(0o600);
  return outputs;
}

async function endpointOutputs(own: string, leaking: string): Promise<Outputs> {
  const get = async (path: string): Promise<string> => (await fetch(`http://${path}`)).text();
  const keyOf = (name: string): string => encodeURIComponent(`default/c2|MachinePool|default/${name}`);
  const keys = FAILING.map((name) => get(`${leaking}/keys?key=${keyOf(name)}&runs=20`));
  return {
    metrics: `${await get(`${own}/metrics`)}${await get(`${leaking}/metrics`)}`,
    status: `${await get(`${own}/status`)}${await get(`${leaking}/status`)}`,
    readyz: `${await get(`${own}/readyz`)}${await get(`${leaking}/readyz`)}`,
    keys: (await Promise.all(keys)).join("\n"),
  };
}

/** Everything that the console shows about these pools, and its own log. */
async function consoleOutputs(queue: string, kubeconfig: string): Promise<Outputs> {
  const at = ["--kubeconfig", kubeconfig, "--queue", queue, "--address", "127.0.0.1:0"];
  await using served = startCli(["console", ...at, "--functions-dir", LEAKING, "--log-level", "debug"]);
  const link = await eventually(() => {
    const [found] = /http:\/\/\S+#code=\w+/.exec(served.output()) ?? [];
    if (found === undefined) throw new Error(`no link yet: ${served.output()}`);
    return found;
  }, WITHIN);
  const console = await openConsole(link);
  const { routes } = JSON.parse((await console.ask("/me")).text) as { routes: readonly string[] };
  const answers: { [path: string]: string } = {};
  for (const name of [...FAILING, "waits", "c2"]) {
    const key = `default/c2|MachinePool|default/${name}`;
    const values = { kind: "MachinePool", namespace: "default", name, function: "pool-leak", key };
    for (const path of tourOf(routes, { ...values, id: "none" })) {
      answers[path] ??= (await console.ask(path)).text;
    }
  }
  const topics = ["fleet", "queue", "letters", "clusters/default/c2", "clusters/default/c2/runs"];
  using page = await console.follow(topics);
  await eventually(() => expect(JSON.stringify(page.messages)).toContain(MARKER), WITHIN);
  const textsOf = (isWanted: (path: string) => boolean) =>
    Object.keys(answers)
      .filter(isWanted)
      .map((path) => answers[path])
      .join("\n");
  return {
    console: textsOf((path) => !path.endsWith("/runs")),
    "history in the console": textsOf((path) => path.endsWith("/runs")),
    "stream of the console": JSON.stringify(page.messages),
    "log and terminal of the console": served.output(),
  };
}

/** Opens the link of a console on loopback that runs anywhere, as a browser does. */
async function openConsole(link: string) {
  const { port, hash } = new URL(link);
  const send = async (path: string, sent: Sent) => {
    const { answer } = await openAt(Number(port), `/api/v1${path}`, sent);
    let text = "";
    for await (const chunk of answer) text += chunk;
    return { status: answer.statusCode ?? 0, text };
  };
  const code = hash.replace("#code=", "");
  const opened = await send("/session", { method: "POST", headers: PRESSED, body: JSON.stringify({ code }) });
  const headers = { "capstan-session": String(JSON.parse(opened.text).session) };
  return {
    ask: (path: string) => send(path, { headers }),
    /** Opens a stream; dispose it. */
    async follow(topics: readonly string[]) {
      const query = new URLSearchParams(topics.map((topic): [string, string] => ["topic", topic]));
      const { sent, answer } = await openAt(Number(port), `/api/v1/stream?${query}`, { headers });
      sent.on("error", () => undefined);
      return { ...streamMessages(answer), [Symbol.dispose]: () => void sent.destroy() };
    },
  };
}
