import type { Token } from "../../../infra/queue/tokens/token-ledger.ts";
import type { HandleToken, Receiver, Transport } from "../../../infra/queue/tokens/token-transport.ts";
import type { Kernel, Operation, Process } from "../kernel/kernel.ts";

/** A token on its way to whichever worker has room for it. */
export interface TokenOperation extends Operation {
  readonly kind: "token";
  readonly functionName: string;
  readonly token: Token;
}

interface Reception {
  readonly process: Process;
  readonly handle: HandleToken;
  readonly concurrency: number;
  running: number;
  isOpen: boolean;
}

interface Channel {
  readonly waiting: Token[];
  readonly receptions: Reception[];
}

/** How tokens travel between processes: in any order, to any of those that listen. A lost token is not sent again. */
export interface SharedTokens {
  of(process: Process, functionName: string): Transport;
  /** Queues that a process has opened; each ticks for as long as the process lives. */
  queuesOf(process: Process): number;
  /** Everything on its way is gone. */
  wipe(): void;
}

export function createSharedTokens(kernel: Kernel): SharedTokens {
  const channels = new Map<string, Channel>();
  const machinery = kernel.process("tokens");
  const queues = new Map<Process, number>();
  let generation = 0;
  const channelOf = (name: string): Channel => {
    const known = channels.get(name) ?? { waiting: [], receptions: [] };
    channels.set(name, known);
    return known;
  };

  const hand = (channel: Channel): void => {
    while (channel.waiting.length > 0) {
      const free = channel.receptions.filter(
        ({ process, isOpen, running, concurrency }) =>
          process.isAlive && process.wakesAt <= kernel.now && isOpen && running < concurrency,
      );
      if (free.length === 0) return;
      const token = channel.waiting.shift();
      const reception = kernel.scheduler.pick(free);
      if (token === undefined) return;
      reception.running += 1;
      // A token that could not be handled is lost, as a failed job is; a tick sends it again.
      const handled = reception.handle(token).catch(() => undefined);
      void handled.then(() => {
        reception.running -= 1;
        hand(channel);
      });
    }
  };

  const post = (functionName: string, token: Token): void => {
    const sentIn = generation;
    const arrive = (): void => {
      if (sentIn !== generation) return;
      const channel = channelOf(functionName);
      channel.waiting.push(token);
      hand(channel);
    };
    const operation: TokenOperation = {
      process: machinery,
      kind: "token",
      functionName,
      token,
      what: () => `${functionName} ${token.key}`,
      run: arrive,
    };
    kernel.post(operation);
  };

  return {
    of(process, functionName) {
      queues.set(process, 1 + (queues.get(process) ?? 0));
      return {
        async send(tokens) {
          for (const token of tokens) post(functionName, token);
        },
        async receive(handle, concurrency): Promise<Receiver> {
          const channel = channelOf(functionName);
          const reception: Reception = { process, handle, concurrency, running: 0, isOpen: true };
          channel.receptions.push(reception);
          process.onKill(() => leave(channel, reception));
          hand(channel);
          return {
            async close() {
              leave(channel, reception);
            },
          };
        },
        close: async () => undefined,
      };
    },
    queuesOf: (process) => queues.get(process) ?? 0,
    wipe() {
      generation += 1;
      for (const channel of channels.values()) channel.waiting.length = 0;
    },
  };
}

function leave({ receptions }: Channel, reception: Reception): void {
  reception.isOpen = false;
  const index = receptions.indexOf(reception);
  if (index >= 0) receptions.splice(index, 1);
}
