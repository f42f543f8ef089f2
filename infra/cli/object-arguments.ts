import type { Command } from "commander";
import { type Kind, kindNames, type ObjectKey } from "../../shared/api/kinds.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";

/** The object that a command is about, as its arguments name it. */
interface NamedObject {
  readonly kindName: string;
  readonly objectName: string;
  /** The value of `--namespace`. */
  readonly namespace: string | undefined;
}

/** Adds the arguments of one object, which kubectl takes alike: `machineset demo`, `machineset/demo`, `-n NAMESPACE`. */
export function addObjectArguments(command: Command, kinds: string): Command {
  return command
    .argument("<kind>", `${kinds}; or KIND/NAME`)
    .argument("[object]", "NAME, or NAMESPACE/NAME")
    .option("-n, --namespace <name>", "namespace of the object (default: default)");
}

/** Returns what the arguments name. Throws when the name is missing. */
export function namedObject(
  kind: string,
  object: string | undefined,
  { namespace }: { readonly namespace?: string | undefined },
): NamedObject {
  if (object !== undefined) return { kindName: kind, objectName: object, namespace };
  const slash = kind.indexOf("/");
  if (slash === -1) throw new Error(`name the ${kind}: ${kind} NAME, or ${kind}/NAME`);
  return { kindName: kind.slice(0, slash), objectName: kind.slice(slash + 1), namespace };
}

/** Returns the key of an object of a kind. Throws when the name is malformed, or names another namespace than the option. */
export function keyOf({ namespaced }: Kind, { objectName, namespace }: NamedObject): ObjectKey {
  const parts = objectName.split("/");
  const name = parts.at(-1) ?? "";
  if (parts.length > 2 || parts.some((part) => part === "")) {
    throw new Error(`"${objectName}" is not the name of an object; write NAME, or NAMESPACE/NAME`);
  }
  if (!namespaced) return { namespace: "", name };
  const [named] = parts.length === 2 ? parts : [];
  if (named !== undefined && namespace !== undefined && named !== namespace) {
    throw new Error(
      `"${objectName}" is in another namespace than --namespace ${namespace}; give one of the two`,
    );
  }
  return { namespace: named ?? namespace ?? "default", name };
}

/** The kind of this name that a function reconciles. Throws with the kinds that there are. */
export function reconciledKind(functions: readonly AnyFunction[], name: string): Kind {
  const kinds = functions.map(({ spec }) => spec.reconciles);
  const found = kinds.find((kind) => kindNames(kind).includes(name.toLowerCase()));
  if (found !== undefined) return found;
  const known = [...new Set(kinds.map(({ kind }) => kind.toLowerCase()))];
  throw new Error(`no function reconciles "${name}"; there are ${known.join(", ")}`);
}
