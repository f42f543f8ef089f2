import { describe, expect, it } from "vitest";
import { certificatesExpiry } from "../../../../functions/machine/rules/certificates.ts";
import { machineConfig, ready, soloMachine } from "../../../support/machines.ts";

const KEY = "machine.cluster.x-k8s.io/certificates-expiry";
const LABELS = { "cluster.x-k8s.io/control-plane": "" };

function expiry(own: string | undefined, config?: string, labels: object = LABELS) {
  const machine = soloMachine({
    metadata: { labels: { ...labels }, annotations: own === undefined ? {} : { [KEY]: own } },
    status: { certificatesExpiryDate: "2026-05-05T00:00:00Z" },
  });
  const annotations = config === undefined ? undefined : { [KEY]: config };
  const { expiryDate, events } = certificatesExpiry(
    machine,
    ready(machineConfig({ metadata: { annotations } })),
  );
  return [expiryDate, events.map(({ message }) => message)];
}

describe("the date on which certificates expire", () => {
  it("is the Machine's own, else that of its config, in UTC and whole seconds", () => {
    expect(expiry("2027-01-01T01:00:00.5+01:00", "2028-01-01T00:00:00Z")).toEqual([
      "2027-01-01T00:00:00Z",
      [],
    ]);
    expect(expiry(undefined, "2028-01-01T00:00:00Z")).toEqual(["2028-01-01T00:00:00Z", []]);
  });

  it("is cleared when neither has it, and of a worker", () => {
    expect(expiry(undefined)).toEqual([undefined, []]);
    expect(expiry("2027-01-01T00:00:00Z", undefined, {})).toEqual([undefined, []]);
  });

  it("stays when the new one is malformed, and an Event names it", () => {
    expect(expiry("soon")).toEqual([
      "2026-05-05T00:00:00Z",
      [`Machine m1 has annotation ${KEY} "soon", which is not an RFC 3339 time; correct or remove it`],
    ]);
  });
});
