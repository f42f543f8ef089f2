import { describe, expect, it } from "vitest";
import type { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import { setNameFor } from "../../../../shared/rules/rollout/set-name.ts";
import type { Overrides } from "../../../support/builders.ts";
import { machineDeployment } from "../../../support/foo-deployments.ts";

const AFTER = Date.parse("2026-01-01T11:00:00Z");
const nameOf = (overrides: Overrides<MachineDeployment> = {}, after?: number, inTheWay?: readonly string[]) =>
  setNameFor(machineDeployment(overrides), after, inTheWay).name;
const templateWith = (spec: Overrides<MachineDeployment["spec"]["template"]["spec"]>) =>
  nameOf({ spec: { template: { spec } } });

describe("the name of a set that is due", () => {
  it("is that of the deployment with five characters, which end the hash label, too", () => {
    const { name, hash } = setNameFor(machineDeployment(), undefined);
    expect(name).toMatch(/^d1-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(hash).toMatch(new RegExp(`^\\d{1,10}-${name.slice(-5)}$`));
    expect(Number(hash.split("-")[0])).toBeLessThan(2 ** 32);
  });

  it.each([
    [57, 63, "-"],
    [58, 63, "a"],
    [63, 63, "a"],
  ])("of a deployment with %i characters has %i, and ends its stem with %s", (length, whole, last) => {
    const name = nameOf({ metadata: { name: "a".repeat(length) } });
    expect(name).toHaveLength(whole);
    expect(name[57]).toBe(last);
  });

  it("is the same for one template, whatever else the deployment says", () => {
    const same = [
      nameOf({ spec: { replicas: 7, template: { metadata: { labels: { tier: "a" } } } } }),
      nameOf({ metadata: { generation: 9, resourceVersion: "99" } }),
      templateWith({ minReadySeconds: 5, deletion: { nodeDrainTimeoutSeconds: 9 } }),
      templateWith({ failureDomain: "" }),
      nameOf({ spec: { rollout: { after: "2026-01-01T11:00:00Z" } } }),
    ];
    expect(new Set([nameOf(), ...same]).size).toBe(1);
    expect(templateWith({ version: "1.34.0" })).toBe(templateWith({ version: "v1.34.0" }));
  });

  it("is another one for each template, restart, deployment and set in the way", () => {
    const others = [
      nameOf({ metadata: { uid: "uid-restored" } }),
      templateWith({ version: "v1.34.0" }),
      templateWith({ failureDomain: "a" }),
      templateWith({ infrastructureRef: { name: "other" } }),
      templateWith({ bootstrap: { configRef: { name: "other" } } }),
      templateWith({ bootstrap: { configRef: undefined, dataSecretName: "" } }),
      templateWith({ bootstrap: { configRef: undefined } }),
      nameOf({}, AFTER),
      nameOf({}, AFTER + 1000),
      nameOf({}, undefined, ["uid-a"]),
      nameOf({}, undefined, ["uid-a", "uid-b"]),
    ];
    expect(new Set([nameOf(), ...others]).size).toBe(1 + others.length);
    expect(nameOf({}, AFTER + 999)).toBe(nameOf({}, AFTER));
  });
});
