import { describe, expect, it } from "vitest";
import { progressOf } from "../../../../infra/cli/rollout/status.ts";
import { machineDeployment } from "../../../support/foo-deployments.ts";
import { rollingFacts } from "../../../support/rolling-deployment.ts";

describe("how far a rollout is", () => {
  it("is done when all Machines are of the template", () => {
    expect(progressOf({ ...rollingFacts({}), deployment: machineDeployment() })).toEqual({
      text: "default/d1: done, 3 Machines available and up to date",
      end: 0,
    });
  });

  it("is a line of counts while its next step can be taken", () => {
    expect(progressOf(rollingFacts({}))).toEqual({
      text: "default/d1: 0 of 3 made from the current template, 0 available, 3 old",
    });
  });

  it("ends with the reason when it stands still", () => {
    const { text, end } = progressOf(rollingFacts({ deployment: { spec: { paused: true } } }));
    expect(end).toBe(1);
    expect(text).toMatch(/3 old; stands still: spec\.paused is true; capstan rollout resume default\/d1$/);
  });
});
