import { conditions } from "./conditions.ts";
import type { Oracle } from "./oracle.ts";
import { pools } from "./pools.ts";
import { requests } from "./requests.ts";
import { runs } from "./runs.ts";

export const ORACLES: readonly Oracle[] = [...requests, ...runs, ...conditions, ...pools];
