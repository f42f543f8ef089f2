import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "./free-ports.ts";
import { startRedis } from "./redis-server.ts";

type Files = { readonly [name: string]: string };

export interface DeployedRedis extends AsyncDisposable {
  readonly port: number;
  /** Starts it again with its data and the files of another Secret, as a new Pod of its StatefulSet. */
  renew(secret: Files): Promise<void>;
}

/** Starts the Redis of a deployment, with its redis.conf and the files of its Secret, at a port of this machine. */
export async function startDeployedRedis(conf: string, secret: Files): Promise<DeployedRedis> {
  await using starting = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-redis-conf-"));
  starting.defer(() => rm(dir, { recursive: true, force: true }));
  const write = async (files: Files) => {
    for (const [file, text] of Object.entries(files)) await writeFile(join(dir, file), text);
  };
  await write(secret);
  const [port = 0] = await freePorts(1);
  const settings = conf
    .replaceAll("/etc/redis-secret", dir)
    .replace("tls-port 6379", `tls-port ${port}`)
    .replace("dir /data", `dir ${dir}`);
  const server = starting.use(await startRedis(settings.split("\n")));
  const running = starting.move();
  return {
    port,
    renew: async (next) => {
      await server.stop();
      await write(next);
      await server.restart();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
