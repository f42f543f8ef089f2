import { setTimeout } from "node:timers/promises";
import type { ConsoleClient } from "../support/console-client.ts";
import type { BullBoard } from "./bull-board.ts";
import { round, type Usage } from "./capstan-process.ts";
import { openPages } from "./console-pages.ts";
import type { ConsoleWorld } from "./console-world.ts";
import { progress } from "./rounds.ts";

/** One costs a server too little to be seen. */
const PAGES = 50;
/** The first page of each as it opens. */
const TOPICS = ["me", "fleet?limit=100"];
const BOARD_QUERY = "api/queues?activeQueue=&page=1&jobsPerPage=10";
/** bull-board's page asks so often, unless a person sets it otherwise. */
const BOARD_ASKS_EVERY_MS = 5_000;
/** First answers have come, and what was opened with the first request is at rest. */
export const SETTLE_MS = 10_000;

/** Pages that are open: bytes of the bodies that they have received so far. */
interface OpenedPages extends AsyncDisposable {
  bytes(): number;
}

interface Servers {
  readonly world: ConsoleWorld;
  readonly client: ConsoleClient;
  readonly board: BullBoard;
}

interface Contender {
  readonly name: string;
  usage(): Promise<Usage>;
  open(): Promise<OpenedPages>;
}

/**
 * Idle first pages of the console and of bull-board, over the same Redis, in which nothing changes: streams of the one,
 * and the requests that pages of the other make by themselves. In a second and page: bytes of bodies, and CPU of the server.
 */
export async function idlePages({ world, client: { session }, board }: Servers, windowMs: number) {
  const console = {
    name: "the console",
    usage: () => world.usage(),
    open: async () => {
      const pages = await openPages(world.link, session, Array(PAGES).fill(TOPICS));
      return { ...pages, bytes: () => pages.received().bytes };
    },
  };
  const bullBoard = { name: "bull-board", usage: () => board.usage(), open: async () => askingPages(board) };
  return {
    pages: PAGES,
    console: await idle(console, windowMs),
    bullBoard: { queues: board.queues, ...(await idle(bullBoard, windowMs)) },
  };
}

async function idle({ name, usage, open }: Contender, windowMs: number) {
  progress(`no page of ${name}`);
  const aloneMs = await cpuOf(usage, windowMs);
  await using pages = await open();
  await setTimeout(SETTLE_MS);
  progress(`${PAGES} idle pages of ${name}`);
  const before = pages.bytes();
  const pagesMs = await cpuOf(usage, windowMs);
  return {
    bytesPerPage: round((pages.bytes() - before) / PAGES / (windowMs / 1_000), 1),
    msPerPage: round((pagesMs - aloneMs) / PAGES, 3),
  };
}

/** Pages of bull-board, which have been opened one after the other. */
function askingPages({ link }: BullBoard): OpenedPages {
  const stop = new AbortController();
  let bytes = 0;
  const page = async (at: number): Promise<void> => {
    await setTimeout((at / PAGES) * BOARD_ASKS_EVERY_MS);
    while (!stop.signal.aborted) {
      const answer = await fetch(new URL(BOARD_QUERY, link));
      if (!answer.ok) throw new Error(`bull-board answers ${answer.status}`);
      bytes += (await answer.arrayBuffer()).byteLength;
      await setTimeout(BOARD_ASKS_EVERY_MS);
    }
  };
  const pages = Promise.all(Array.from({ length: PAGES }, (_, at) => page(at)));
  return {
    bytes: () => bytes,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await pages;
    },
  };
}

/** CPU milliseconds of a server in a second. */
async function cpuOf(usage: Contender["usage"], forMs: number): Promise<number> {
  const before = await usage();
  const at = performance.now();
  await setTimeout(forMs);
  const after = await usage();
  return ((after.cpuSeconds - before.cpuSeconds) * 1_000) / ((performance.now() - at) / 1_000);
}
