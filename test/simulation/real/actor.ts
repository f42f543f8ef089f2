import { once } from "node:events";
import { eventually } from "../../support/eventually.ts";
import { type CliProcess, startCli } from "../../support/processes/cli.ts";

/** A process of Capstan that may be killed, stopped, and started again. */
export interface Actor extends AsyncDisposable {
  /** Without a goodbye. */
  kill(): Promise<void>;
  /** SIGTERM, and waits for its end. */
  end(): Promise<void>;
  /** It does nothing until `proceed`, and does not know afterwards. */
  freeze(): void;
  proceed(): void;
  /** The same again, which works when this resolves. */
  start(): Promise<void>;
}

interface Role {
  readonly args: readonly string[];
  readonly env?: { readonly [name: string]: string } | undefined;
  /** Its output once it works. */
  readonly ready: string;
}

const READY_MS = 90_000;

export async function startActor({ args, env = {}, ready }: Role): Promise<Actor> {
  const start = async (): Promise<CliProcess> => {
    const process = startCli(args, env);
    const because = (state: string) => new Error(`${args.join(" ")} ${state}: ${process.output()}`);
    const isReady = () => {
      if (process.output().includes(ready)) return true;
      throw because("is not ready");
    };
    const early = process.ended.then((code) => {
      throw because(`ended with ${code}`);
    });
    await Promise.race([eventually(isReady, { withinMs: READY_MS, stepMs: 100 }), early]);
    return process;
  };
  let process = await start();
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    const { child } = process;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(name);
    await gone;
  };
  return {
    kill: () => signal("SIGKILL"),
    end: () => signal("SIGTERM"),
    freeze: () => void process.child.kill("SIGSTOP"),
    proceed: () => void process.child.kill("SIGCONT"),
    start: async () => {
      process = await start();
    },
    async [Symbol.asyncDispose]() {
      process.child.kill("SIGCONT");
      await process[Symbol.asyncDispose]();
    },
  };
}

/** Several processes to which everything happens at once. */
export function together(actors: readonly Actor[]): Actor {
  const all = async (act: (actor: Actor) => Promise<void>): Promise<void> => {
    await Promise.all(actors.map(act));
  };
  return {
    kill: () => all((actor) => actor.kill()),
    end: () => all((actor) => actor.end()),
    start: () => all((actor) => actor.start()),
    freeze() {
      for (const actor of actors) actor.freeze();
    },
    proceed() {
      for (const actor of actors) actor.proceed();
    },
    [Symbol.asyncDispose]: () => all(async (actor) => actor[Symbol.asyncDispose]()),
  };
}
