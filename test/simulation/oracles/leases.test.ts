import { expect, it } from "vitest";
import { NO_FAULTS } from "../play/plan.ts";
import { prepare } from "../play/prepared.ts";
import { runOnce } from "../play/run.ts";
import { workloadOf } from "../workloads/known.ts";

const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/capstan-relay";

it("KR-21: a lease that is taken while its holder renews it is a violation; one that is not renewed is not", async () => {
  const prepared = await prepare();
  const game = { seed: 1, workload: workloadOf("W-20"), prepared, plan: NO_FAULTS };
  const sound = await runOnce(game);
  expect(sound.violations).toEqual([]);
  const early = await runOnce({ ...game, onlooker: { begin: (world) => takeOver(world, 20_000) } });
  expect(early.violations.join("\n")).toMatch(/KR-21: somebody takes the lease of relay\S* \d+ ms after/);
});

/** Takes the lease after so long, as a candidate does that trusts its own clock. */
function takeOver(
  { kernel, connect }: Parameters<NonNullable<Parameters<typeof runOnce>[0]["onlooker"]>["begin"]>[0],
  afterMs: number,
): void {
  const process = kernel.process("user-thief");
  const [, , , , , namespace = "", , name = ""] = LEASE.split("/");
  const kind = {
    group: "coordination.k8s.io",
    version: "v1",
    kind: "Lease",
    plural: "leases",
    namespaced: true,
  };
  const value = "somebody";
  process.clock.after(afterMs, () => {
    const client = connect(process).as("user");
    void client.jsonPatch(kind, { namespace, name }, [{ op: "add", path: "/spec/holderIdentity", value }]);
  });
}
