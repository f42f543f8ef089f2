import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import { managementType } from "../../../shared/runtime/management-type.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import type { QueueControl } from "../../../shared/runtime/queue-control.ts";
import { type Console, type ConsoleOptions, startConsole } from "../../console/console.ts";
import type { Control } from "../../console/control.ts";
import { createJobs } from "../../console/jobs/jobs.ts";
import { openPage } from "../../console/open-page.ts";
import type { Ports } from "../../console/ports.ts";
import { packageVersion } from "../../package-version.ts";
import { systemRandom } from "../../random.ts";
import type { ListenAddress } from "../../worker/http-listener.ts";
import { callerName } from "../letter-source.ts";
import { print } from "../terminal/print.ts";
import type { ConsoleFlags } from "./console-options.ts";

/** Returns the ports of actions; none without --actions. */
export function actionPorts(
  { queue, letters, clock, log }: Acting,
  { actions }: Pick<ConsoleFlags, "actions">,
): Pick<Ports, "control" | "jobs"> {
  if (!actions) return {};
  const control: Control = {
    pause: (name) => queue.pause(name),
    resume: (name) => queue.resume(name),
    requeue: (name, seen, cause) => queue.requeue(name, seen, cause),
    dropSeen: (name, seen) => letters.dropSeen(name, seen),
  };
  return { control, jobs: createJobs({ control, random: systemRandom, clock, log }) };
}

interface Acting extends Pick<ConsoleOptions, "clock" | "log"> {
  readonly queue: QueueControl;
  readonly letters: Pick<DeadLetters, "dropSeen">;
}

type Parts = Pick<
  ConsoleOptions,
  "functions" | "clock" | "log" | "reviewer" | "ports" | "isOwnData" | "hints"
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
    page: openPage(),
    random: systemRandom,
  });
  print(`console: ${served.link}`);
  return served;
}

/** Those that hold a Cluster. */
async function namespacesOf(store: Store): Promise<readonly string[]> {
  const clusters = await store.list(managementType(Cluster), {});
  return [...new Set(clusters.map(({ metadata: { namespace = "" } }) => namespace))];
}
