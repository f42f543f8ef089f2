import { beforeAll, describe, expect, it } from "vitest";
import { Deployment, readCore } from "../../../../infra/operate/takeover/core.ts";
import { FAMILIES } from "../../../../infra/operate/takeover/families.ts";
import { WEBHOOK_CONFIGURATIONS } from "../../../../infra/operate/takeover/fence.ts";
import { retire, undo } from "../../../../infra/operate/takeover/retire.ts";
import {
  judgeRetirement,
  judgeReturn,
  keptKey,
  readRetirement,
} from "../../../../infra/operate/takeover/retirement.ts";
import { ConfigMap } from "../../../../infra/operate/takeover/rights.ts";
import { readSurvey } from "../../../../infra/operate/takeover/survey.ts";
import type { ServerClient } from "../../../../infra/platform/kube/verbs.ts";
import { CustomResourceDefinition } from "../../../../shared/api/core.ts";
import { WATCH_FILTER_LABEL } from "../../../../shared/api/indexes.ts";
import { apiVersionOf, type Kind, type KubeObject, objectKeyOf } from "../../../../shared/api/kinds.ts";
import { escapePointer, valueAt } from "../../../../shared/api/path.ts";
import { messageOf } from "../../../../shared/function/errors.ts";
import { killedAfter, type PlayedWorld, playedWorld } from "./played-world.ts";

const NAMESPACE = "capi-system";
const CRDS = CustomResourceDefinition as unknown as Kind;
const CRD_NAMES = FAMILIES.map(({ plural, group }) => `${plural}.${group}`);
const CONVERSION = {
  strategy: "Webhook",
  webhook: { clientConfig: { url: "https://127.0.0.1:1/convert" }, conversionReviewVersions: ["v1"] },
};

/** Capstan's Clusters on an API server as a release of Cluster API leaves it: CRDs of two versions, webhooks. */
async function startWorld(label: string): Promise<PlayedWorld> {
  const world = await playedWorld({ clusters: 1, filter: "capi" });
  const { client } = world;
  for (const name of CRD_NAMES) {
    const crd = (await client.get(CRDS, { namespace: "", name })) as KubeObject;
    const [version] = valueAt(crd, "spec.versions") as readonly [{ readonly name: string }];
    await client.jsonPatch(CRDS, objectKeyOf(crd), [
      { op: "remove", path: "/metadata/labels/app.kubernetes.io~1managed-by" },
      { op: "add", path: "/spec/versions/-", value: { ...version, name: "v1beta1", storage: false } },
      { op: "add", path: "/spec/conversion", value: CONVERSION },
    ]);
    const stored = { op: "replace", path: "/status/storedVersions", value: ["v1beta1", "v1beta2"] } as const;
    await client.jsonPatch(CRDS, objectKeyOf(crd), [stored], "status");
  }
  for (const kind of WEBHOOK_CONFIGURATIONS) {
    const name = `capi-${kind.kind.startsWith("M") ? "mutating" : "validating"}-webhook-configuration`;
    const object = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name }, webhooks: [] };
    await client.create(kind, object as unknown as KubeObject);
  }
  const status = { readyReplicas: 1 };
  await client.jsonPatch(
    Deployment as unknown as Kind,
    world.core,
    [{ op: "add", path: "/status", value: status }],
    "status",
  );
  for (const { kind, object } of await world.members()) {
    const path = `/metadata/labels/${escapePointer(WATCH_FILTER_LABEL)}`;
    await client.jsonPatch(kind, objectKeyOf(object), [{ op: "add", path, value: label }]);
  }
  return world;
}

const scopeOf = ({ core }: PlayedWorld) => ({ clusters: [], parkLease: false, core, filter: "capstan" });

async function run(world: PlayedWorld, way: typeof retire, client: ServerClient = world.client) {
  const core = await readCore(world.client, world.core);
  if (core === undefined) throw new Error("there is no Deployment");
  const retirement = await readRetirement(world.client, NAMESPACE);
  const turn = { check: () => undefined };
  const probe = { ...client, jsonPatch: async () => ({}) as KubeObject };
  await way({ client, probe, clock: world.clock, turn, core, retirement, note: () => undefined });
}

/** Returns whether it was killed before its end. */
async function isKilled(world: PlayedWorld, way: typeof retire, killAfter: number): Promise<boolean> {
  try {
    await run(world, way, killedAfter(world.client, killAfter));
    return false;
  } catch (error) {
    expect(messageOf(error)).toBe("killed");
    return true;
  }
}

/** All that a retirement changes. */
async function stateOf({ client, core }: PlayedWorld) {
  const crds = await Promise.all(CRD_NAMES.map((name) => client.get(CRDS, { namespace: "", name })));
  const webhooks = await Promise.all(WEBHOOK_CONFIGURATIONS.map((kind) => client.list(kind, {})));
  return {
    definitions: crds.map((crd) => [crd?.metadata.labels, valueAt(crd, "spec")]),
    webhooks: webhooks.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)),
    replicas: valueAt(await client.get(Deployment as unknown as Kind, core), "spec.replicas"),
    kept: (await client.get(ConfigMap, keptKey(NAMESPACE)))?.metadata.name,
  };
}

describe("a retirement of Cluster API's manager", () => {
  let world: PlayedWorld;
  beforeAll(async () => {
    world = await startWorld("capstan");
    return () => world[Symbol.asyncDispose]();
  });

  it("killed after any write, continues, and returns with undo to what it was", async () => {
    const before = await stateOf(world);
    let [killAfter, isLast] = [0, false];
    for (; !isLast; killAfter += 1) {
      const retireKilled = await isKilled(world, retire, killAfter);
      await run(world, retire);
      const { definitions, webhooks, replicas } = await stateOf(world);
      expect([webhooks, replicas]).toEqual([[], 0]);
      for (const name of CRD_NAMES) {
        const crd = await world.client.get(CRDS, { namespace: "", name });
        expect(valueAt(crd, "status.storedVersions")).toEqual(["v1beta2"]);
      }
      for (const [labels, spec] of definitions) {
        expect(labels).toMatchObject({ "app.kubernetes.io/managed-by": "capstan" });
        expect(valueAt(spec, "conversion.strategy")).toBe("None");
        expect(valueAt(spec, "versions")).toMatchObject([{ name: "v1beta2" }]);
      }
      const undoKilled = await isKilled(world, undo, killAfter);
      if (undoKilled) await run(world, undo);
      expect(await stateOf(world)).toEqual(before);
      isLast = !retireKilled && !undoKilled;
    }
    // The ConfigMap, per CRD two patches, and the webhooks.
    expect(killAfter).toBeGreaterThan(1 + 2 * CRD_NAMES.length + 2);
  });

  it("is refused while an object is Cluster API's, and the way back where nothing was kept", async () => {
    await using other = await startWorld("capi");
    const { client } = other;
    const survey = await readSurvey(client, scopeOf(other));
    const retirement = await readRetirement(client, NAMESPACE);
    const failsOf = (findings: ReturnType<typeof judgeRetirement>) =>
      findings.flatMap(({ verdict, object, found }) => (verdict === "fail" ? [`${object}: ${found}`] : []));
    expect(failsOf(judgeRetirement(survey, scopeOf(other), retirement))).toEqual([
      "Cluster default/c0: has 3 objects that are not Capstan's yet",
    ]);
    expect(failsOf(judgeReturn(survey, scopeOf(other), retirement))).toEqual([
      "ConfigMap capi-system/capstan-retired-cluster-api: does not exist",
    ]);
    const own = await readSurvey(world.client, scopeOf(world));
    expect(
      failsOf(judgeRetirement(own, scopeOf(world), await readRetirement(world.client, NAMESPACE))),
    ).toEqual([]);
  });
});
