import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Oracle } from "./oracle.ts";

const LEASES = "coordination.k8s.io/leases";
/** KR-21; the duration of a lease that is not renewed. */
const LEASE_MS = 15_000;
/** So much of a step of its clock a candidate takes for time that has passed: the most between two looks. */
const STEP_MS = 4_000;

/** Which relay leads: KR-21. */
export const leases: readonly Oracle[] = [
  {
    number: "KR-21",
    title:
      "a lease is taken from a holder only when that has not renewed it for 15 s, whatever its clock says",
    watch({ world, onChange, violated, evaluated }) {
      let renewedAt = Number.NEGATIVE_INFINITY;
      let isRestored = false;
      world.management.onRestore(() => {
        isRestored = true;
      });
      onChange(({ type, before, after }) => {
        if (type !== LEASES) return;
        const [former, holder] = [holderOf(before), holderOf(after)];
        const lastedMs = world.kernel.now - renewedAt;
        renewedAt = world.kernel.now;
        if (former === "" || holder === "" || former === holder) return;
        const taker = world.roles.find((role) => world.processOf(role)?.name === holder);
        const process = taker === undefined ? undefined : world.processOf(taker);
        const wasSteppedAt = process?.clockSetAt ?? Number.NEGATIVE_INFINITY;
        // A restored server shows a lease of before.
        if (isRestored) return;
        evaluated();
        const hasStepped = world.kernel.now - wasSteppedAt < 2 * LEASE_MS;
        if (lastedMs < LEASE_MS - (hasStepped ? STEP_MS : 0))
          violated(`${holder} takes the lease of ${former} ${lastedMs} ms after its last renewal`);
      });
    },
  },
];

/** Empty for a lease that is free. */
function holderOf(lease: KubeObject | undefined): string {
  const { spec } = (lease ?? {}) as { readonly spec?: { readonly holderIdentity?: string } };
  return spec?.holderIdentity ?? "";
}
