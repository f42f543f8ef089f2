import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "./free-ports.ts";
import { startRedis } from "./redis-server.ts";

/** Starts the Redis of a deployment, with its redis.conf and the files of its Secret, at a port of this machine. */
export async function startDeployedRedis(
  conf: string,
  secret: { readonly [file: string]: string },
): Promise<AsyncDisposable & { readonly port: number }> {
  await using starting = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-redis-conf-"));
  starting.defer(() => rm(dir, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(secret)) await writeFile(join(dir, file), text);
  const [port = 0] = await freePorts(1);
  const settings = conf
    .replaceAll("/etc/redis-secret", dir)
    .replace("tls-port 6379", `tls-port ${port}`)
    .replace("dir /data", `dir ${dir}`);
  starting.use(await startRedis(settings.split("\n")));
  const running = starting.move();
  return { port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
