import { packageVersion } from "../platform/package-version.ts";
import type { LoopbackAddress } from "../worker/loopback-address.ts";
import type { Observed, ObserveOptions } from "../worker/observe.ts";
import type { ListenOptions } from "./listen-options.ts";
import type { Connect } from "./management.ts";

/** A scrape asks twice; a flood of tokens must not reach the API server. */
const REVIEW_RATE = { requestsPerSecond: 20, burst: 40 };

interface ObservingOptions extends ListenOptions {
  readonly metricsAddress?: LoopbackAddress | undefined;
  readonly connect: Connect;
  /** Names of the parts of the process. */
  readonly roles: ReadonlySet<string>;
}

/** Opens the listeners of a process. Loads the telemetry only when a listener shows it. */
export async function startObserving(
  parts: Omit<ObserveOptions, "address" | "diagnostics" | "version" | "parts">,
  { roles, connect, ...options }: ObservingOptions,
  starting: AsyncDisposableStack,
): Promise<Observed | undefined> {
  const { metricsAddress, healthAddress, diagnosticsAddress } = options;
  if ((metricsAddress ?? healthAddress ?? diagnosticsAddress) === undefined) return undefined;
  const { observe } = await import("../worker/observe.ts");
  const diagnostics = diagnosticsAddress && {
    address: diagnosticsAddress,
    certDir: options.diagnosticsCertDir,
    clientCa: options.diagnosticsClientCa,
    // Its own connection: reviews never take the turn of the functions.
    reviewer: starting.use(connect(REVIEW_RATE)).as("diagnostics"),
  };
  return starting.use(
    await observe({
      ...parts,
      address: metricsAddress,
      diagnostics,
      version: packageVersion(),
      parts: { relay: roles.has("relay"), worker: roles.has("worker") },
    }),
  );
}
