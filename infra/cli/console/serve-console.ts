import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { type Console, startConsole } from "../../console/console.ts";
import type { ConsoleOptions } from "../../console/console-options.ts";
import { packageVersion } from "../../platform/package-version.ts";
import { systemRandom } from "../../platform/random.ts";
import { print } from "../../platform/terminal/print.ts";
import type { ListenAddress } from "../../worker/http-listener.ts";
import { callerName } from "../caller-name.ts";
import type { ConsoleFlags } from "./console-options.ts";

type Parts = Pick<
  ConsoleOptions,
  "functions" | "clock" | "log" | "reviewer" | "open" | "isOwnData" | "commandLine"
> & {
  readonly store: Store;
};

/** Serves a console, and prints its link. */
export async function serveConsole(
  { store, ...parts }: Parts,
  { hostName = [], consoleCertDir, dashboardsUrl }: ConsoleFlags,
  address: ListenAddress,
): Promise<Console> {
  const served = await startConsole({
    ...parts,
    address,
    hostNames: hostName,
    certDir: consoleCertDir,
    dashboardsUrl,
    person: callerName(),
    namespaces: () => namespacesOf(store),
    version: packageVersion(),
    random: systemRandom,
  });
  const { link, directLink } = served;
  print(`console: ${link}${directLink === undefined ? "" : `, without a proxy in front ${directLink}`}`);
  return served;
}

/** Returns those that hold a Cluster. */
async function namespacesOf(store: Store): Promise<readonly string[]> {
  const namespaces = new Set<string>();
  for await (const { metadata } of store.each(managementType(Cluster))) {
    namespaces.add(metadata.namespace ?? "");
  }
  return [...namespaces].toSorted(compareText);
}
