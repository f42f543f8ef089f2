import { expect, it } from "vitest";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import {
  declaredPart,
  noteUndeclared,
  type UndeclaredFields,
} from "../../../../shared/runtime/write/undeclared-fields.ts";
import { virtualClock } from "../../../support/clock.ts";
import { recordingLog } from "../../../support/recording-log.ts";

const TYPE = "cluster.x-k8s.io/v1beta2, Kind=Cluster";
const BODY = {
  status: {
    phase: "Provisioned",
    workers: { versions: [{ version: "v1.34.2" }] },
    controlPlane: { versions: [], replicas: 3 },
  },
};

function refusal(problems: string): KubeError {
  const message = `apply Cluster default/c1: failed to create typed patch object (default/c1; ${TYPE}): ${problems}`;
  return new KubeError({ class: "Transient", status: 500, reason: "InternalError", message });
}

const ONE = refusal(".status.workers.versions: field not declared in schema");

function memory() {
  const undeclared: UndeclaredFields = new Map();
  const { log, lines } = recordingLog();
  return { undeclared, clock: virtualClock(), log, lines };
}

it("leaves out what a server's definition lacks, with parents that hold nothing else, and says so once", () => {
  const context = memory();
  expect(declaredPart(BODY, Cluster, context)).toEqual(BODY);
  const more =
    "errors:\n  .status.workers.versions: field not declared in schema\n  .status.controlPlane.versions: field not declared in schema";
  expect([ONE, refusal(more), ONE].map((error) => noteUndeclared(error, context))).toEqual([
    true,
    true,
    true,
  ]);
  const left = { status: { phase: "Provisioned", controlPlane: { replicas: 3 } } };
  expect(declaredPart(BODY, Cluster, context)).toEqual(left);
  expect(declaredPart(BODY, { ...Cluster, kind: "Other" }, context)).toEqual(BODY);
  expect(context.lines.map(({ fields }) => fields)).toEqual([
    { type: TYPE, fields: ["status.workers.versions"] },
    { type: TYPE, fields: ["status.workers.versions", "status.controlPlane.versions"] },
  ]);
});

it("tries the whole again after ten minutes: the definition may have been replaced", async () => {
  const context = memory();
  noteUndeclared(ONE, context);
  await context.clock.advance(9 * 60_000);
  expect(declaredPart(BODY, Cluster, context)).not.toEqual(BODY);
  await context.clock.advance(60_000);
  expect(declaredPart(BODY, Cluster, context)).toEqual(BODY);
});

it.each([
  ["another error", new Error(ONE.message)],
  ["a field of the specification", refusal(".spec.bogus: field not declared in schema")],
  ["another refusal", refusal(".status.replicas: expected numeric, got string")],
])("learns nothing of %s", (_what, error) => {
  const context = memory();
  expect(noteUndeclared(error, context)).toBe(false);
  expect(context.undeclared.size).toBe(0);
});
