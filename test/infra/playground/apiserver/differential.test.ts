import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { realServerMissing } from "../../../support/processes/real-server.ts";
import { describeWith } from "../../../support/requires.ts";
import { compareGenerated, compareServers, report, startServers } from "./differential/run.ts";
import { SCRIPT } from "./differential-script.ts";

const ASSETS = process.env["KUBEBUILDER_ASSETS"] ?? "";
/** The version as which the embedded server answers; a later one answers some requests otherwise. */
const SPOKEN = "Kubernetes v1.34.";

/** A slice of what `differential-run.ts` plays. */
const SEQUENCES = 150;

function spokenMissing(): string | undefined {
  const missing = realServerMissing(ASSETS);
  if (missing !== undefined) return missing;
  const version = execFileSync(join(ASSETS, "kube-apiserver"), ["--version"], { encoding: "utf8" }).trim();
  return version.startsWith(SPOKEN)
    ? undefined
    : `KUBEBUILDER_ASSETS has ${version}, and the embedded API server speaks as 1.34; CAPSTAN_KUBERNETES=1.34 compares them`;
}

describeWith(spokenMissing(), { optional: true })("beside a real kube-apiserver", () => {
  it("gives the same answers, objects and owners, apart from what is explained", async () => {
    await using servers = await startServers(ASSETS);
    const written = await Promise.all(SCRIPT.map((sequence) => compareServers(sequence, servers)));
    const { failures, requests } = await compareGenerated(servers, { sequences: SEQUENCES, seed: 1 });
    const different = written.filter((one) => one.unexplained.length > 0).map(report);
    expect([...different, ...failures].join("\n\n")).toBe("");
    expect(requests).toBeGreaterThan(SEQUENCES);
  });
});
