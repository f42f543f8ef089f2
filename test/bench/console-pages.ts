import { openAt } from "../support/console.ts";
import type { ConsoleClient } from "../support/console-client.ts";
import type { Member } from "./console-fleet.ts";

/** Pages that other persons have open: their streams, read as fast as they come. */
export interface OpenPages extends AsyncDisposable {
  /** Messages with a new state, and their bytes, so far. */
  received(): { readonly messages: number; readonly bytes: number };
}

/**
 * Topics of so many pages, as persons have them open: two of five show the fleet, as many one Cluster each, the others an
 * object with its history, the queue, dead letters and the relay.
 */
export function topicsOf(pages: number, members: readonly Member[]): readonly (readonly string[])[] {
  return Array.from({ length: pages }, (_, at) => {
    const { namespace, name } = members[at] ?? { namespace: "", name: "" };
    const machine = `objects/Machine/${namespace}/${name}-md-00`;
    const kinds: readonly (readonly string[])[] = [
      ["fleet?limit=100"],
      [`clusters/${namespace}/${name}`],
      ["fleet?limit=100"],
      [`clusters/${namespace}/${name}`],
      [[machine, `${machine}/runs?limit=50`], ["queue"], ["letters?limit=100"], ["relay"]][
        ((at / 5) % 4) | 0
      ] ?? [],
    ];
    return ["me", ...(kinds[at % kinds.length] ?? [])];
  });
}

/** Opens the streams of pages. Rejects when one is refused; one that ends later ends the bench. */
export async function openPages(
  link: string,
  session: ConsoleClient["session"],
  pages: readonly (readonly string[])[],
): Promise<OpenPages> {
  const port = Number(new URL(link).port);
  let [messages, bytes, closed] = [0, 0, false];
  const streams = await Promise.all(
    pages.map(async (topics) => {
      const query = new URLSearchParams(topics.map((topic): [string, string] => ["topic", topic]));
      const { sent, answer } = await openAt(port, `/api/v1/stream?${query}`, { headers: session });
      if (answer.statusCode !== 200) throw new Error(`a stream was refused: ${answer.statusCode}`);
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        messages += chunk.toString("latin1").split('"type":"state"').length - 1;
      });
      answer.on("close", () => {
        if (!closed) throw new Error(`the stream of ${topics.join(", ")} was cut`);
      });
      return sent;
    }),
  );
  return {
    received: () => ({ messages, bytes }),
    async [Symbol.asyncDispose]() {
      closed = true;
      for (const sent of streams) sent.destroy();
    },
  };
}
