import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { NOW, type Scene, type Stage } from "./scene.ts";
import type { SceneServer } from "./scene-server.ts";
import type { Setting } from "./setting.ts";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** An open page, and what the browser complains about. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Errors on the console, thrown errors, and reports of the content security policy. */
  readonly complaints: string[];
}

/** Of a screen, in pixels. */
export const WIDE = { width: 1280, height: 800 } as const;

/** Opens a page of the console in a context of its own, with the clock of the browser at NOW. */
export async function visit(
  { browser, server }: Setting,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  context.setDefaultTimeout(HANG_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // The browser itself reports each answer of the API that is an error: scenes have them on purpose.
    if (message.type() === "error" && !message.location().url.includes("/api/v1/"))
      complaints.push(message.text());
  });
  await page.exposeFunction("reportViolation", (what: string) => complaints.push(what));
  await page.addInitScript(() => {
    const { reportViolation } = window as unknown as { reportViolation: (what: string) => void };
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
      reportViolation(`content security policy: ${violatedDirective} ${blockedURI}`);
    });
  });
  await page.clock.setFixedTime(NOW);
  await page.goto(`${server.origin}${path}`);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** Plays a scene in a page that is open, and waits for it. */
export async function playScene({ page }: Visit, server: SceneServer, scene: Scene): Promise<void> {
  server.play(scene);
  await page.goto(`${server.origin}${scene.path}`);
  await scene.act?.(page);
  // A narrow screen leaves out some columns.
  await page.getByText(scene.shows).first().waitFor({ state: "attached" });
  const isLoading = Object.values(scene.answers).includes(undefined);
  if (!isLoading) await page.waitForFunction(() => document.querySelector(".waiting-lines") === null);
  const me = scene.answers["me"];
  if (me !== undefined && "error" in me) return; // Signed out: the page shows no state of its stream.
  const isOld = me !== undefined && "stale" in me;
  const link = scene.isCut === true ? /^Not live/ : isOld ? /^Old/ : /^Live/;
  await page.locator(".link-state", { hasText: link }).waitFor();
}

/** A state of a page that has come. */
interface State {
  readonly name: string;
  /** The part of the document that its snapshot holds. */
  readonly root: Locator;
}

/** Yields the state of a scene that is played, then leads to those that follow. */
export async function* statesOf({ page }: Visit, stage: Stage, scene: Scene): AsyncIterable<State> {
  await drawn(page);
  yield { name: scene.name, root: page.locator("body") };
  for (const { name, act, shows } of scene.steps ?? []) {
    await act(page, stage);
    await page.getByText(shows).first().waitFor();
    await drawn(page);
    const dialog = page.getByRole("dialog");
    yield { name, root: (await dialog.isVisible()) ? dialog : page.locator("main") };
  }
}

/** A list draws its first rows at once and the others in a task behind the next frame. */
async function drawn(page: Page): Promise<void> {
  const frame = () => page.evaluate(() => new Promise(requestAnimationFrame));
  await frame();
  await frame();
}

/**
 * Returns violations that axe finds of WCAG 2.2 AA and good practice, one line for each element. `rules`: only these,
 * where nothing else has changed since all of them were checked.
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (await page.evaluate(() => !("axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async (only) => {
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    const rulesOf = only === undefined ? {} : { runOnly: [...only] };
    const found = await axe.run(document, { resultTypes: ["violations"], ...rulesOf });
    return found.violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary = "" }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary}`),
    );
  }, rules);
}

/** Returns the accessibility tree once two looks agree: an answer and the line of a stream may both change the page. */
export async function treeAtRest(root: Locator): Promise<string> {
  let last = "";
  return eventually(
    async () => {
      const before = last;
      last = await root.ariaSnapshot();
      return last === before && last;
    },
    { withinMs: HANG_MS, stepMs: 20 },
  );
}
