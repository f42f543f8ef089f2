import { MANAGEMENT } from "../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { RemediationEntry, RemediationPolicy } from "../../../../shared/api/remediation-policy.ts";
import { exceeded, idOf } from "../../../simulation/oracles/policy-limits.ts";
import { isHandedToOwner } from "./outside.ts";
import type { Schedule } from "./schedule.ts";
import type { Server } from "./server.ts";

/** Looks at every stored state whether the policy holds, by what is stored and nothing that the functions compute. */
interface LedgerWatch {
  /** Returns the violation; undefined: the policy holds, or is missing. */
  look(): string | undefined;
}

export function createLedgerWatch(server: Server, { policy: spec, remediator }: Schedule): LedgerWatch {
  /** By their ids, in their latest form. */
  const entries = new Map<string, RemediationEntry>();
  /** By uid of the Machine: whether it is in flight, and how often that has begun. */
  const flights = new Map<string, { isOn: boolean; begun: number }>();
  const newEntries = (policy: RemediationPolicy): string | undefined => {
    for (const entry of policy.status?.remediations ?? []) {
      const id = idOf(entry);
      const isNew = !entries.has(id);
      const others = [...entries].filter(([other]) => other !== id).map(([, other]) => other);
      entries.set(id, entry);
      const [problem] = isNew ? exceeded(policy, entry, others) : [];
      if (problem !== undefined) return `${entry.machine.name} is in flight by its entry: ${problem}`;
    }
    return undefined;
  };
  const newFlights = (machines: readonly Machine[], flying: readonly Machine[]): string | undefined => {
    for (const machine of machines) {
      const { uid = "", name } = machine.metadata;
      const flight = flights.get(uid) ?? { isOn: false, begun: 0 };
      flights.set(uid, flight);
      const isOn = flying.includes(machine);
      if (isOn && !flight.isOn) flight.begun += 1;
      flight.isOn = isOn;
      const entered = [...entries.values()].filter((entry) => entry.machine.uid === uid).length;
      if (flight.begun > entered)
        return `${name} is in flight for the ${flight.begun}. time, entered ${entered} times`;
    }
    return undefined;
  };
  const look = (policy: RemediationPolicy): string | undefined => {
    const machines = server.list<Machine>(MANAGEMENT, "Machine");
    const isRequested = ({ metadata }: Machine) =>
      server.get(MANAGEMENT, "FooRemediation", metadata.name) !== undefined;
    const flying = machines.filter((machine) => isHandedToOwner(machine) || isRequested(machine));
    const isTooMany = spec?.controlPlaneQuorum === true && flying.length > 1;
    if (isTooMany) return `${flying.length} Machines of one control plane are in flight`;
    // A create cannot test its Machine: one that lands late begins again with the entry of the one before.
    return newEntries(policy) ?? (remediator === "owner" ? newFlights(machines, flying) : undefined);
  };
  return {
    look() {
      const policy = server.get<RemediationPolicy>(MANAGEMENT, "RemediationPolicy", "r1");
      return spec === undefined || policy === undefined ? undefined : look(policy);
    },
  };
}
