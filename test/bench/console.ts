import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Browser } from "playwright-core";
import type { Fleet } from "../../infra/console/api/fleet.ts";
import { buildInto } from "../../infra/deploy/build.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { chromiumMissing, startChromium } from "../browser/chromium.ts";
import { type ConsoleClient, openClient } from "../support/console-client.ts";
import { eventually } from "../support/eventually.ts";
import { type BullBoard, startBullBoard } from "./bull-board.ts";
import { round } from "./capstan-process.ts";
import { CHANGES_PER_SECOND } from "./console-changes.ts";
import { fleetOf, LARGE, type Member } from "./console-fleet.ts";
import { idlePages, SETTLE_MS } from "./console-idle.ts";
import { type OpenPages, openPages, topicsOf } from "./console-pages.ts";
import { filterKeys, openLarge, openTab, type Tab, type TabMemory } from "./console-tab.ts";
import { unvisited } from "./console-unvisited.ts";
import { firstVisits } from "./console-visits.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { goalRow } from "./goals.ts";
import { writeResults } from "./results.ts";
import { progress } from "./rounds.ts";

/** A trial is shorter; its figures are not kept. */
const IS_TRIAL = process.argv.includes("--trial");
/** `--minutes 60` keeps a tab open under change for an hour. */
const [, minutes] = process.argv.slice(process.argv.indexOf("--minutes"));
const CLUSTERS = IS_TRIAL ? 1_000 : 10_000;
const MACHINES = 20;
const PAGES = 50;
/** The index reads everything once a minute: a window is that long. */
const WINDOW_MS = IS_TRIAL ? 15_000 : 60_000;
const CHANGE_MS = process.argv.includes("--minutes") ? Number(minutes) * 60_000 : WINDOW_MS;
/** While a person goes through pages, streams of the page before may still be open. */
const OTHER_PAGES = 40;
const UP_ROUNDS = IS_TRIAL ? 1 : 15;

const GOALS = {
  kib: 60,
  paintMs: 300,
  rowsMs: 800,
  filterMs: 100,
  largeMs: 500,
  nodes: 1_500,
  tabMiB: 60,
  taskMs: 50,
  restMs: 0.5,
  changeMs: 2,
  processMiB: 180,
  indexMs: 10_000,
  upMs: 5,
  upMiB: 3,
} as const;

/**
 * The console of a large fleet, in chromium: pages, the server behind them at rest and under 200 changes a second, and
 * its cost while no page is open.
 */
export async function consoleBench(): Promise<void> {
  if (chromiumMissing !== undefined) throw new Error(chromiumMissing);
  await using stack = new AsyncDisposableStack();
  const built = await mkdtemp(join(tmpdir(), "capstan-built-"));
  stack.defer(() => rm(built, { recursive: true, force: true }));
  await buildInto(built);
  // Awaited here: the built product goes with this function.
  if (process.argv[3] === "idle") return await writeIdle(built);
  progress("up without a console and with one that is not opened");
  const up = await unvisited(built, UP_ROUNDS);
  const members = fleetOf(CLUSTERS, MACHINES, PAGES);
  progress(`${CLUSTERS} Clusters with ${MACHINES} Machines into the read model`);
  const world = stack.use(await startConsoleWorld(built, members));
  const figures = { ...(await measure(world, members)), up };
  console.log(formatTable(["COST", "MEASURED", "GOAL", ""], rowsOf(figures)));
  console.log(formatTable(["FIRST VISIT", "CONSOLE", "BULL-BOARD"], visitRows(figures.visits)));
  console.log(formatTable(IDLE_HEAD, idleRows(figures.idle)));
  console.log(figures);
  if (!IS_TRIAL) await writeResults("console", figures);
}

/** `console idle`: idle pages alone, beside those of bull-board. */
async function writeIdle(built: string): Promise<void> {
  const members = fleetOf(CLUSTERS, MACHINES, PAGES);
  progress(`${CLUSTERS} Clusters with ${MACHINES} Machines into the read model`);
  await using world = await startConsoleWorld(built, members);
  const client = await openClient(world.link);
  await untilReady(client, members.length);
  await using board = await startBullBoard(world.redisUrl);
  const idle = await idlePages({ world, client, board }, WINDOW_MS);
  console.log(formatTable(IDLE_HEAD, idleRows(idle)));
  if (!IS_TRIAL) await writeResults("console-idle", { clusters: CLUSTERS, ...idle });
}

const IDLE_HEAD = ["IDLE PAGE", "CONSOLE", "BULL-BOARD"];

function idleRows({
  console: own,
  bullBoard,
}: Awaited<ReturnType<typeof idlePages>>): readonly (readonly string[])[] {
  return [
    ["bytes per second", String(own.bytesPerPage), String(bullBoard.bytesPerPage)],
    ["CPU of the server, ms/s", String(own.msPerPage), String(bullBoard.msPerPage)],
  ];
}

function visitRows({ bullBoard, ...own }: Figures["visits"]): readonly (readonly string[])[] {
  const row = (what: string, of: keyof typeof bullBoard) => [what, String(own[of]), String(bullBoard[of])];
  return [
    row("KiB compressed", "kib"),
    row("first paint, ms", "paintMs"),
    row("longest task, ms of CPU", "taskCpuMs"),
  ];
}

type Figures = Awaited<ReturnType<typeof measure>> & { readonly up: Awaited<ReturnType<typeof unvisited>> };

function rowsOf(figures: Figures): readonly (readonly string[])[] {
  const { rest, change, visits, filter, large, up } = figures;
  const { tab } = change;
  return [
    goalRow("first page, KiB compressed", visits.kib, GOALS.kib),
    goalRow("first paint, ms", visits.paintMs, GOALS.paintMs),
    goalRow("first rows, ms", visits.rowsMs, GOALS.rowsMs),
    goalRow("filter: key to rows, p95 ms", filter.p95Ms, GOALS.filterMs),
    goalRow("Cluster of 1,000 Machines, ms", large.ms, GOALS.largeMs),
    goalRow("nodes in the document", Math.max(tab.nodes, large.nodes), GOALS.nodes),
    goalRow(`tab after ${round(CHANGE_MS / 60_000, 1)} min, MiB`, tab.end.privateMiB, GOALS.tabMiB),
    goalRow("longest task of a visit, ms of CPU", visits.taskCpuMs, GOALS.taskMs),
    goalRow("longest task in the tab, ms by the clock", tab.longestTaskMs, GOALS.taskMs),
    goalRow("CPU per page at rest, ms/s", rest.msPerPage, GOALS.restMs),
    goalRow("CPU per page under change, ms/s", change.msPerPage, GOALS.changeMs),
    goalRow("process, MiB", figures.peakMiB, GOALS.processMiB),
    goalRow("index ready, ms", figures.readyMs, GOALS.indexMs),
    goalRow("up with an unvisited console: start, ms more", round(up.readyMs + up.linkMs, 1), GOALS.upMs),
    goalRow("of that, from ready to its link", up.linkMs, GOALS.upMs),
    goalRow("the same: memory, MiB more", up.residentMiB, GOALS.upMiB),
  ];
}

/** Parts that all measurements share. */
interface Scene {
  readonly world: ConsoleWorld;
  readonly client: ConsoleClient;
  readonly browser: Browser;
  /** Opens the streams of so many pages. */
  readonly open: (pages: number) => Promise<OpenPages>;
}

async function measure(world: ConsoleWorld, members: readonly Member[]) {
  const printedAt = performance.now();
  const client = await openClient(world.link);
  await untilReady(client, members.length);
  const readyMs = Math.round(world.startMs + performance.now() - printedAt);
  await using browser = await startBrowser();
  const open = (pages: number) => openPages(world.link, client.session, topicsOf(pages, members));
  const scene = { world, client, browser, open };
  const rest = await atRest(scene);
  const change = await underChange(scene);
  await using board = await startBullBoard(world.redisUrl);
  const read = await reading(scene, board);
  const { peakMiB, residentMiB } = await world.usage();
  const idle = await idlePages({ world, client, board }, WINDOW_MS);
  const { snapshots } = world.fleet;
  return {
    snapshots,
    startMs: Math.round(world.startMs),
    readyMs,
    rest,
    change,
    ...read,
    idle,
    residentMiB,
    peakMiB,
  };
}

/** CPU of the console in ms/s while nothing changes. */
async function atRest({ world, browser, open }: Scene) {
  progress("no page, nothing changes");
  const aloneMs = await cpuOf(world, WINDOW_MS);
  await using _tab = await openTab(browser, world.link);
  await using _pages = await open(PAGES - 1);
  await setTimeout(SETTLE_MS);
  progress(`${PAGES} pages, nothing changes`);
  return perPage(aloneMs, await cpuOf(world, WINDOW_MS));
}

/** The same under change, and a tab that shows the fleet meanwhile. */
async function underChange({ world, browser, open }: Scene) {
  await using _changes = world.fleet.change();
  progress(`no page, ${CHANGES_PER_SECOND} changes a second`);
  const aloneMs = await cpuOf(world, WINDOW_MS);
  await using tab = await openTab(browser, world.link);
  await using pages = await open(PAGES - 1);
  progress(`${PAGES} pages, ${CHANGES_PER_SECOND} changes a second`);
  const start = await tab.memory();
  const before = pages.received();
  const pagesMs = await cpuOf(world, CHANGE_MS);
  const sent = sentBetween(before, pages.received());
  return { ...perPage(aloneMs, pagesMs), sent, tab: await endOf(tab, start) };
}

/** A person who opens pages under change, then filters. */
async function reading({ world, client, browser, open }: Scene, board: BullBoard) {
  await using changes = world.fleet.change();
  await using _others = await open(OTHER_PAGES);
  progress("first visits");
  const visits = await firstVisits(browser, world.link, board);
  await using tab = await openTab(browser, world.link);
  progress(`a Cluster of ${LARGE.machines} Machines`);
  const large = await openLarge(tab);
  progress("filters");
  await tab.page.goto(new URL("/", world.link).href);
  // The number of rows that is expected must not change between question and key.
  await changes[Symbol.asyncDispose]();
  const totalOf = async (q: string) =>
    (await client.read<Fleet>(`fleet?${new URLSearchParams({ q, limit: "1" })}`)).total;
  return { visits, large, filter: await filterKeys(tab, String(CLUSTERS - 1).length, totalOf) };
}

function perPage(aloneMs: number, pagesMs: number) {
  return { aloneMs, pagesMs, msPerPage: round((pagesMs - aloneMs) / PAGES, 2) };
}

async function startBrowser() {
  const browser = await startChromium();
  return Object.assign(browser, { [Symbol.asyncDispose]: () => browser.close() });
}

/** Every Cluster is known and current. */
async function untilReady(client: ConsoleClient, clusters: number): Promise<void> {
  const isReady = async (): Promise<boolean> => {
    const { total, stale } = await client.read<Fleet>("fleet?limit=1");
    return total === clusters && stale === undefined;
  };
  await eventually(isReady, { withinMs: 60_000 });
}

/** CPU milliseconds of the console in a second. */
async function cpuOf(world: ConsoleWorld, forMs: number): Promise<number> {
  const before = await world.usage();
  const at = performance.now();
  await setTimeout(forMs);
  const after = await world.usage();
  return round(((after.cpuSeconds - before.cpuSeconds) * 1_000) / ((performance.now() - at) / 1_000), 1);
}

type Received = ReturnType<OpenPages["received"]>;

/** In a second and page. */
function sentBetween(before: Received, after: Received) {
  const each = (of: keyof Received) => round((after[of] - before[of]) / (CHANGE_MS / 1_000) / (PAGES - 1), 1);
  return { messagesPerPage: each("messages"), bytesPerPage: each("bytes") };
}

/** Ends a tab that has shown the fleet under change. */
async function endOf(tab: Tab, start: TabMemory) {
  const longestTaskMs = await tab.longestTaskMs();
  const end = await tab.memory();
  const nodes = await tab.nodes();
  const growth = (end.heapMiB - start.heapMiB) / (CHANGE_MS / 3_600_000);
  return { longestTaskMs, nodes, start, end, heapMiBPerHour: round(growth, 1) };
}
