import { expect, it } from "vitest";
import { clusterctlMissing, repositoryConfig, startClusterctl } from "../support/clusterctl.ts";
import { describeWith } from "../support/requires.ts";
import { inShared, sharedMissing } from "../support/shared.ts";

const RELEASES = inShared("data/provider-releases");
describeWith(sharedMissing("data/provider-releases") ?? clusterctlMissing())(
  "clusterctl with a local repository",
  () => {
    it("reads the releases of other providers without a network", async () => {
      await using clusterctl = await startClusterctl({ config: await repositoryConfig(RELEASES) });

      const listed = await clusterctl("config repositories -o yaml");

      expect(listed).toContain(`${RELEASES}/infrastructure-vsphere/`);
      const { ok, output } = await clusterctl.try("generate provider --infrastructure vsphere --describe");
      expect([ok, output]).toEqual([true, expect.stringContaining("VSPHERE_USERNAME")]);
    });
  },
);
