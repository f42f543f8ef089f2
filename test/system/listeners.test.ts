import { execFile } from "node:child_process";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { commandsIn } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { forgedToken } from "../support/forged-token.ts";
import { simCluster } from "../support/manifests.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { freePorts } from "../support/processes/free-ports.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const shell = promisify(execFile);
const WITHIN = { withinMs: 90_000, stepMs: 300 };
const NAMESPACE = "capstan-system";
/** As many as 64 are open at a time. */
const FLOOD = 10_000;

/** Writes the files of each Secret into a folder of its name, as a Pod mounts them. */
async function mount(kubectl: Kubectl, dir: string): Promise<void> {
  const { items } = JSON.parse(await kubectl(`get secrets --namespace ${NAMESPACE} -o json`)) as {
    items: readonly { metadata: { name: string }; data: { [file: string]: string } }[];
  };
  for (const { metadata, data } of items) {
    await mkdir(join(dir, metadata.name));
    for (const [file, value] of Object.entries(data)) {
      await writeFile(join(dir, metadata.name, file), Buffer.from(value, "base64"), { mode: 0o600 });
    }
  }
}

/** Redis as the Secrets want it, with a user for the test. */
async function startGuardedRedis(folder: string, tlsPort: number) {
  const users = (await readFile(join(folder, "users.acl"), "utf8")).trim().split("\n");
  return startRedis([
    `tls-port ${tlsPort}`,
    `tls-cert-file ${join(folder, "tls.crt")}`,
    `tls-key-file ${join(folder, "tls.key")}`,
    `tls-ca-cert-file ${join(folder, "ca.crt")}`,
    "tls-auth-clients no",
    ...users,
    "user admin on >admin ~* &* +@all",
    "appendonly yes",
  ]);
}

const later = () => Math.floor(Date.now() / 1_000) + 3_000;

/** Resolves when the server ends a connection on which it gets this text and nothing more. */
function slowClient(socket: Socket, text: string): Promise<void> {
  socket.on("error", () => undefined).resume();
  socket.write(text);
  return new Promise((resolve) => socket.on("close", () => resolve()));
}

/** Each stays silent in the middle of a request or before it; of the diagnostics also before TLS is agreed upon. */
function slowClients(health: number, diagnostics: number): readonly Promise<void>[] {
  const host = "127.0.0.1";
  const half = "GET /metrics HTTP/1.1\r\n";
  const overTls = () => connectTls({ port: diagnostics, host, rejectUnauthorized: false });
  return [
    slowClient(connect(health, host), half),
    slowClient(connect(health, host), ""),
    slowClient(connect(diagnostics, host), ""),
    slowClient(overTls(), half),
    slowClient(overTls(), ""),
  ];
}

/** Opens connections without a word; returns how many the server has ended at once. */
async function flood(port: number): Promise<number> {
  let ended = 0;
  const kept: ReturnType<typeof connect>[] = [];
  for (let count = 0; count < FLOOD; count += 1) {
    const socket = connect(port, "127.0.0.1");
    kept.push(socket);
    socket
      .on("error", () => undefined)
      .on("close", () => (ended += 1))
      .resume();
    await once(socket, "connect").catch(() => undefined);
  }
  await eventually(() => expect(ended).toBeGreaterThanOrEqual(FLOOD - 64), WITHIN);
  const atOnce = ended;
  for (const socket of kept) socket.destroy();
  return atOnce;
}

describeWith(REAL.missing ?? redisMissing() ?? kubectlMissing(), REAL)(
  "relay and worker with a real API server and a Redis with TLS, as the guide starts them",
  () => {
    it("S-40: answer kubelets and known clients only, and outlive a wrong password", async () => {
      await using server = await REAL.start();
      await using stack = new AsyncDisposableStack();
      const dir = testFolder("listeners");
      const [tlsPort = 0, health = 0, diagnostics = 0, workerHealth = 0, workerDiagnostics = 0] =
        await freePorts(5);
      const kubectl = kubectlFor(server.kubeconfigFile);
      const path = `${process.env["KUBEBUILDER_ASSETS"]}:${process.env["PATH"]}`;
      const env = { ...process.env, PATH: path, KUBECONFIG: server.kubeconfigFile };
      const commands = [...(await commandsIn("infra/guides/operate.md", "Beyond loopback"))];
      const next = (start: string): string => {
        const line = commands.shift() ?? "";
        expect(line.slice(0, start.length)).toBe(start);
        return line
          .replaceAll("FILE", server.kubeconfigFile)
          .replaceAll("/etc/capstan", dir)
          .replaceAll(":9440", `:${health}`)
          .replaceAll(":8443", `:${diagnostics}`);
      };
      const run = async (line: string): Promise<string> =>
        (await shell("bash", ["-c", line], { env })).stdout;
      const argsOf = (line: string) => line.replace("npm run capstan -- ", "").split(" ");

      await run(next("kubectl create namespace"));
      const secrets = next("npm run --silent capstan -- secrets | kubectl apply --server-side");
      const at = `--redis-host 127.0.0.1 --redis-port ${tlsPort}`;
      await run(
        secrets
          .replace("npm run --silent capstan --", `'${process.execPath}' infra/cli/main.ts`)
          .replace("secrets", `secrets ${at}`),
      );
      await mount(kubectl, dir);
      await using redis = await startGuardedRedis(join(dir, "capstan-redis"), tlsPort);
      const admin = new Redis(redis.url.replace("redis://", "redis://admin:admin@"));
      admin.on("error", () => undefined);
      stack.defer(() => admin.disconnect());
      const queueFile = join(dir, "capstan-worker-queue/url");

      await using relay = startCli([...argsOf(next("npm run capstan -- relay")), "--install-crds"]);
      await using worker = startCli(
        argsOf(next("npm run capstan -- worker")).map((arg) =>
          arg.replace(`:${health}`, `:${workerHealth}`).replace(`:${diagnostics}`, `:${workerDiagnostics}`),
        ),
      );
      const probe = (port: number, path: string) =>
        fetch(`http://127.0.0.1:${port}${path}`).then(
          ({ status }) => status,
          () => undefined,
        );
      await eventually(async () => expect(await probe(workerHealth, "/livez")).toBe(200), WITHIN);
      for (const port of [health, workerHealth]) {
        await eventually(async () => expect(await probe(port, "/readyz")).toBe(200), WITHIN);
      }
      await kubectl("apply -f -", simCluster("c1"));
      const finalizers = "get cluster/c1 -o jsonpath={.metadata.finalizers}";
      await eventually(async () => expect(await kubectl(finalizers)).not.toBe(""), WITHIN);
      expect(await admin.call("ACL", "LOG")).toEqual([]);
      const slow = slowClients(health, diagnostics);

      for (const verb of ["serviceaccount", "clusterrole", "clusterrolebinding"]) {
        await run(next(`kubectl create ${verb}`));
      }
      const token = (await run(next("TOKEN=$(").replace(/^TOKEN=\$\((.*)\)$/, "$1"))).trim();
      const curl = next("curl -fsS --cacert ");
      await eventually(
        async () => expect(await run(`TOKEN=${token}; ${curl}`)).toContain("capstan_relay_ready 1"),
        WITHIN,
      );
      expect(await run(next("curl -fsS --cert "))).toContain('"ready": true');
      expect(await run(next("curl -fsS http://"))).toBe("ok\n");
      expect(commands).toEqual([]);

      const ca = join(dir, "capstan-diagnostics/ca.crt");
      const codeOf = async (bearer?: string, path = "/metrics", more = ""): Promise<string> => {
        const header = bearer === undefined ? "" : `--header 'Authorization: Bearer ${bearer}'`;
        const url = `https://localhost:${workerDiagnostics}${path}`;
        return run(`curl -s -o /dev/null -w '%{http_code}' --cacert ${ca} ${header} ${more} ${url}`);
      };
      await kubectl("create serviceaccount visitor");
      const visitor = (await kubectl("create token visitor")).trim();
      const own = createPrivateKey(await readFile(join(dirname(server.kubeconfigFile), "sa.key"), "utf8"));
      const foreign = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
      expect(await codeOf()).toBe("401");
      expect(await codeOf("nonsense")).toBe("401");
      expect(await codeOf(visitor)).toBe("403");
      expect(await codeOf(token, "/status")).toBe("403");
      expect(await codeOf(forgedToken(token, own, later()))).toBe("200");
      expect(await codeOf(forgedToken(token, own, later() - 6_000))).toBe("401");
      expect(await codeOf(forgedToken(token, foreign, later()))).toBe("401");
      expect(await codeOf(token, "/metrics", "--header 'Origin: https://evil.example'")).toBe("403");
      expect(await flood(workerDiagnostics)).toBeGreaterThanOrEqual(FLOOD - 64);
      expect(await probe(workerHealth, "/livez")).toBe(200);
      await eventually(async () => expect(await codeOf(token)).toBe("200"), WITHIN);

      const right = await readFile(queueFile, "utf8");
      await writeFile(queueFile, right.replace(/:[^:@]+@/, ":wrong@"));
      expect(await probe(workerHealth, "/readyz")).toBe(200);
      await admin.call("CLIENT", "KILL", "USER", "worker");
      await eventually(async () => expect(await probe(workerHealth, "/readyz")).toBe(503), WITHIN);
      expect(await probe(workerHealth, "/livez")).toBe(200);
      const client = join(dir, "capstan-diagnostics-client/tls");
      const certificate = `--cert ${client}.crt --key ${client}.key`;
      const status = `curl -fsS --cacert ${ca} ${certificate} https://localhost:${workerDiagnostics}/status`;
      await eventually(async () => expect(await run(status)).toContain("WRONGPASS"), WITHIN);
      await writeFile(queueFile, right);
      await eventually(async () => expect(await probe(workerHealth, "/readyz")).toBe(200), WITHIN);

      await kubectl(`delete serviceaccount scraper --namespace ${NAMESPACE}`);
      await eventually(async () => expect(await codeOf(token)).toBe("401"), WITHIN);
      await server[Symbol.asyncDispose]();
      await eventually(async () => expect(await codeOf(visitor)).toBe("503"), WITHIN);
      expect(await codeOf(undefined, "/metrics", certificate)).toBe("200");
      expect(await probe(workerHealth, "/livez")).toBe(200);
      await Promise.all(slow);
      for (const { output } of [relay, worker]) {
        for (const secret of [token, visitor, new URL(right).password])
          expect(output()).not.toContain(secret);
      }
    });

    it("names the queue file that cannot be used, without its content", async () => {
      const dir = testFolder("queue-file");
      const file = join(dir, "url");
      await writeFile(file, "rediss://relay:hunter2@redis.example\nx");
      const { code, output } = await runCli("worker", "--queue-file", file);
      expect([code, output]).toEqual([
        1,
        expect.stringContaining(`${file}: it holds a line break or a blank`),
      ]);
      expect(output).not.toContain("hunter2");
    });
  },
);
