import { me } from "./me.ts";
import { relay } from "./relay.ts";
import type { Route } from "./route.ts";

/** All paths below /api/v1, in the order of openapi.json. */
export const ROUTES: readonly Route[] = [me, relay];
