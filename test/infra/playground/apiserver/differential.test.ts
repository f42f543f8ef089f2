import { expect, it } from "vitest";
import { realServerMissing } from "../../../support/processes/real-server.ts";
import { describeWith } from "../../../support/requires.ts";
import { compareGenerated, compareServers, report, startServers } from "./differential/run.ts";
import { SCRIPT } from "./differential-script.ts";

const ASSETS = process.env["KUBEBUILDER_ASSETS"];

/** A slice of what `differential-run.ts` plays. */
const SEQUENCES = 150;

describeWith(realServerMissing(ASSETS), { optional: true })("beside a real kube-apiserver", () => {
  it("gives the same answers, objects and owners, apart from what is explained", async () => {
    await using servers = await startServers(ASSETS ?? "");
    const written = await Promise.all(SCRIPT.map((sequence) => compareServers(sequence, servers)));
    const { failures, requests } = await compareGenerated(servers, { sequences: SEQUENCES, seed: 1 });
    const different = written.filter((one) => one.unexplained.length > 0).map(report);
    expect([...different, ...failures].join("\n\n")).toBe("");
    expect(requests).toBeGreaterThan(SEQUENCES);
  });
});
