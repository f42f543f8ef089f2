import { MANAGEMENT } from "../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { isDeleting } from "../../../../shared/function/guards.ts";
import { condition, conditionOf } from "../../../../shared/rules/conditions/conditions.ts";
import { deprecatedCondition } from "../../../../shared/rules/conditions/deprecated-conditions.ts";
import { conditionOperations } from "../../../../shared/rules/machines/condition-patch.ts";
import { merge, node, type Overrides } from "../../../support/builders.ts";
import { OWNED_BY_S1 } from "../../../support/foo-sets.ts";
import { since, target } from "../../../support/health-checks.ts";
import type { Connected } from "./clients.ts";
import type { Flip } from "./schedule.ts";
import { deletingAt } from "./server.ts";

const WORKLOAD = "default/c1";
const SECOND = 1_000;
const FINALIZER = "machine.cluster.x-k8s.io";

/** Everything around the health check: Nodes, the owner of the Machines, an external controller. */
export function startOutside(to: Connected): void {
  const names = Array.from({ length: to.schedule.machines }, (_, slot) => `m${slot}`);
  for (const name of names) addMachine(to, name);
  for (const flip of to.schedule.flips) to.clock.after(Math.max(1, flip.atMs), () => turn(to, names, flip));
  if (to.schedule.owner !== "paused") ownerLoop(to, names);
  if (to.schedule.remediator === "external") externalLoop(to);
}

function addMachine({ server, clock, schedule }: Connected, name: string): void {
  const creationTimestamp = `${clock.now().toISOString().slice(0, 19)}Z`;
  const metadata = { creationTimestamp, ownerReferences: [OWNED_BY_S1], finalizers: [FINALIZER] };
  server.put(WORKLOAD, merge(node(name), { metadata: { uid: undefined } }));
  const isOfControlPlane = schedule.policy?.controlPlaneQuorum === true;
  const machine = target(name, { metadata: { ...metadata, uid: `uid-${name}` } });
  server.put(MANAGEMENT, isOfControlPlane ? merge<Machine>(machine, CONTROL_PLANE) : machine);
}

/** Fields that make a Machine one of a control plane, and one that counts as healthy. */
const CONTROL_PLANE: Overrides<Machine> = {
  metadata: {
    labels: { tier: "a", "cluster.x-k8s.io/cluster-name": "c1", "cluster.x-k8s.io/control-plane": "" },
  },
  status: { conditions: [since("2026-01-01T00:00:00Z", "Ready", "True")] },
};

/** Stamped by a clock of its own. */
function turn({ server, clock, random, schedule }: Connected, names: readonly string[], flip: Flip): void {
  const name = names[flip.slot] ?? "";
  if (server.get<Machine>(MANAGEMENT, "Machine", name) === undefined) return;
  if (flip.to === "Gone") {
    server.remove(WORKLOAD, "Node", name);
    return;
  }
  const skewMs = schedule.skewMs * (random.below(3) - 1);
  const lastTransitionTime = new Date(clock.now().getTime() + skewMs).toISOString();
  const status = flip.to === "Ready" ? "True" : "False";
  server.put(
    WORKLOAD,
    node(name, { status: { conditions: [{ type: "Ready", status, lastTransitionTime }] } }),
  );
}

const statusOf = ({ status }: Machine, type: string) => conditionOf(status?.conditions, type)?.status;
export const isHandedToOwner = (machine: Machine) => statusOf(machine, "OwnerRemediated") === "False";
const hasFailed = (machine: Machine) => statusOf(machine, "HealthCheckSucceeded") === "False";

/** Looks again and again, at what is stored or at what its cache shows; a look may be followed late by its write. */
function ownerLoop(to: Connected, names: string[]): void {
  const { clock, random, schedule, server } = to;
  const everyMs = schedule.owner === "prompt" ? 2 * SECOND : 25 * SECOND;
  const look = (): void => {
    const placed = [...server.stateAt(clock.now().getTime() - random.below(schedule.lagMs + 1)).values()];
    for (const { object } of placed.filter(({ object: { kind } }) => kind === "Machine")) {
      const machine = object as Machine;
      if (isHandedToOwner(machine)) clock.after(1 + random.below(SECOND), () => act(to, names, machine));
    }
    clock.after(1 + random.below(everyMs), look);
  };
  clock.after(1 + random.below(everyMs), look);
}

/** Deletes one that has failed, takes its word back from one that has recovered. */
function act(to: Connected, names: string[], seen: Machine): void {
  const { clock, random, schedule, server } = to;
  const { name, uid, resourceVersion } = seen.metadata;
  const machine = server.get<Machine>(MANAGEMENT, "Machine", name);
  if (machine === undefined || machine.metadata.uid !== uid || isDeleting(machine)) return;
  const isAnother = machine.metadata.resourceVersion !== resourceVersion;
  if (schedule.owner === "never cleans up" || (isAnother && schedule.owner !== "stale")) return;
  if (hasFailed(seen)) {
    server.put(MANAGEMENT, deletingAt(machine, clock.now()));
    clock.after(1 + random.below(30 * SECOND), () => replace(to, names, name));
  } else if (!isAnother) {
    const operations = conditionOperations(machine, { removed: ["OwnerRemediated"] }, clock.now());
    server.patch({ cluster: MANAGEMENT, kind: { kind: "Machine" }, name }, operations);
  }
}

/** The Machine, its Node and its request go; another one comes later. */
function replace(to: Connected, names: string[], name: string): void {
  const { clock, random, server } = to;
  server.remove(WORKLOAD, "Node", name);
  server.remove(MANAGEMENT, "Machine", name);
  server.remove(MANAGEMENT, "FooRemediation", name);
  const slot = names.indexOf(name);
  const next = `${name}x`;
  clock.after(1 + random.below(20 * SECOND), () => {
    names[slot] = next;
    addMachine(to, next);
  });
}

/** Takes its time with each request, and keeps one that is deleted until it has let go. */
function externalLoop(to: Connected): void {
  const { clock, random, server } = to;
  const look = (): void => {
    for (const request of server.list(MANAGEMENT, "FooRemediation")) {
      const { name } = request.metadata;
      if (isDeleting(request)) server.remove(MANAGEMENT, "FooRemediation", name);
      else if (request.metadata.finalizers === undefined) {
        server.put(MANAGEMENT, merge(request, { metadata: { finalizers: ["foo"] } }));
      } else if (random.below(3) === 0) remediate(to, name);
    }
    clock.after(1 + random.below(20 * SECOND), look);
  };
  clock.after(1 + random.below(20 * SECOND), look);
}

function remediate(to: Connected, name: string): void {
  const { clock, schedule, server } = to;
  const machine = server.get<Machine>(MANAGEMENT, "Machine", name);
  if (machine === undefined || schedule.external === "sleeps") return;
  if (schedule.external === "reboots") {
    turn(to, [name], { atMs: 0, slot: 0, to: "Ready" });
    return;
  }
  if (!hasFailed(machine) || isHandedToOwner(machine)) return;
  const isOlderOnly = schedule.external === "gives up in the older conditions";
  const changes = {
    present: isOlderOnly ? [] : [condition("OwnerRemediated", "False", "WaitingForRemediation")],
    deprecated: [
      deprecatedCondition("OwnerRemediated", "False", {
        severity: "Warning",
        reason: "WaitingForRemediation",
      } as const),
    ],
  };
  const operations = conditionOperations(machine, changes, clock.now());
  if (operations.length > 0) {
    server.patch({ cluster: MANAGEMENT, kind: { kind: "Machine" }, name }, operations);
  }
}
