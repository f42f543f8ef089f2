import type { Command } from "commander";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { type Kind, kindNames, type ObjectKey, titleOf } from "../../shared/api/kinds.ts";
import { KINDS } from "../../shared/api/registry.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { systemClock } from "../platform/clock.ts";
import { readEnvironment } from "../platform/config.ts";
import { type FieldOwner, fieldOwners } from "../platform/kube/field-owners.ts";
import { print, printJson } from "../platform/terminal/print.ts";
import { ageOf, tableLines } from "../platform/terminal/table.ts";
import { readManagement } from "./management.ts";
import { addObjectArguments, keyOf, namedObject } from "./object-arguments.ts";
import { openLog } from "./terminal/log.ts";

interface FieldsOptions {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly manager?: string;
  readonly output: string;
}

export function fieldsCommand(command: Command): Command {
  return addObjectArguments(
    command,
    "machinepool, clusters, simmachinepools.infrastructure.sim.capstan.dev, …",
  )
    .option(
      "--kubeconfig <file>",
      "management cluster (default: KUBECONFIG, in-cluster files, ~/.kube/config)",
    )
    .option("--manager <name>", "only fields of this manager, for example capstan-machinepool-status")
    .option("-o, --output <format>", "table or json", "table")
    .addHelpText("after", "\nExample:\n  capstan fields machinepool default/demo-pool")
    .action(async (kindArgument: string, objectArgument: string | undefined, options: FieldsOptions) => {
      const named = namedObject(kindArgument, objectArgument, options);
      const log = openLog(readEnvironment().CAPSTAN_LOG_LEVEL);
      const connect = await readManagement(options.kubeconfig, { clock: systemClock, log });
      using server = connect();
      const client = server.as("fields");
      const kind = await findKind(client, named.kindName);
      const owners = await readOwners(client, kind, keyOf(kind, named));
      const shown = owners.filter(({ manager }) => manager === (options.manager ?? manager));
      if (options.output === "json") printJson(shown);
      else print(...tableOf(shown, systemClock.now()));
    });
}

async function readOwners(client: KubeClient, kind: Kind, key: ObjectKey): Promise<readonly FieldOwner[]> {
  const object = await client.get(kind, key);
  if (object === undefined) {
    throw new Error(`${titleOf(kind.kind, key)} does not exist; kubectl get ${kind.plural} -A lists them`);
  }
  const managedFields: unknown = Reflect.get(object.metadata, "managedFields");
  return fieldOwners(Array.isArray(managedFields) ? managedFields : []);
}

export function tableOf(owners: readonly FieldOwner[], now: Date): readonly string[] {
  return tableLines(
    ["FIELD", "MANAGER", "OPERATION", "WRITTEN"],
    owners.map(({ field, manager, operation, time }) => [
      field,
      manager,
      operation,
      time === "" ? "" : `${time} (${ageOf(time, now)} ago)`,
    ]),
  );
}

/** API servers do not serve what only the read model knows. */
function isServed({ group, crd }: Kind): boolean {
  return group !== READ_MODEL_GROUP || crd !== undefined;
}
const READ_MODEL_GROUP = "capstan.dev";

/** Returns a kind by any name that kubectl accepts: kind, plural, singular, short name, or `<plural>.<group>`. */
async function findKind(client: KubeClient, wanted: string): Promise<Kind> {
  const name = wanted.toLowerCase();
  const known = KINDS.find((kind) => isServed(kind) && kindNames(kind).includes(name));
  if (known !== undefined) return known;
  const { items } = await client.list(CustomResourceDefinition, {});
  for (const { spec } of items) {
    const version = spec.versions.find(({ served }) => served)?.name;
    const { kind, plural } = spec.names;
    if (version === undefined) continue;
    const found = { group: spec.group, version, kind, plural, namespaced: spec.scope === "Namespaced" };
    if (kindNames(found).includes(name)) return found;
  }
  throw new Error(`the server has no kind "${wanted}"; kubectl api-resources lists them`);
}
