import { describe, expect, it } from "vitest";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../../../infra/playground/apiserver/entry.ts";
import { createReadSecrets } from "../../../../infra/relay/workload/read-secrets.ts";
import { Secret } from "../../../../shared/api/core.ts";
import type { Kind } from "../../../../shared/api/kinds.ts";
import { MINUTE, SECOND } from "../../../../shared/function/backoff.ts";
import { virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { silentLog } from "../../../support/silent-log.ts";

const within = { withinMs: 10_000 };
const CLUSTER = { namespace: "default", name: "c1" };
const KEY = { namespace: "default", name: "c1-kubeconfig" };

/** Follows the kubeconfig Secret of Cluster c1 with an account that has these verbs on Secrets, everywhere by default. */
async function world(verbs: readonly string[], namespaces?: readonly string[]) {
  const stack = new AsyncDisposableStack();
  const clock = virtualClock();
  const api = await startApiServer({ name: "test", recordRequests: true });
  stack.defer(() => api.stop());
  const there = namespaces === undefined ? {} : { namespaces };
  const token = api.addUser({ name: "capstan-relay", allow: [{ verbs, resources: ["secrets"], ...there }] });
  const admin = stack.use(createServer(parseKubeconfig(api.kubeconfig()), { clock })).as("test");
  const server = stack.use(createServer(parseKubeconfig(api.kubeconfig(token)), { clock }));
  const secrets = stack.use(createReadSecrets({ server, clock, log: silentLog, random: () => 0 }));
  const seen: (string | undefined)[] = [];
  const ofRelay = () => api.requests.filter(({ userAgent }) => userAgent.endsWith(" relay"));
  return {
    clock,
    secrets,
    seen,
    follow: () =>
      secrets.follow(CLUSTER, (secret, why) =>
        seen.push(secret === undefined ? why : secret.data?.["value"]),
      ),
    reads: () => ofRelay().length,
    verbs: () => new Set(ofRelay().map(({ verb }) => verb)),
    async write(value: string) {
      const data = { value: btoa(value), other: btoa("hidden") };
      await admin.apply(Secret as Kind, KEY, { apiVersion: "v1", kind: "Secret", metadata: KEY, data });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe("kubeconfig Secrets that are read by name", () => {
  it("need no right but get, and are read again when asked and after five minutes", async () => {
    await using w = await world(["get"]);
    await w.write("a");
    w.follow();
    await eventually(() => expect(w.seen).toEqual([btoa("a")]), within);
    await w.write("b");
    await w.secrets.ask(CLUSTER);
    expect(w.seen).toEqual([btoa("a"), btoa("b")]);
    await w.write("c");
    await w.clock.advance(5 * MINUTE - SECOND);
    expect(w.reads()).toBe(2);
    await w.clock.advance(SECOND);
    await eventually(() => expect(w.seen.at(-1)).toBe(btoa("c")), within);
    expect(w.verbs()).toEqual(new Set(["get"]));
    expect(w.secrets.loops()).toEqual([]);
  });

  it("are read soon again while there are none, ever more rarely", async () => {
    await using w = await world(["get"]);
    w.follow();
    await eventually(() => expect(w.seen).toHaveLength(1), within);
    for (const pauseMs of [1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * SECOND)) {
      const reads = w.reads();
      await w.clock.advance(pauseMs - 1);
      expect(w.reads()).toBe(reads);
      await w.clock.advance(1);
      await eventually(() => expect(w.seen).toHaveLength(reads + 1), within);
    }
    expect(new Set(w.seen)).toEqual(new Set([undefined]));
  });

  it("that may not be read say which command grants the right", async () => {
    await using w = await world([]);
    await w.write("a");
    w.follow();
    await eventually(() => expect(w.seen).toHaveLength(1), within);
    expect(w.seen[0]).toContain("kubeconfig Secret default/c1-kubeconfig cannot be read: ");
    expect(w.seen[0]).toContain("kubectl create rolebinding capstan-relay-get-secrets ");
  });

  it("that may not be read in one namespace stop no Cluster of another one", async () => {
    await using w = await world(["get"], [CLUSTER.namespace]);
    await w.write("a");
    const elsewhere: (string | undefined)[] = [];
    w.secrets.follow({ namespace: "team-b", name: "c1" }, (_, why) => elsewhere.push(why));
    w.follow();
    await eventually(() => expect(w.seen).toEqual([btoa("a")]), within);
    await eventually(() => expect(elsewhere).toHaveLength(1), within);
    expect(elsewhere[0]).toContain("kubeconfig Secret team-b/c1-kubeconfig cannot be read: ");
    expect(elsewhere[0]).toContain("--namespace=team-b");
  });

  it("are forgotten with their Cluster", async () => {
    await using w = await world(["get"]);
    const unfollow = w.follow();
    await eventually(() => expect(w.seen).toHaveLength(1), within);
    await unfollow();
    expect(w.clock.pending).toBe(0);
    await w.secrets.ask(CLUSTER);
    w.secrets.relist();
    expect(w.reads()).toBe(1);
  });
});
