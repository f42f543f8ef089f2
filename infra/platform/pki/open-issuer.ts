import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { groupOf } from "../../../shared/function/groups.ts";
import type { Issuer } from "../../../shared/runtime/ports.ts";

/**
 * Returns what makes keys and reads Secrets for these functions; `undefined` where none of them is of the group
 * `credentials`. Loads the library for it only where it is needed. Source: S-03
 */
export async function openIssuer(functions: readonly AnyFunction[]): Promise<Issuer | undefined> {
  if (!functions.some(({ spec }) => groupOf(spec) === "credentials")) return undefined;
  const [{ createIssuer }, { x509 }] = await Promise.all([import("./issuer.ts"), import("./x509.ts")]);
  return createIssuer(x509);
}
