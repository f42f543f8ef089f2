import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startSharedConsole } from "../../infra/cli/console/console.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { REDIS_USERS, type RedisUser, RIGHTS } from "../../infra/queue/backends/redis/server/users.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import { deployAccounts } from "./deployed-accounts.ts";
import { eventually } from "./eventually.ts";
import { simCluster, simPool } from "./manifests.ts";
import { startCli } from "./processes/cli.ts";
import { kubectlFor } from "./processes/kubectl.ts";
import { startRealServer } from "./processes/real-server.ts";
import { startRedis } from "./processes/redis-server.ts";
import { startProxy } from "./processes/tcp-proxy.ts";
import { recordingLog } from "./recording-log.ts";
import { streamMessages } from "./stream-messages.ts";
import { testFolder } from "./test-folder.ts";
import { askAt } from "./tls-client.ts";
import { newAuthority } from "./tls-files.ts";

/** The namespace of ann, and one of others, whose name is in no other text. */
export const [OWN, OTHER] = ["own", "z7q-others"] as const;

/** Of the Cluster and of its pool, by which the function fails once and for all. */
export const NAME = "terminal";

export const FUNCTION = "pool-leak";

const FUNCTIONS = fileURLToPath(new URL("leaking", import.meta.url));
const HOST = "console.example.com";
const WITHIN = { withinMs: 120_000, stepMs: 100 };

export function keyIn(namespace: string): string {
  return `${namespace}/${NAME}|MachinePool|${namespace}/${NAME}`;
}

/** The user by which the API server knows a person. */
export function userOfPerson(person: string): string {
  return `system:serviceaccount:people:${person}`;
}

/**
 * ann looks at OWN, vera at everything, and both may get pools there; olga acts on everything. stranger has no right,
 * leaver may look until a test takes the account away.
 */
const PERSONS = ["ann", "vera", "olga", "stranger", "leaver"] as const;

export type Person = (typeof PERSONS)[number];

const RBAC = "rbac.authorization.k8s.io";
const GET_POOLS = "get-pools";

function bindingOfAnn(name: string, role: string): string {
  const metadata = { name, namespace: OWN };
  return JSON.stringify({ apiVersion: `${RBAC}/v1`, kind: "RoleBinding", metadata, ...boundTo(role, "ann") });
}

export const ANN_LOOKS = bindingOfAnn("ann", "capstan-viewer");

const OBJECTS = [
  ...["people", OWN, OTHER].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
  ...PERSONS.map((name) => ({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name, namespace: "people" },
  })),
  {
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRole",
    metadata: { name: GET_POOLS },
    rules: [{ apiGroups: ["cluster.x-k8s.io"], resources: ["machinepools"], verbs: ["get"] }],
  },
  ...(
    [
      ["vera", "capstan-viewer"],
      ["vera", GET_POOLS],
      ["leaver", "capstan-viewer"],
      ["olga", "capstan-operator"],
    ] as const
  ).map(([person, role]) => ({
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: `${person}-${role}` },
    ...boundTo(role, person),
  })),
];

function boundTo(role: string, name: string) {
  return {
    roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", name, namespace: "people" }],
  };
}

export type PersonsWorld = Awaited<ReturnType<typeof startPersonsWorld>>;

/** The time of this process, which a test may set forward; timers stay real. */
interface JumpingClock extends Clock {
  jump(ms: number): void;
}

function jumpingClock(): JumpingClock {
  let aheadMs = 0;
  return {
    now: () => new Date(systemClock.now().getTime() + aheadMs),
    after: systemClock.after,
    jump: (ms) => {
      aheadMs += ms;
    },
  };
}

/**
 * A real API server with the roles of a deployment and some persons, relay and worker over a Redis with its users, and a
 * dead letter in each of two namespaces.
 */
export async function startPersonsWorld() {
  await using starting = new AsyncDisposableStack();
  const dir = testFolder("persons");
  const [server, redis] = await Promise.all([
    startRealServer(process.env["KUBEBUILDER_ASSETS"] ?? ""),
    startRedis([
      "user default on nopass ~* &* +@all",
      ...REDIS_USERS.map((user) => `user ${user} on >of-a-test resetchannels ${RIGHTS[user]}`),
    ]),
  ]);
  starting.use(redis);
  starting.use(server);
  const kubectl = kubectlFor(server.kubeconfigFile);
  await kubectl("apply --server-side -f infra/platform/crds/generated");
  await kubectl("wait crd --all --for=condition=Established --timeout=240s");
  const deployed = starting.use(
    await deployAccounts(server, ["capstan-console"], ["console", "console-actions"]),
  );
  const bindings = [ANN_LOOKS, bindingOfAnn(GET_POOLS, GET_POOLS)];
  await kubectl("create -f -", [...OBJECTS.map((each) => JSON.stringify(each)), ...bindings].join("\n---\n"));
  const tokens = new Map<Person, string>();
  for (const person of PERSONS)
    tokens.set(person, (await kubectl(`create token ${person} --namespace people`)).trim());
  const pools = [OWN, OTHER].flatMap((namespace) => [
    simCluster(NAME, namespace),
    simPool(NAME, NAME, 0, namespace),
  ]);
  await kubectl("create -f -", pools.join("---"));
  const kubeconfig = ["--kubeconfig", server.kubeconfigFile];
  const parts = ["up", ...kubeconfig, "--roles", "relay", "worker", "--functions-dir", FUNCTIONS, "--empty"];
  const up = starting.use(startCli([...parts, "--queue", redis.url]));

  // The console reaches the API server by a way that a test can cut.
  const direct = await readFile(deployed.fileOf("capstan-console"), "utf8");
  const [url = ""] = /https:\/\/[^"]+/.exec(direct) ?? [];
  const proxy = starting.use(await startProxy(url));
  await writeFile(join(dir, "kubeconfig"), direct.replace(url, proxy.url), { mode: 0o600 });
  const authority = await newAuthority();
  const { cert, key } = await authority.issue("server");
  await writeFile(join(dir, "tls.crt"), cert);
  await writeFile(join(dir, "tls.key"), key, { mode: 0o600 });
  const clock = jumpingClock();
  const { log, lines } = recordingLog();

  /** A console beyond loopback, under the account and the Redis user of a deployment. */
  const serve = async (user: RedisUser, { actions }: { readonly actions: boolean }) => {
    const flags = {
      kubeconfig: join(dir, "kubeconfig"),
      queue: redis.url.replace("redis://", `redis://${user}:of-a-test@`),
      functionsDir: FUNCTIONS,
      address: { host: undefined, port: 0 },
      hostName: [HOST],
      consoleCertDir: dir,
      actions,
    };
    const served = await startSharedConsole(flags, { clock, log });
    return { ...served, ...askingAt(served.port, authority.cert, tokens) };
  };
  const console = starting.use(await serve("operator", { actions: true }));
  await eventually(async () => {
    const [letters, fleet] = [await console.ask("vera", "/letters"), await console.ask("vera", "/fleet")];
    if (letters.body.items?.length === 2 && fleet.body.total === 2) return;
    throw new Error(`not two letters of two Clusters yet: ${up.output()}`);
  }, WITHIN);
  const running = starting.move();
  return {
    server,
    redis,
    kubectl,
    up,
    proxy,
    clock,
    lines,
    serve,
    console,
    tokenOf: (person: Person) => tokens.get(person) ?? "",
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface Answered {
  readonly code: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of all routes.
  readonly body: any;
}

/** How persons ask a console: with the token of a person, or with a token as it is. */
function askingAt(port: number, ca: string, tokens: ReadonlyMap<Person, string>) {
  const secure = askAt(port, ca);
  const tokenOf = (asker: Person | { readonly token: string }) =>
    typeof asker === "string" ? (tokens.get(asker) ?? "") : asker.token;
  const send = async (
    asker: Parameters<typeof tokenOf>[0],
    path: string,
    body?: object,
  ): Promise<Answered> => {
    const pressed = {
      "content-type": "application/json",
      "capstan-action": "1",
      "sec-fetch-site": "same-origin",
    };
    const { code, text } = await secure({
      path: `/api/v1${path}`,
      token: tokenOf(asker),
      headers: { host: HOST, ...(body === undefined ? {} : pressed) },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    return { code, text, body: JSON.parse(text) };
  };
  return {
    ask: (asker: Parameters<typeof tokenOf>[0], path: string) => send(asker, path),
    post: (asker: Parameters<typeof tokenOf>[0], path: string, body: object) => send(asker, path, body),
    /** Opens a stream; dispose it. */
    async follow(person: Person, topics: readonly string[]) {
      const query = new URLSearchParams(topics.map((topic): [string, string] => ["topic", topic]));
      const headers = { host: HOST, authorization: `Bearer ${tokenOf(person)}` };
      const to = { host: "127.0.0.1", port, ca, servername: "localhost", agent: false };
      const sent = request({ ...to, path: `/api/v1/stream?${query}`, headers });
      sent.on("error", () => undefined).end();
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      return { ...streamMessages(answer), [Symbol.dispose]: () => void sent.destroy() };
    },
  };
}
