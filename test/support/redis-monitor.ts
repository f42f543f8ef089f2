import type { Redis } from "ioredis";
import { expect } from "vitest";
import { eventually } from "./eventually.ts";

const WITHIN = { withinMs: 20_000, stepMs: 20 };
const END = "the end of the look";

/**
 * The commands that a server runs meanwhile by any client, also those of scripts, and which of them write, by the account
 * of the server. `admin` may everything.
 */
export async function commandsDuring(admin: Redis, look: () => Promise<unknown>) {
  const monitor = await admin.monitor();
  using stack = new DisposableStack();
  stack.defer(() => monitor.disconnect());
  const commands: string[] = [];
  monitor.on("monitor", (_time: string, [name = "", text = ""]: readonly string[]) => {
    commands.push(text === END ? END : name.toLowerCase());
  });
  await look();
  await admin.ping(END);
  await eventually(() => expect(commands).toContain(END), WITHIN);
  const names = [...new Set(commands)].filter((name) => name !== END);
  const infos = (await admin.command("INFO", ...names)) as readonly Info[];
  const writes = infos.filter(([, , flags]) => flags.includes("write")).map(([name]) => name);
  return { commands: names, writes };
}

type Info = readonly [name: string, arity: number, flags: readonly string[]];
