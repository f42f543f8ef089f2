import { SECOND } from "../../../shared/function/backoff.ts";
import { rest } from "../../platform/rest.ts";
import { allMembers } from "./families.ts";
import { writesOf } from "./field-managers.ts";
import type { Hands } from "./hand-over.ts";

const QUIET_MS = 30 * SECOND;
const WITHIN_MS = 300 * SECOND;
const LOOK_MS = 2 * SECOND;

/**
 * Waits until these field managers have written to no object for 30 s, by the clock of this process. Throws when one of
 * them still writes after five minutes: a manager leads that does not know the Lease.
 */
export async function untilQuiet({ client, clock }: Hands, managers: ReadonlySet<string>): Promise<void> {
  const startedAt = clock.now().getTime();
  let [seen, changedAt] = ["", startedAt];
  while (clock.now().getTime() - changedAt < QUIET_MS) {
    const writes = (await allMembers(client)).flatMap(({ object }) => writesOf(object, managers)).join("\n");
    if (writes !== seen) [seen, changedAt] = [writes, clock.now().getTime()];
    if (clock.now().getTime() - startedAt > WITHIN_MS) {
      const names = [...managers].join(", ");
      throw new Error(
        `a field manager of Cluster API (${names}) still writes; end its process, and start again`,
      );
    }
    await rest(LOOK_MS, clock);
  }
}
