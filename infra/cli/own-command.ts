import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CommandLine } from "../console/ports.ts";
import { capabilitiesOf } from "../queue/backends/open.ts";
import type { QueueFlags } from "../queue/backends/queue-source.ts";

/** Returns how a person of this machine starts this command line, from any folder: in a clone nothing is on the PATH. */
export function ownCommand(): string {
  const launcher = fileURLToPath(new URL("capstan.js", import.meta.url));
  return existsSync(launcher) ? `node ${quoted(launcher)}` : "capstan";
}

interface Named extends Omit<QueueFlags, "redisMayLoseData"> {
  readonly kubeconfig?: string | undefined;
  readonly deadLetters?: string | undefined;
}

/** Returns how commands reach what this process serves; an URL with a password is left out. */
export function commandLineOf({ kubeconfig, queue, queueFile, redisCa, deadLetters }: Named): CommandLine {
  const isOpen = queue !== undefined && capabilitiesOf({ url: queue }).isShared && !queue.includes("@");
  const flags = { queue: isOpen ? queue : undefined, "queue-file": queueFile, "redis-ca": redisCa };
  return {
    capstan: ownCommand(),
    cluster: textOf({ kubeconfig }),
    queue: textOf({ ...flags, "dead-letters": deadLetters }),
  };
}

function textOf(flags: { readonly [name: string]: string | undefined }): string {
  return Object.entries(flags)
    .map(([name, value]) => (value === undefined ? "" : ` --${name} ${quoted(value)}`))
    .join("");
}

function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
