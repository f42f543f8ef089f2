import type { Answered } from "../../infra/playground/apiserver/entry.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Secret } from "../../shared/api/core.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { isWorker } from "../simulation/faults/fault.ts";
import { createUser, type User } from "../simulation/play/user.ts";
import type { World } from "../simulation/play/world.ts";
import { isRequest } from "../simulation/ports/request-operation.ts";
import { scale } from "../simulation/workloads/pools.ts";
import { scaleSet } from "../simulation/workloads/sets.ts";
import { simCluster, simMachine, simMachineSet, simPool, simPoolWithMachines } from "../support/manifests.ts";

const CALM = ["payments", "shop", "web"] as const;
const HOOK = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/backup";
const MINUTE = 60_000;

/** Begins a day with a Cluster in every state at its minute 45; its last edit is in minute 44. */
export function beginOrdinaryDay(world: World): void {
  const user = createUser(world);
  const startedAt = world.kernel.now;
  refuse(world, startedAt + 30 * MINUTE);
  void edit(user, (minutes) => user.rest(startedAt + minutes * MINUTE - world.kernel.now));
}

async function edit(user: User, minute: (minutes: number) => Promise<void>): Promise<void> {
  for (const name of CALM) await user.apply(`${simCluster(name)}---${simPool(`${name}-workers`, name, 3)}`);
  await user.apply(`${simCluster("billing")}---${simPoolWithMachines("billing-workers", "billing", 4)}`);
  await user.apply(simMachineSet("billing-spot", "billing", 2));
  await user.apply(`${simCluster("search")}---${simPool("search-workers", "search", 3)}`);
  await user.apply(`${simCluster("edge")}---${simPool("edge-workers", "edge", 2)}`);
  await user.apply(`${simCluster("frozen")}---${simPool("frozen-workers", "frozen", 1)}`);
  await user.apply(`${simCluster("old-staging")}---${simMachine("old-staging-1", "old-staging")}`);
  await user.apply(`${simCluster("training")}---${slow(simPool("training-workers", "training", 3))}`);
  await minute(12);
  await user.patch(Cluster as Kind, "frozen", [{ op: "add", path: "/spec/paused", value: true }]);
  await minute(17);
  // Infrastructure and control plane are forgotten.
  const [staging = ""] = simCluster("staging").split("---");
  await user.apply(`${staging}---${simPool("staging-workers", "staging", 3)}`);
  await minute(26);
  await mislead(user, "edge-kubeconfig");
  await minute(31);
  await scaleSet(user, 4, "billing-spot");
  await minute(38);
  const value = { [HOOK]: "" };
  await user.patch(Machine as Kind, "old-staging-1", [{ op: "add", path: "/metadata/annotations", value }]);
  await user.delete(Cluster as Kind, "old-staging");
  await minute(41);
  await scale(user, 4, "search-workers");
  await minute(44);
  await scale(user, 8, "training-workers");
}

/** Its instances boot for longer than the day lasts. */
function slow(pool: string): string {
  return pool.replace("bootDelaySeconds: 0", "bootDelaySeconds: 90");
}

/** Lets a kubeconfig name a port at which nothing answers. */
async function mislead(user: User, name: string): Promise<void> {
  const text = Buffer.from(user.see(Secret, name)?.data?.["value"] ?? "", "base64").toString();
  const value = Buffer.from(text.replace(/(server: https:\/\/[^:\s]+):\d+/, "$1:1")).toString("base64");
  await user.patch(Secret as Kind, name, [{ op: "add", path: "/data/value", value }]);
}

/** A policy that rejects new Machines for good, and a role that lacks a rule, which is tried again and again. */
const REFUSALS: readonly { readonly path: RegExp; readonly answer: Answered }[] = [
  {
    path: /\/machines\/billing-spot-[^/]+\/status/,
    answer: refusal(422, "Invalid", "no Machine may be added to team billing: its budget is used up"),
  },
  {
    path: /\/machinepools\/search-workers\/status/,
    answer: refusal(
      403,
      "Forbidden",
      'cannot patch resource "machinepools/status" in the namespace "default"',
    ),
  },
];

function refusal(code: number, reason: string, message: string): Answered {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
  return { code, text: JSON.stringify(status) };
}

/** Refuses writes of functions from that instant on; in ms since the epoch. */
function refuse({ kernel }: World, since: number): void {
  kernel.intercept((operation) => {
    if (kernel.now < since || !isRequest(operation) || !operation.isWrite || !isWorker(operation.process))
      return false;
    const found = REFUSALS.find(({ path }) => path.test(operation.request.path));
    if (found !== undefined) operation.answer(found.answer);
    return found !== undefined;
  });
}
