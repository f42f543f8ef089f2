import { createReviews } from "../worker/diagnostics/reviews.ts";
import { createAdmission, createSessions } from "./access/admission.ts";
import type { Code, Site } from "./access/door.ts";
import { createViewers } from "./access/viewers.ts";
import { createApi } from "./answers.ts";
import type { ConsoleOptions } from "./console-options.ts";
import { exchanging } from "./http/exchange.ts";
import type { Listener } from "./message.ts";
import { ROUTES } from "./routes/table.ts";
import { createStreams } from "./stream/streams.ts";

interface Door {
  readonly code: Code | undefined;
  readonly site: () => Site;
}

/** Opens the data and returns what answers requests. Its parts are closed with `opened`. */
export async function openAnswering(
  options: ConsoleOptions,
  { code, site }: Door,
  opened: AsyncDisposableStack,
): Promise<Listener> {
  const { reviewer, clock, log, random } = options;
  const { ports, page, hints } = await options.open(opened);
  const reviews = createReviews(reviewer, clock);
  const viewers = createViewers({ ...options, reviews, actions: ports.control !== undefined });
  const admission = createAdmission({ code, sessions: createSessions(random, clock), viewers });
  // Beyond loopback the reader's machine is another one.
  const context = code === undefined ? { ...options, commandLine: undefined } : options;
  const api = createApi(ROUTES, ports, context);
  const streams = opened.use(createStreams(api, { clock, log, hints, fleet: ports.fleet }));
  return exchanging({ clock, log, page, site, admission, api, streams });
}
