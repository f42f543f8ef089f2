import { expect, it } from "vitest";
import { connectRedis, endConnection } from "../../infra/queue/backends/redis/server/connection.ts";
import { eventually } from "../support/eventually.ts";
import { EMBEDDED, REAL } from "../support/processes/api-servers.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { formerMissing, PRESENT, unpackFormer } from "../support/processes/former-version.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { startRolledFleet } from "../support/rolled-fleet.ts";
import { silentLog } from "../support/silent-log.ts";

const WITHIN = { withinMs: 90_000, stepMs: 200 };
const SERVER = REAL.missing === undefined ? REAL : EMBEDDED;
/** The embedded server records its last 10,000 requests. */
const POOLS = SERVER === REAL ? 2_000 : 100;
const OWNER = "{cap:cluster}:owner";
const FUTURE = JSON.stringify([
  {
    op: "add",
    path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/ofTheFuture",
    value: { type: "string" },
  },
]);

async function clientOf(url: string) {
  const redis = await connectRedis({ url, log: silentLog });
  return { redis, [Symbol.asyncDispose]: () => endConnection(redis) };
}

describeWith(redisMissing() ?? kubectlMissing() ?? formerMissing(), { optional: true })(
  "a roll from the former version to the present one, and back",
  () => {
    it(`Q-44: ${POOLS} changing pools lose no change and get none twice; letters, pauses and new fields stay`, async () => {
      await using former = await unpackFormer();
      await using server = await SERVER.start();
      await using redis = await startRedis();
      await using fleet = await startRolledFleet(server, redis.url, former);
      await fleet.create(POOLS);
      const letters = await fleet.letters();
      const settle = fleet.change();

      await fleet.roll(PRESENT);
      await kubectlFor(server.kubeconfigFile)(
        `patch crd machinepools.cluster.x-k8s.io --type=json -p '${FUTURE}'`,
      );
      await fleet.objects.change("machinepools", "p0", { spec: { ofTheFuture: "kept" } });
      const check = ["pool-check", "--functions-dir", PRESENT.functions, "--yes"];
      expect(await fleet.queue("pause", ...check)).toContain("paused pool-check");
      await fleet.roll(former);
      expect(await fleet.queue("resume", ...check)).toContain("resumed pool-check");
      await settle();

      expect(await fleet.effects()).toEqual(fleet.changes);
      expect(await fleet.letters()).toEqual(letters);
      expect(await fleet.objects.read("machinepools", "p0")).toMatchObject({ spec: { ofTheFuture: "kept" } });
      const changes = [...fleet.changes.values()].reduce((sum, count) => sum + count, 0);
      // Each of the two rolls may resync every pool, and a period may end; no more.
      expect(await fleet.runs()).toBeLessThanOrEqual(changes + 3 * POOLS);
    });

    it("Q-44: a Redis that loses its memory in the middle is filled again, with its format", async () => {
      await using former = await unpackFormer();
      await using server = await SERVER.start();
      await using redis = await startRedis();
      await using fleet = await startRolledFleet(server, redis.url, former);
      await fleet.create(10);
      const settle = fleet.change();
      const rolled = fleet.roll(PRESENT);
      await using client = await clientOf(redis.url);
      await eventually(async () => expect(await client.redis.hget(OWNER, "format")).toBe("1"), WITHIN);
      await client.redis.flushdb();
      await rolled;
      await settle();
      await eventually(async () => expect(await fleet.letters()).toHaveLength(1), WITHIN);
      expect(await client.redis.hget(OWNER, "format")).toBe("1");
    });

    it("Q-44: data of a newer format end what runs and refuse what starts, until they can be read", async () => {
      await using server = await SERVER.start();
      await using redis = await startRedis();
      const reach = ["--kubeconfig", server.kubeconfigFile, "--queue", redis.url];
      await using relay = startCli(["relay", ...reach, "--install-crds"]);
      await eventually(() => expect(relay.output()).toContain("first list"), WITHIN);
      await using client = await clientOf(redis.url);
      await client.redis.hset(OWNER, "format", "2");
      expect(await relay.ended).toBe(1);
      const remedy = "data of the newer format 2, and this version of Capstan reads format 1";
      expect(relay.output()).toContain(remedy);
      const refused = await Promise.all([
        runCli("worker", ...reach),
        runCli("dlq", "list", ...reach.slice(2)),
      ]);
      for (const { code, output } of refused) {
        expect(output).toContain(remedy);
        expect(code).toBe(1);
      }
      await client.redis.hset(OWNER, "format", "1");
      await using worker = startCli(["worker", ...reach]);
      await eventually(() => expect(worker.output()).toContain("serving"), WITHIN);
    });
  },
);
