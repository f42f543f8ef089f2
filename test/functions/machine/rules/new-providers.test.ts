import { describe, expect, it } from "vitest";
import { newProvidersWaitMs } from "../../../../functions/machine/rules/new-providers.ts";
import { found, missing } from "../../../support/builders.ts";
import { machineConfig, ownInfraMachine, soloMachine } from "../../../support/machines.ts";
import { NOW } from "../../../support/world.ts";

const UNREADY = { status: { initialization: undefined } };
const NEW = soloMachine({ spec: { providerID: undefined }, status: undefined });

function madeAt(creationTimestamp: string | undefined, machine = NEW): number | undefined {
  const infrastructure = ownInfraMachine({
    metadata: { creationTimestamp },
    spec: { providerID: undefined },
    ...UNREADY,
  });
  return newProvidersWaitMs(
    machine,
    { bootstrap: found(machineConfig()), infrastructure: found(infrastructure) },
    NOW,
  );
}

describe("the first status", () => {
  it.each([
    ["just made", "2026-01-01T12:00:00Z", 2_000],
    ["a second old", "2026-01-01T11:59:59Z", 1_000],
    ["two seconds old", "2026-01-01T11:59:58Z", undefined],
    ["made by a clock that is ahead", "2026-01-01T12:00:30Z", 2_000],
    ["of unknown age", undefined, undefined],
    ["of an age that cannot be read", "yesterday", undefined],
  ])("waits for an object that is not ready and %s", (_, at, ms) => {
    expect(madeAt(at)).toBe(ms);
  });

  it("does not wait once there is one, or when nothing is missing", () => {
    const at = "2026-01-01T12:00:00Z";
    expect(madeAt(at, soloMachine({ spec: { providerID: undefined }, status: { phase: "Pending" } }))).toBe(
      undefined,
    );
    expect(madeAt(at, soloMachine({ spec: { providerID: "foo://1" }, status: undefined }))).toBe(undefined);
  });

  it("does not wait for an object that is missing", () => {
    const providers = {
      bootstrap: found(machineConfig({ metadata: { creationTimestamp: "2026-01-01T11:00:00Z" } })),
      infrastructure: missing(ownInfraMachine()),
    };
    expect(newProvidersWaitMs(NEW, providers, NOW)).toBe(undefined);
  });
});
