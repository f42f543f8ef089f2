import { availability } from "./availability.ts";
import { canaries } from "./canaries.ts";
import { conditions } from "./conditions.ts";
import { connections } from "./connections.ts";
import { contracts } from "./contracts.ts";
import { creations } from "./creations.ts";
import { evidence } from "./evidence.ts";
import { freshness } from "./freshness.ts";
import { generations } from "./generations.ts";
import { handOvers } from "./hand-overs.ts";
import { healthChecks } from "./health-checks.ts";
import { healthStatements } from "./health-statements.ts";
import { isolation } from "./isolation.ts";
import { leases } from "./leases.ts";
import { machines } from "./machines.ts";
import { nodes } from "./nodes.ts";
import type { Oracle } from "./oracle.ts";
import { ownership } from "./ownership.ts";
import { pause } from "./pause.ts";
import { places } from "./places.ts";
import { policies } from "./policies.ts";
import { pools } from "./pools.ts";
import { promptness } from "./promptness.ts";
import { remediation } from "./remediation.ts";
import { replays } from "./replays.ts";
import { requests } from "./requests.ts";
import { retries } from "./retries.ts";
import { rollouts } from "./rollouts.ts";
import { runs } from "./runs.ts";
import { wakeUps } from "./wake-ups.ts";

export const ORACLES: readonly Oracle[] = [
  ...wakeUps,
  ...runs,
  ...freshness,
  ...ownership,
  ...requests,
  ...creations,
  ...retries,
  ...replays,
  ...isolation,
  ...conditions,
  ...pause,
  ...evidence,
  ...nodes,
  ...machines,
  ...rollouts,
  ...availability,
  ...connections,
  ...pools,
  ...remediation,
  ...healthChecks,
  ...healthStatements,
  ...places,
  ...handOvers,
  ...policies,
  ...contracts,
  ...generations,
  ...promptness,
  ...canaries,
  ...leases,
];

/** Several oracles may check one row. */
export function nameOf({ number, title }: Oracle): string {
  return `${number} ${title}`;
}
