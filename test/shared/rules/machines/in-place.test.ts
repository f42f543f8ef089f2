import { describe, expect, it } from "vitest";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import {
  type InPlaceTemplate,
  inPlacePatch,
  objectPatch,
  templateKeysOf,
} from "../../../../shared/rules/machines/in-place.ts";
import { trackerOf } from "../../../../shared/rules/machines/template-keys.ts";
import { infraMachine, machine, type Overrides } from "../../../support/builders.ts";

const TRACKER = "capstan.dev/keys-from-template";
const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } };
const TAINT = { key: "a", effect: "NoSchedule", propagation: "Always" } as const;

function template(changes: Partial<InPlaceTemplate> = {}): InPlaceTemplate {
  const own = { labels: {}, annotations: {} };
  return { own, metadata: own, spec: {}, ...changes };
}

/** A Machine that was last written from `written`, with the labels and annotations of it. */
function machineFrom(written: InPlaceTemplate, overrides: Overrides<Machine> = {}): Machine {
  const { labels, annotations } = written.metadata;
  const tracker = trackerOf(templateKeysOf(written));
  const tracked = tracker === undefined ? annotations : { ...annotations, [TRACKER]: tracker };
  const bare = machine("m1", overrides);
  return {
    ...bare,
    metadata: {
      ...bare.metadata,
      labels: { ...bare.metadata.labels, ...labels },
      annotations: { ...bare.metadata.annotations, ...tracked },
    },
  };
}

function pathsOf(now: InPlaceTemplate, of: Machine): readonly string[] {
  return inPlacePatch(now, of).map(({ op, path }) => `${op} ${path}`);
}

const LABELLED = template({
  own: { labels: { tier: "a" }, annotations: {} },
  metadata: { labels: { tier: "a" }, annotations: {} },
});

describe("fields that follow the template without a rollout", () => {
  it("cost nothing when all are right", () => {
    expect(pathsOf(LABELLED, machineFrom(LABELLED))).toEqual([]);
    const spec = { minReadySeconds: 5, taints: [TAINT], deletion: { nodeDrainTimeoutSeconds: 60 } };
    expect(pathsOf(template({ spec }), machineFrom(template({ spec }), { spec }))).toEqual([]);
  });

  it("are taken back when they leave the template, with the tracker that named them", () => {
    expect(pathsOf(template(), machineFrom(LABELLED))).toEqual([
      "remove /metadata/labels/tier",
      "remove /metadata/annotations/capstan.dev~1keys-from-template",
    ]);
    const spec = { minReadySeconds: 5, taints: [TAINT] };
    expect(pathsOf(template(), machineFrom(template({ spec }), { spec }))).toEqual(
      expect.arrayContaining(["remove /spec/minReadySeconds", "remove /spec/taints"]),
    );
  });

  it("stay when the template never had them: they are a user's", () => {
    const users = { spec: { minReadySeconds: 5 }, metadata: { labels: { mine: "x" } } };
    expect(pathsOf(template(), machineFrom(template(), users))).toEqual([]);
  });

  it.each<
    readonly [string, Machine["spec"]["deletion"], InPlaceTemplate["spec"], InPlaceTemplate["spec"], unknown]
  >([
    [
      "a timeout is added beside a user's",
      { nodeDeletionTimeoutSeconds: 30 },
      {},
      { deletion: { nodeDrainTimeoutSeconds: 60 } },
      { nodeDeletionTimeoutSeconds: 30, nodeDrainTimeoutSeconds: 60 },
    ],
    [
      "a timeout that left is removed",
      { nodeDeletionTimeoutSeconds: 30, nodeDrainTimeoutSeconds: 60 },
      { deletion: { nodeDrainTimeoutSeconds: 60 } },
      {},
      { nodeDeletionTimeoutSeconds: 30 },
    ],
    [
      "that of the Node's deletion goes back to its default",
      { nodeDeletionTimeoutSeconds: 30 },
      { deletion: { nodeDeletionTimeoutSeconds: 30 } },
      {},
      { nodeDeletionTimeoutSeconds: 10 },
    ],
  ])("%s", (...[, deletion, before, now, after]) => {
    const of = machineFrom(template({ spec: before }), { spec: { deletion } });
    const operation = inPlacePatch(template({ spec: now }), of).find(({ path }) => path === "/spec/deletion");
    expect(operation).toEqual({ op: "add", path: "/spec/deletion", value: after });
  });

  it("of a Machine that is being deleted are those of its spec only", () => {
    const now = template({ ...LABELLED, spec: { deletion: { nodeDrainTimeoutSeconds: 1 } } });
    expect(pathsOf(now, machineFrom(template(), GOING))).toEqual(["add /spec/deletion"]);
    expect(objectPatch(now, machineFrom(template(), GOING), infraMachine())).toEqual([]);
  });

  it("reach the objects of the Machine as labels and annotations, and are taken back there first", () => {
    expect(objectPatch(LABELLED, machineFrom(template()), infraMachine())).toEqual([
      expect.objectContaining({ op: "add", path: expect.stringMatching(/^\/metadata\/labels/) }),
    ]);
    const labelled = infraMachine("m1", { metadata: { labels: { tier: "a", mine: "x" } } });
    expect(objectPatch(template(), machineFrom(LABELLED), labelled)).toEqual([
      { op: "remove", path: "/metadata/labels/tier" },
    ]);
  });
});
