import { expect, it } from "vitest";
import { refusedDefinition as whyRefused } from "../../../../infra/playground/apiserver/entry.ts";
import { checkPaths } from "../../../../infra/providers/contract/check.ts";
import { toReport } from "../../../../infra/providers/contract/report.ts";
import { describeWith } from "../../../support/requires.ts";
import { inShared, sharedMissing } from "../../../support/shared.ts";

const DATA = inShared("data/provider-crds");

const options = {
  named: new Map(),
  assumed: "v1beta2" as const,
  waivers: new Map(),
  now: new Date(),
  whyRefused,
};

describeWith(sharedMissing("data/provider-crds"))("published CRDs of providers", () => {
  const outcomeOf = (...folders: readonly string[]) =>
    checkPaths(
      folders.map((folder) => `${DATA}/${folder}`),
      options,
    );

  /** `fail IMP-05 devmachinepools v1beta1`, for findings that count. */
  async function brokenIn(folder: string): Promise<readonly string[]> {
    const { findings, problems } = await outcomeOf(folder);
    expect(problems).toEqual([]);
    const counted = findings.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
    return counted.map(({ verdict, rule, object, found }) => {
      return `${verdict} ${rule} ${object.split(/[ .]/)[1]} ${found}`;
    });
  }

  it("are read without a problem, in any order the same", async () => {
    const forward = toReport(await outcomeOf("cluster-api-capd", "cluster-api-kcp"));
    const backward = toReport(await outcomeOf("cluster-api-kcp", "cluster-api-capd"));
    expect(backward).toEqual(forward);
    const { problems, crds } = await outcomeOf("");
    expect(problems).toEqual([]);
    expect(crds.length).toBeGreaterThan(50);
  });

  it("Cluster API's DevMachinePool claims a v1beta1 that it lacks", async () => {
    expect(await brokenIn("cluster-api-capd")).toContain("fail IMP-05 devmachinepools v1beta1");
  });

  it("Cluster API's KubeadmControlPlane keeps its contract", async () => {
    expect(await brokenIn("cluster-api-kcp")).toEqual([]);
  });

  it("AWS lists v1alpha3 and v1alpha4, which are gone", async () => {
    const broken = await brokenIn("cluster-api-provider-aws");
    expect(broken).toContain("fail IMP-05 awsmachinepools v1alpha3");
    expect(broken).toContain("fail CP-05 awsmanagedcontrolplanes v1alpha4");
    expect(broken).toContain("warn CRD-05 rosaroleconfigs v1alpha3");
  });

  it("Metal3Machine still has spec.failureDomain", async () => {
    expect(await brokenIn("cluster-api-provider-metal3")).toContain("warn IM-15 metal3machines string");
  });

  it("Azure's control plane has a placeholder for its machine template; its labels are patches", async () => {
    const broken = await brokenIn("cluster-api-provider-azure");
    expect(broken).toContain("warn CP-21 azuremanagedcontrolplanes no member");
    expect(broken.filter((one) => /-04 /.test(one))).toEqual([]);
  });

  it("OpenStack's pool of addresses is one by --as only", async () => {
    const path = `${DATA}/cluster-api-provider-openstack`;
    const role = { contractKind: "IPAMPool", isTemplate: false } as const;
    const named = new Map([["infrastructure.cluster.x-k8s.io/OpenStackFloatingIPPool", role]]);
    const judged = async (as: typeof named) => await checkPaths([path], { ...options, named: as });
    expect((await judged(new Map())).crds).toMatchObject([{ contractKind: null }]);
    const { crds, findings } = await judged(named);
    expect(crds).toMatchObject([{ contractKind: "IPAMPool" }]);
    // It has two contract labels and one contract.
    expect(findings.filter(({ rule }) => rule === "IP-14").length).toBe(1);
  });
});
