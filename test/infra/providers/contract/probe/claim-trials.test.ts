import { expect, it } from "vitest";
import { runClaimTrials } from "../../../../../infra/providers/contract/probe/claim-trials.ts";
import { look } from "../../../../../infra/providers/contract/probe/scratch.ts";
import type { Kind } from "../../../../../shared/api/kinds.ts";
import { textAt, valueAt } from "../../../../../shared/api/path.ts";
import type { ClaimTrial } from "../../../../../shared/contract/rules/probe/subject.ts";
import { acting, addCluster, stageOn, startScratch } from "../../../../support/contract/scratch.ts";
import { API_SERVERS } from "../../../../support/processes/api-servers.ts";
import { describeWith } from "../../../../support/requires.ts";

const IPAM = { group: "ipam.cluster.x-k8s.io", version: "v1beta2", namespaced: true };
const CLAIM: Kind = { ...IPAM, kind: "IPAddressClaim", plural: "ipaddressclaims" };
const POOL: Kind = { ...IPAM, kind: "FooPool", plural: "foopools" };
const LIMITS = { restMs: 500, limitMs: 60_000 };

/** Which claims a provider serves, by the name of their Cluster and its pause. */
type Serves = (cluster: string, isPaused: boolean) => boolean;

const PROVIDERS: readonly (readonly [string, Serves, object])[] = [
  ["rests", (cluster, isPaused) => cluster === "c1" && !isPaused, { isServed: true }],
  ["is deaf", (cluster) => cluster === "c1", { paused: ["status.addressRef"], isServed: true }],
  [
    "asks for no Cluster",
    (cluster, isPaused) => cluster !== "c1" || !isPaused,
    { missing: ["status.addressRef"], isServed: true },
  ],
  ["never answers", () => false, { isServed: false }],
];

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing, flavour)(`claims of addresses on ${flavour.name}`, () => {
    it("IP-16: are recorded for providers that rest and that do not, and removed", async () => {
      await using world = await startScratch(flavour);
      await world.side.install(CLAIM);
      await world.side.install(POOL);
      const scratch = await world.reopened();
      await addCluster(world);
      await world.add(POOL, "addresses");
      for (const [provider, serves, expected] of PROVIDERS) {
        await using _provider = acting(async () => {
          const snapshot = await look(scratch);
          const isPaused = valueAt(snapshot.get("Cluster c1"), "spec.paused") === true;
          for (const claim of snapshot.values()) {
            if (claim.kind !== CLAIM.kind || textAt(claim, "status.addressRef.name") !== "") continue;
            if (!serves(textAt(claim, "spec.clusterName"), isPaused)) continue;
            const value = { addressRef: { name: claim.metadata.name } };
            await world.write(CLAIM, claim.metadata.name, [{ op: "add", path: "/status", value }]);
          }
        });
        const limitMs = provider === "never answers" ? 1_000 : LIMITS.limitMs;
        const stage = stageOn(scratch, { provisioned: await look(scratch), ...LIMITS, limitMs });
        const trials = await runClaimTrials(stage);
        const trial: ClaimTrial = { paused: [], missing: [], isServed: false, ...expected };
        expect([...trials], provider).toEqual([["FooPool addresses", trial]]);
        const left = [...(await look(scratch)).values()].filter(({ kind }) => kind === CLAIM.kind);
        expect(left).toEqual([]);
      }
    });
  });
}
