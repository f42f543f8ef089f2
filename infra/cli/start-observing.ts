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

/** Returns what the listener beyond loopback needs; `undefined`: there is none. */
export function diagnosticsOf(
  { diagnosticsAddress: address, diagnosticsCertDir, diagnosticsClientCa }: ListenOptions,
  connect: Connect,
  starting: AsyncDisposableStack,
): ObserveOptions["diagnostics"] {
  if (address === undefined) return undefined;
  // Its own connection: reviews never take the turn of the functions.
  const reviewer = starting.use(connect(REVIEW_RATE)).as("diagnostics");
  return { address, certDir: diagnosticsCertDir, clientCa: diagnosticsClientCa, reviewer };
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
  return starting.use(
    await observe({
      ...parts,
      address: metricsAddress,
      diagnostics: diagnosticsOf(options, connect, starting),
      version: packageVersion(),
      parts: { relay: roles.has("relay"), worker: roles.has("worker") },
    }),
  );
}
