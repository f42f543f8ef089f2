import type { Rule } from "../rule.ts";
import { targetAccepts } from "./accepted.ts";
import { notBlocked, oneCluster } from "./blocked.ts";
import { takesAll } from "./left-behind.ts";
import { namesWhatMoves } from "./named.ts";
import { absentOnTarget } from "./on-target.ts";
import { keepsOwners } from "./owners-gone.ts";
import { notPaused } from "./paused.ts";
import { placeable } from "./placement.ts";
import { targetHasProviders } from "./providers.ts";
import { provisioned } from "./provisioned.ts";
import { targetServesKinds } from "./served-kinds.ts";
import type { MoveSubject } from "./subject.ts";

/** Rules of `capstan move plan`. */
export const MOVE_RULES: readonly Rule<MoveSubject>[] = [
  targetHasProviders,
  targetServesKinds,
  provisioned,
  notPaused,
  keepsOwners,
  placeable,
  namesWhatMoves,
  takesAll,
  absentOnTarget,
  notBlocked,
  oneCluster,
  targetAccepts,
];
