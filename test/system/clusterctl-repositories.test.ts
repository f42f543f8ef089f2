import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { clusterctlMissing, repositoryConfig, startClusterctl } from "../support/clusterctl.ts";
import { describeWith } from "../support/requires.ts";

const RELEASES = fileURLToPath(new URL("../../../shared/data/provider-releases", import.meta.url));
const missing =
  clusterctlMissing() ??
  (existsSync(RELEASES) ? undefined : `${RELEASES} does not exist; it lies beside the project`);

describeWith(missing, { optional: !existsSync(RELEASES) })("clusterctl with a local repository", () => {
  it("reads the releases of other providers without a network", async () => {
    await using clusterctl = await startClusterctl({ config: await repositoryConfig(RELEASES) });

    const listed = await clusterctl("config repositories -o yaml");

    expect(listed).toContain(`${RELEASES}/infrastructure-vsphere/`);
    const { ok, output } = await clusterctl.try("generate provider --infrastructure vsphere --describe");
    expect([ok, output]).toEqual([true, expect.stringContaining("VSPHERE_USERNAME")]);
  });
});
