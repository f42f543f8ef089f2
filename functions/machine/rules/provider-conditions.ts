import { POOL_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import {
  condition,
  type DesiredCondition,
  mirrorCondition,
} from "../../../shared/rules/conditions/conditions.ts";
import { refusal } from "../../../shared/rules/providers/adoption.ts";
import { machineClaim } from "./adoption.ts";
import type { MachineView } from "./view.ts";

/** A condition about a provider object: its name and the flag that decides where the object reports no `Ready`. */
interface About {
  readonly type: "BootstrapConfigReady" | "InfrastructureReady";
  readonly kind: string;
  readonly found: Referenced;
  readonly flag: string;
  /** The latch that belongs to the object, as it is from now on. */
  readonly latched: boolean;
  /** Fields of the object that cannot be used. */
  readonly problem: string | undefined;
  /** The words about an object that is gone and had been ready once; absent: it is as if it had never been. */
  readonly lost: string | undefined;
}

/** Returns `BootstrapConfigReady`. */
export function bootstrapConfigReady(view: MachineView): DesiredCondition {
  const type = "BootstrapConfigReady";
  const { machine, providers, bootstrap } = view;
  const { configRef } = machine.spec.bootstrap;
  if (bootstrap.provided === true) return condition(type, "True", "DataSecretProvided", bootstrap.message);
  if (configRef === undefined || providers.bootstrap === undefined) {
    return Object.hasOwn(machine.metadata.labels ?? {}, POOL_NAME_LABEL)
      ? condition(type, "True", "DataSecretProvided")
      : condition(type, "False", "NotReady", "spec.bootstrap needs configRef or dataSecretName");
  }
  const isCopyDue = bootstrap.created === true && !view.dataCreated;
  return providerCondition(view, {
    type,
    kind: configRef.kind,
    found: providers.bootstrap,
    flag: "status.initialization.dataSecretCreated",
    latched: view.dataCreated,
    problem: bootstrap.message ?? (isCopyDue ? "its data is not named by the Machine yet" : undefined),
    lost: isDeleting(machine) ? "has been deleted" : undefined,
  });
}

/** Returns `InfrastructureReady`. */
export function infrastructureReady(view: MachineView): DesiredCondition {
  const { machine, providers, infrastructure } = view;
  return providerCondition(view, {
    type: "InfrastructureReady",
    kind: machine.spec.infrastructureRef.kind,
    found: providers.infrastructure,
    flag: "status.initialization.provisioned",
    latched: view.provisioned,
    problem: infrastructure.message,
    lost: isDeleting(machine) ? "has been deleted" : "has been deleted while the Machine still exists",
  });
}

function providerCondition({ machine, cluster }: MachineView, about: About): DesiredCondition {
  const { type, kind, found, flag, latched, problem } = about;
  if (found.state === "unresolved" && !(isDeleting(machine) && !found.crdExists)) {
    return condition(type, "Unknown", "InternalError", found.message);
  }
  // A definition that is gone took its objects with it: a deleted Machine has none left.
  if (found.state !== "found") return absence(about);
  const refused = refusal(machineClaim(machine, cluster), found.object);
  if (refused !== undefined) return condition(type, "False", "NotReady", refused);
  const reported =
    mirrorCondition(found.object, "Ready", type) ??
    (latched
      ? condition(type, "True", "Ready")
      : condition(type, "False", "NotReady", problem === undefined ? `${kind} ${flag} is false` : ""));
  const message = [reported.message, problem ?? ""].filter((text) => text !== "").join("\n");
  return { ...reported, ...condition(type, reported.status, reported.reason, message) };
}

function absence({ type, kind, latched, lost }: About): DesiredCondition {
  return latched && lost !== undefined
    ? condition(type, "False", "ObjectDeleted", `${kind} ${lost}`)
    : condition(type, "False", "ObjectDoesNotExist", `${kind} does not exist`);
}
