import { SIM_KINDS } from "../../infra/playground/api/kinds.ts";
import { KINDS, lookupIn } from "../../shared/api/registry.ts";

/** Kinds of the core and of the simulated provider: what runs in most tests. */
export const ALL_KINDS = [...KINDS, ...SIM_KINDS];

/** Finds one of them. */
export const anyKindOf = lookupIn(ALL_KINDS);
