import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { RelayAnswer } from "./api/relay.ts";

/** Data behind the routes. A route whose data are missing does not exist. */
export interface Ports {
  readonly relay?: (() => Promise<Omit<RelayAnswer, "asOf" | "stale">>) | undefined;
}

/** Parts of a server that every route may use. */
export interface RouteContext {
  readonly functions: readonly AnyFunction[];
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly dashboardsUrl?: string | undefined;
}
