import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { systemClock } from "../../../../../../infra/platform/clock.ts";
import { x509 } from "../../../../../../infra/platform/pki/x509.ts";
import { openQueueSource } from "../../../../../../infra/queue/backends/queue-source.ts";
import { RIGHTS } from "../../../../../../infra/queue/backends/redis/server/users.ts";
import { DEFAULT_QUEUE } from "../../../../../../shared/function/backoff.ts";
import { OK } from "../../../../../suites/queue-world.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { freePorts } from "../../../../../support/processes/free-ports.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { recordingLog } from "../../../../../support/recording-log.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { openSharedQueue } from "../../../../../support/shared-queue.ts";
import { testFolder } from "../../../../../support/test-folder.ts";
import { newAuthority } from "../../../../../support/tls-files.ts";

const WITHIN = { withinMs: 20_000, stepMs: 50 };
const FUNCTION = "widget-grow";

/** A Redis with TLS, and the files by which a worker reaches it. */
async function startTlsRedis() {
  await using starting = new AsyncDisposableStack();
  const dir = testFolder("rotation");
  const file = (name: string) => join(dir, name);
  const authority = await newAuthority();
  /** Writes a certificate for so many hours; returns its files. */
  const certify = async (name: string, hours: number) => {
    const { cert, key } = await authority.issue("server", { hours });
    const [certFile, keyFile] = [file(`${name}.crt`), file(`${name}.key`)];
    await writeFile(certFile, cert);
    await writeFile(keyFile, key);
    return { certFile, keyFile, endsAt: x509.read(cert)[0].notAfter };
  };
  const { certFile, keyFile, endsAt } = await certify("first", 20);
  await writeFile(file("ca.crt"), authority.cert);
  const [port = 0] = await freePorts(1);
  const redis = starting.use(
    await startRedis([
      `tls-port ${port}`,
      `tls-cert-file ${certFile}`,
      `tls-key-file ${keyFile}`,
      `tls-ca-cert-file ${file("ca.crt")}`,
      "tls-auth-clients no",
      "user default off",
      "user admin on >admin ~* &* +@all",
      `user worker on >first resetchannels ${RIGHTS.worker}`,
    ]),
  );
  const admin = new Redis(redis.url.replace("redis://", "redis://admin:admin@"));
  starting.defer(() => admin.disconnect());
  const running = starting.move();
  return {
    admin,
    endsAt,
    authorityEndsAt: x509.read(authority.cert)[0].notAfter,
    certify,
    queueFile: file("url"),
    redisCa: file("ca.crt"),
    write: (password: string) => writeFile(file("url"), `rediss://worker:${password}@127.0.0.1:${port}\n`),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

describeWith(redisMissing())("a password of Redis that changes", () => {
  it("is taken from its file with the next connection, also by workers; a wrong one ends nothing", async () => {
    await using world = await startTlsRedis();
    const { admin } = world;
    await world.write("first");
    const { log, lines } = recordingLog();
    const source = openQueueSource(world, log);
    const ports = { clock: systemClock, log, noteFailure: async () => undefined };
    await using queue = await openSharedQueue(source, ports);
    const seen: string[] = [];
    await using _worker = await queue.work(FUNCTION, { ...DEFAULT_QUEUE, owner: "w" }, async ({ key }) => {
      seen.push(key);
      return OK;
    });
    const isSeen = async (name: string) => {
      const key = `default/-|Widget|default/${name}`;
      await queue.enqueue(FUNCTION, [{ key, priority: "live" }]);
      await eventually(() => expect(seen).toContain(key), WITHIN);
    };
    await isSeen("before");

    await admin.call("ACL", "SETUSER", "worker", "resetpass", ">second");
    await world.write("wrong");
    await isSeen("old-connection");
    await admin.call("CLIENT", "KILL", "USER", "worker");
    const message = expect.stringContaining("Redis refuses the connection: WRONGPASS");
    await eventually(() => expect(queue.healthy()).toMatchObject({ ok: false, message }), WITHIN);
    await world.write("second");
    await eventually(() => expect(queue.healthy()).toMatchObject({ ok: true }), WITHIN);
    await isSeen("after");
    const warnings = lines.filter(({ level }) => level === "warn" || level === "error");
    expect(JSON.stringify(warnings)).toContain("WRONGPASS");
    expect(JSON.stringify(lines)).not.toMatch(/:(?:first|second|wrong)@/);
  });

  it("the end of the server's certificate is known, and that of a new one with the next connection", async () => {
    await using world = await startTlsRedis();
    const { admin, endsAt, certify } = world;
    await world.write("first");
    const source = openQueueSource(world, recordingLog().log);
    const ports = { clock: systemClock, log: recordingLog().log, noteFailure: async () => undefined };
    await using queue = await openSharedQueue(source, ports);
    expect(queue.healthy()).toEqual({ ok: true, certificateEndsAt: endsAt });

    const next = await certify("next", 10);
    await admin.call("CONFIG", "SET", "tls-cert-file", next.certFile, "tls-key-file", next.keyFile);
    await admin.call("CLIENT", "KILL", "USER", "worker");
    const renewed = { ok: true, certificateEndsAt: next.endsAt };
    await eventually(() => expect(queue.healthy()).toEqual(renewed), WITHIN);

    // An authority that ends before what it has signed (24 hours from the beginning of the test).
    const late = await certify("late", 48);
    await admin.call("CONFIG", "SET", "tls-cert-file", late.certFile, "tls-key-file", late.keyFile);
    await admin.call("CLIENT", "KILL", "USER", "worker");
    const byAuthority = { ok: true, certificateEndsAt: world.authorityEndsAt };
    await eventually(() => expect(queue.healthy()).toEqual(byAuthority), WITHIN);
  });
});
