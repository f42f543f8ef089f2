import { loadAll } from "js-yaml";
import { afterAll, beforeAll, expect, it } from "vitest";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { applyManifests } from "../../infra/cli/up/apply-manifests.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer, type Server } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { fieldOwners, takeOver } from "../../infra/platform/kube/take-over.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Secret } from "../../shared/api/core.ts";
import { type Kind, type KubeObject, refTo } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { valueAt } from "../../shared/api/path.ts";
import { defineFunction, type GuardedPatch } from "../../shared/function/define-function.ts";
import { done } from "../../shared/function/result.ts";
import { writeDecision } from "../../shared/runtime/write/write-decision.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { API_SERVERS } from "../support/processes/api-servers.ts";
import { startCuttingProxy } from "../support/processes/cutting-proxy.ts";
import { describeWith } from "../support/requires.ts";
import { silentLog } from "../support/silent-log.ts";

const namespace = "default";
const MANAGED_FIELDS_LIMIT_BYTES = 8 * 1024;
const Pool = MachinePool as unknown as Kind;
const identity = (name: string) => ({
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "MachinePool",
  metadata: { name, namespace },
});
const grow = defineFunction(
  { name: "pool-grow", summary: "Grows.", source: "own", reconciles: Pool, watches: [], owns: [] },
  async () => ({ result: done }),
);

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing, flavour)(`writes to ${flavour.name}`, () => {
    const stack = new AsyncDisposableStack();
    let server: Server;
    let kubeconfigFile: string;
    beforeAll(async () => {
      const started = stack.use(await flavour.start());
      kubeconfigFile = started.kubeconfigFile;
      const access = await loadKubeconfig({ file: kubeconfigFile, env: {} });
      server = stack.use(createServer(access, { clock: systemClock }));
      await installCrds(server.as("up"), systemClock);
    });
    afterAll(() => stack.disposeAsync());

    const client = (name = "writes") => server.as(name);
    const read = async (name: string) => {
      const found = await client().get(Pool, { namespace, name });
      if (found === undefined) throw new Error(`there is no ${name}`);
      return found;
    };
    const makePool = async (name: string): Promise<KubeObject> => {
      const spec = {
        clusterName: "c",
        template: {
          spec: {
            clusterName: "c",
            bootstrap: { dataSecretName: "s" },
            infrastructureRef: { apiGroup: "infrastructure.example", kind: "Foo", name: "f" },
          },
        },
      };
      return client("up").create(Pool, { ...identity(name), spec } as KubeObject);
    };
    const applyStatus = (as: string, name: string, status: object) =>
      client(as).apply(Pool, { namespace, name }, { ...identity(name), ...status }, "status");
    const patchOf = (pool: KubeObject, ...operations: GuardedPatch["operations"]): GuardedPatch => ({
      target: refTo(Pool, pool),
      operations,
    });
    const write = (pool: KubeObject, patch: GuardedPatch, through = server) =>
      writeDecision({ patch: [patch], result: done }, {
        function: grow,
        object: pool,
        clients: { of: (_cluster, name) => through.as(name) },
        clock: systemClock,
        log: silentLog,
        signal: new AbortController().signal,
      } as Parameters<typeof writeDecision>[1]);

    it("fails in the class that the server's answer means (KC-06)", async () => {
      const pool = await makePool("classes");
      const key = { namespace, name: "classes" };
      const stale = { ...identity("classes").metadata, resourceVersion: pool.metadata.resourceVersion };
      await applyStatus("writes", "classes", { status: { phase: "Running" } });
      const answers: readonly (readonly [() => Promise<unknown>, object])[] = [
        [() => makePool("classes"), { status: 409, reason: "AlreadyExists", class: "Conflict" }],
        [
          () =>
            client().apply(
              Pool,
              key,
              { ...identity("classes"), metadata: stale, status: { replicas: 2 } },
              "status",
            ),
          { status: 409, reason: "Conflict", class: "Conflict" },
        ],
        [
          () => client().jsonPatch(Pool, key, [{ op: "test", path: "/metadata/uid", value: "other" }]),
          { status: 422, reason: "Invalid", class: "Conflict", causes: [] },
        ],
        [
          () => client().jsonPatch(Pool, key, [{ op: "add", path: "/spec/replicas", value: -1 }]),
          { status: 422, reason: "Invalid", class: "Terminal" },
        ],
        [
          () => client().get({ ...Pool, plural: "nothings" }, key),
          { status: 404, reason: "TypeNotServed", class: "Transient" },
        ],
        [
          () =>
            client().create(Secret as unknown as Kind, {
              apiVersion: "v1",
              kind: "Secret",
              metadata: { name: "s", namespace: "nowhere" },
            }),
          { status: 404, reason: "NamespaceNotFound" },
        ],
        [
          () =>
            client().jsonPatch(Pool, { namespace, name: "nobody" }, [{ op: "add", path: "/a", value: 1 }]),
          { status: 404, reason: "NotFound", class: "Conflict" },
        ],
        [
          () => collect(client().pages(Pool, { atLeast: "9999999999" })),
          { status: 504, reason: "Timeout", class: "Transient" },
        ],
      ];
      for (const [answer, expected] of answers) await expect(answer()).rejects.toMatchObject(expected);
      expect(await client().get(Pool, { namespace, name: "nobody" })).toBeUndefined();
    });

    it("lists page by page (KC-08)", async () => {
      for (const name of ["page-a", "page-b", "page-c"]) await makePool(name);
      const pages = await collect(client().pages(Pool, { namespace, pageItems: 2 }));
      expect(pages.length).toBeGreaterThanOrEqual(2);
      const names = pages.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
      expect(names).toEqual(expect.arrayContaining(["page-a", "page-b", "page-c"]));
      expect(new Set(names).size).toBe(names.length);
    });

    it("releases what it owned with a body of identity only", async () => {
      await makePool("released");
      await applyStatus("first", "released", { status: { phase: "Running", replicas: 1 } });
      await applyStatus("second", "released", { status: { replicas: 1 } });
      const released = await applyStatus("first", "released", {});
      expect(valueAt(released, "status")).toEqual({ replicas: 1 });
      expect(valueAt(await applyStatus("second", "released", {}), "status.replicas")).toBeUndefined();
    });

    it("creates no husk with an apply to what is gone, and none with one to its successor", async () => {
      const pool = await makePool("husk");
      const { uid } = pool.metadata;
      const key = { namespace, name: "husk" };
      const body = { ...identity("husk"), metadata: { ...identity("husk").metadata, uid } };
      await client().delete(Pool, key, { uid: uid ?? "" });
      await expect(client().apply(Pool, key, body)).rejects.toMatchObject({ class: "Conflict" });
      await expect(client().apply(Pool, key, body, "status")).rejects.toMatchObject({ class: "Conflict" });
      expect(await client().get(Pool, key)).toBeUndefined();
      await makePool("husk");
      await expect(client().apply(Pool, key, body)).rejects.toMatchObject({ class: "Conflict" });
    });

    it("deletes only the object that was meant", async () => {
      const pool = await makePool("meant");
      const key = { namespace, name: "meant" };
      const other = { uid: "00000000-0000-0000-0000-000000000000" };
      await expect(client().delete(Pool, key, other)).rejects.toMatchObject({ class: "Conflict" });
      const stale = { uid: pool.metadata.uid ?? "", resourceVersion: "1" };
      await expect(client().delete(Pool, key, stale)).rejects.toMatchObject({ class: "Conflict" });
      await read("meant");
      await client().delete(Pool, key, { uid: pool.metadata.uid ?? "" });
      expect(await client().get(Pool, key)).toBeUndefined();
    });

    it("distinguishes a patch that lost a race from one that never fits", async () => {
      const pool = await makePool("race");
      const label = patchOf(pool, { op: "add", path: "/metadata/labels", value: { a: "b" } });
      expect((await write(pool, label)).error).toBeUndefined();
      const now = await read("race");
      expect(await write(pool, label)).toMatchObject({
        error: { class: "Conflict", status: 422 },
        fences: [{ name: "race", resourceVersion: now.metadata.resourceVersion }],
      });
      const unfit = patchOf(now, { op: "remove", path: "/metadata/annotations/absent" });
      expect(await write(now, unfit)).toMatchObject({
        error: { class: "Terminal", message: expect.stringMatching(/^bug: /) },
      });
    });

    it("sees what a write whose answer was lost has done, and does not send it again (KC-07)", async () => {
      const pool = await makePool("lost");
      const access = await loadKubeconfig({ file: kubeconfigFile, env: {} });
      await using proxy = await startCuttingProxy(access.server);
      using far = createServer({ ...access, server: proxy.url }, { clock: systemClock });
      // The connection is open before the answer to the write is lost, and not the handshake.
      await far.as("pool-grow").get(Pool, { namespace, name: "lost" });
      proxy.cutNextAnswer();
      const label = patchOf(pool, { op: "add", path: "/metadata/labels", value: { a: "b" } });
      const written = await write(pool, label, far);
      const now = await read("lost");
      expect(proxy.cuts).toBe(1);
      expect(now.metadata).toMatchObject({ labels: { a: "b" }, generation: pool.metadata.generation });
      expect(written).toMatchObject({
        requests: 1,
        error: { reason: "NoAnswer", class: "Transient" },
        fences: [{ name: "lost", resourceVersion: now.metadata.resourceVersion }],
      });
    });

    it("takes fields over from a manager that writes no more", async () => {
      const give = async (name: string) => {
        await makePool(name);
        const operations = [{ op: "add", path: "/status", value: { phase: "Running" } }] as const;
        await client("old").jsonPatch(Pool, { namespace, name }, operations, "status");
        await applyStatus("new", name, { status: { phase: "Running" } });
      };
      await give("kept");
      expect(valueAt(await applyStatus("new", "kept", {}), "status.phase")).toBe("Running");

      await give("taken");
      const changed = await takeOver(client("take-over"), [Pool], new Set(["capstan-old"]));
      expect(changed).toBeGreaterThanOrEqual(1);
      expect(valueAt(await applyStatus("new", "taken", {}), "status.phase")).toBeUndefined();
      expect(await takeOver(client("take-over"), [Pool], new Set(["capstan-old"]))).toBe(0);
    });

    it("leaves the fields of objects outside of its scope to their manager", async () => {
      const managers = new Set(["capstan-scoped"]);
      const objects = ["ours", "theirs"];
      for (const name of objects) {
        await makePool(name);
        const operations = [
          { op: "add", path: "/metadata/labels", value: { "cluster.x-k8s.io/watch-filter": name } },
        ] as const;
        await client("scoped").jsonPatch(Pool, { namespace, name }, operations);
      }
      const scope = { namespace, labelSelector: "cluster.x-k8s.io/watch-filter=ours" };
      expect(await takeOver(client("take-over"), [Pool], managers, scope)).toBe(1);
      const holders = await Promise.all(
        objects.map(async (name) =>
          fieldOwners(managedFieldsOf(await read(name))).some(({ manager }) => managers.has(manager)),
        ),
      );
      expect(holders).toEqual([false, true]);
    });

    it("takes over from the only manager of an object, and skips a kind that is not served", async () => {
      await makePool("sole");
      const kinds = [{ ...Pool, plural: "nothings" }, Pool];
      await takeOver(client("take-over"), kinds, new Set(["capstan-up"]));
      const managers = fieldOwners(managedFieldsOf(await read("sole"))).map(({ manager }) => manager);
      expect(managers).not.toContain("capstan-up");
    });

    it("takes over an object whose managers the server has lost, so that an author's next apply meets no other one", async () => {
      await makePool("lost-managers");
      const key = { namespace, name: "lost-managers" };
      const lost = [{ op: "replace", path: "/metadata/managedFields", value: [{}] }] as const;
      await client("mishap").jsonPatch(Pool, key, lost);
      await takeOver(client("take-over"), [Pool], new Set(["before-first-apply"]));
      await applyStatus("new", key.name, { status: { phase: "Running" } });
      const managers = fieldOwners(managedFieldsOf(await read(key.name))).map(({ manager }) => manager);
      expect(managers).not.toContain("before-first-apply");
    });

    it("shows which manager wrote a field, and when", async () => {
      await makePool("shown");
      const conditions = [
        {
          type: "Ready",
          status: "True",
          reason: "R",
          message: "",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ];
      await applyStatus("status", "shown", { status: { conditions, phase: "Running" } });
      const owners = fieldOwners(managedFieldsOf(await read("shown")));
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
      expect(owners).toContainEqual({
        field: "status.conditions[Ready]",
        manager: "capstan-status",
        operation: "Apply",
        time,
      });
      expect(owners).toContainEqual(
        expect.objectContaining({ field: "spec.clusterName", manager: "capstan-up", operation: "Update" }),
      );
    });

    it("keeps managedFields within 8 KB after the whole job", async () => {
      await using capstan = await startCapstan(kubeconfigFile);
      const text = `${simCluster("c1")}---${simPool("p1", "c1", 2)}`;
      const manifests = (loadAll(text) as KubeObject[]).map((object) => ({ object }));
      await applyManifests(capstan.server.as("up"), manifests);
      await eventually(async () => valueAt(await read("p1"), "status.phase") === "Running", {
        withinMs: 60_000,
        stepMs: 100,
      });
      const cluster = await client().get(Cluster as unknown as Kind, { namespace, name: "c1" });
      for (const object of [await read("p1"), cluster]) {
        const bytes = JSON.stringify(managedFieldsOf(object)).length;
        expect(bytes).toBeGreaterThan(100);
        expect(bytes).toBeLessThanOrEqual(MANAGED_FIELDS_LIMIT_BYTES);
      }
    });
  });
}

function managedFieldsOf(object: KubeObject | undefined): Parameters<typeof fieldOwners>[0] {
  return Reflect.get(object?.metadata ?? {}, "managedFields") ?? [];
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
