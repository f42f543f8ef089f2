import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { CORE_PROVIDER } from "../../../shared/function/providers.ts";
import type { Server } from "../../platform/kube/client.ts";
import { loadFunctions } from "../../worker/load.ts";

/** A group that only the playground serves. */
export const PLAYGROUND = "infrastructure.sim.capstan.dev/v1beta2";

/**
 * Loads the functions for what a server serves: those of the playground, a third of the time that loading takes, only
 * where it has their kinds, or does not show what it has. `folder` takes the place of all of them.
 */
export async function servedFunctions(
  server: Pick<Server, "as">,
  folder?: string,
): Promise<readonly AnyFunction[]> {
  if (folder !== undefined) return await loadFunctions(undefined, folder);
  const isServed = await server
    .as("explain")
    .kinds(PLAYGROUND)
    .then((kinds) => kinds.length > 0)
    .catch(() => true);
  return await loadFunctions(isServed ? undefined : [CORE_PROVIDER]);
}
