import { describe, expect, it } from "vitest";
import { rolloutLines, withFields, withManifest } from "../../../../infra/cli/rollout/plan.ts";
import { rolloutReport } from "../../../../infra/operate/rollout/rollout-report.ts";
import type { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import type { Overrides } from "../../../support/builders.ts";
import { machineDeployment } from "../../../support/foo-deployments.ts";
import { rollingFacts } from "../../../support/rolling-deployment.ts";

/** The lines of a rollout, with the name of the new set as `d1-new` and without double blanks. */
function lines(
  deployment: Overrides<MachineDeployment> = {},
  blockers?: Parameters<typeof rolloutReport>[1],
): readonly string[] {
  const report = rolloutReport(rollingFacts({ deployment }), blockers);
  return rolloutLines(report).map((line) => line.replaceAll(report.newSet, "d1-new").replace(/ {2,}/g, "  "));
}

describe("the plan of a rollout for people", () => {
  it("has each step with its Machine, the counts, and how it ends", () => {
    expect(lines()).toEqual([
      "default/d1: 3 Machines, surge 1, unavailable 0: at least 3 available, at most 4",
      "  now  d1-first (revision 1)  3 of 3 available",
      "  1  make d1-new (revision 2) with 1  total 4, available 3",
      "  2  d1-first 3 -> 2  m1 goes, once 1 of d1-new is available  total 3, available 3",
      "  3  d1-new 1 -> 2  once m1 is gone  total 4, available 3",
      "  4  d1-first 2 -> 1  m2 goes, once 1 of d1-new is available  total 3, available 3",
      "  5  d1-new 2 -> 3  once m2 is gone  total 4, available 3",
      "  6  d1-first 1 -> 0; then d1-first is removed  m3 goes, once 1 of d1-new is available  total 3, available 3",
      "3 Machines are made, 3 deleted; 3 steps wait for new Machines.",
      "With new Machines that never become available it stops after step 1: 3 available, 4 Machines.",
    ]);
  });

  it("shows the first and the last steps of a long one", () => {
    const long = rolloutLines(rolloutReport(rollingFacts({ count: 30 })));
    // Title, the sets now, twelve of sixty steps, the line for the others, and two lines of the end.
    expect(long.length).toBe(1 + 1 + 12 + 1 + 2);
    expect(long[8]).toContain("48 more steps like these");
    expect(long.at(-3)).toContain("d1-first is removed");
  });

  it("says where it stops: OnDelete, paused, a missing template, a failing check", () => {
    const onDelete = { type: "OnDelete", rollingUpdate: undefined } as const;
    expect(lines({ spec: { rollout: { strategy: onDelete } } })).toContain(
      "Then it waits until a person deletes a Machine of an old set.",
    );
    const paused = lines({ spec: { paused: true } });
    expect(paused).toContain("It stands still until spec.paused is removed: no set is made or removed.");
    expect(paused.some((line) => line.startsWith("! stands still"))).toBe(true);
    expect(lines({}, { missing: ["FooMachineTemplate default/t does not exist"], checks: [] })).toContain(
      "! no MachineSet can be made, and no size changes: FooMachineTemplate default/t does not exist",
    );
    const checked = lines({}, { missing: [], checks: ["a check fails"] });
    expect(checked).toContain("! MachineSet d1-new would make no Machine: a check fails");
    expect(checked).toContain("Then it stands still: it waits for Machines to become available.");
  });

  it("says when there is nothing to do, and when it begins later", () => {
    const template = { spec: { version: undefined } };
    expect(lines({ spec: { template } })).toContain("Nothing to do: the rollout is done.");
    expect(lines({ spec: { template, rollout: { after: "2027-01-01T00:00:00Z" } } })).toContain(
      "! begins at 2027-01-01T00:00:00.000Z: spec.rollout.after",
    );
  });

  it("names what sets do whose sizes are written already", () => {
    const facts = rollingFacts({});
    const [set] = facts.sets;
    const stepsOf = (replicas: number) => {
      const resized = set && { ...set, spec: { ...set.spec, replicas } };
      const spec = { replicas, template: { spec: { version: undefined } } };
      const deployment = machineDeployment({ spec });
      return rolloutLines(
        rolloutReport({ ...facts, deployment, sets: resized === undefined ? [] : [resized] }),
      );
    };
    expect(stepsOf(4).some((line) => line.includes("d1-first makes 1 Machine"))).toBe(true);
    expect(stepsOf(2).some((line) => line.includes("Machines go that are too many"))).toBe(true);
  });
});

const PRESENT = machineDeployment();

describe("a deployment with other values", () => {
  it("has them where the short names say; the rest stays", () => {
    const { spec } = withFields(PRESENT, [
      "version=v1.35.0",
      "replicas=5",
      "maxSurge=20%",
      "paused=true",
      "infrastructure=t2",
    ]);
    expect(spec).toEqual({
      ...PRESENT.spec,
      ...{ replicas: 5, paused: true },
      rollout: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "20%", maxUnavailable: 0 } } },
      template: {
        ...PRESENT.spec.template,
        spec: {
          ...PRESENT.spec.template.spec,
          version: "v1.35.0",
          infrastructureRef: { ...PRESENT.spec.template.spec.infrastructureRef, name: "t2" },
        },
      },
    });
  });

  it("refuses fields that it does not know", () => {
    for (const text of ["foo=1", "version", "=1", "toString=1"])
      expect(() => withFields(PRESENT, [text]), text).toThrow("write FIELD=VALUE");
  });

  it("has what a file says, also one of v1beta1", () => {
    const metadata = { name: "d1", namespace: "default" };
    const spec = {
      clusterName: "c1",
      template: { spec: { clusterName: "c1", version: "v1.35.0" } },
      rolloutAfter: "2027-01-01T00:00:00Z",
    };
    const object = { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "MachineDeployment", metadata, spec };
    const changed = withManifest(PRESENT, [{ object }], "md.yaml");
    expect(changed.spec.template.spec).toEqual({ ...PRESENT.spec.template.spec, version: "v1.35.0" });
    expect(changed.spec.rollout?.after).toBe("2027-01-01T00:00:00Z");
    expect(() => withManifest(PRESENT, [], "md.yaml")).toThrow("md.yaml has no MachineDeployment default/d1");
  });
});
