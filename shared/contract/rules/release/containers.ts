import { textAt } from "../../../api/path.ts";
import { mapAt, objectsAt } from "./release-rule.ts";
import type { Manifest } from "./subject.ts";

/** Container that runs the controller of a provider, by contract. */
export const MANAGER = "manager";

interface Container {
  readonly value: Manifest;
  readonly name: string;
  /** `spec.template.spec.containers[manager]` */
  readonly path: string;
}

const POD = "spec.template.spec";

/** Containers of a workload, then its init containers. */
export function containersOf(value: Manifest): readonly Container[] {
  return [...containersAt(value, `${POD}.containers`), ...containersAt(value, `${POD}.initContainers`)];
}

export function managerOf(value: Manifest): Container | undefined {
  return containersAt(value, `${POD}.containers`).find(({ name }) => name === MANAGER);
}

export function podSpecOf(value: Manifest): Manifest {
  return mapAt(value, POD);
}

function containersAt(value: Manifest, path: string): readonly Container[] {
  return objectsAt(value, path).map((each, index) => {
    const name = textAt(each, "name");
    return { value: each, name, path: `${path}[${name === "" ? index : name}]` };
  });
}

/**
 * Returns the value of a flag in command and arguments: `--flag=x`, `--flag x`, with one dash or two; empty where it has
 * none. Undefined: the flag is absent. `$(NAME)` of an environment variable with a fixed value is that value.
 */
export function flagOf({ value }: Container, flag: string): string | undefined {
  const words = ["command", "args"].flatMap((member) => {
    const list = value[member];
    return Array.isArray(list) ? list.filter((word) => typeof word === "string") : [];
  });
  const at = words.findIndex((word) => isFlag(word, flag));
  const word = words[at];
  if (word === undefined) return undefined;
  const equals = word.indexOf("=");
  const next = words[at + 1] ?? "";
  const given = equals >= 0 ? word.slice(equals + 1) : next.startsWith("-") ? "" : next;
  return withEnvironment(given, value);
}

function isFlag(word: string, flag: string): boolean {
  const [name = ""] = word.split("=");
  return name === `--${flag}` || name === `-${flag}`;
}

function withEnvironment(text: string, container: Manifest): string {
  const fixed = objectsAt(container, "env").filter((each) => each["valueFrom"] === undefined);
  return text.replace(/\$\(([^)]{1,200})\)/g, (reference, name: string) => {
    const found = fixed.findLast((each) => textAt(each, "name") === name);
    return found === undefined ? reference : textAt(found, "value");
  });
}
