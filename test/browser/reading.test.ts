import type { Route } from "playwright-core";
import { expect, it } from "vitest";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { describeWith } from "../support/requires.ts";
import { chromiumMissing } from "./chromium.ts";
import { ago, MINUTE } from "./scene.ts";
import { fleetOf } from "./scenes/fleet.ts";
import { ME } from "./scenes/me.ts";
import { startSetting } from "./setting.ts";
import { visit } from "./visit.ts";

const item = (name: string, state: "dead" | "healthy" = "healthy") =>
  ({
    namespace: "default",
    name,
    state,
    phase: "Provisioned",
    since: ago(10.5 * MINUTE),
    machines: { desired: 3, ready: 3 },
    deadLetters: state === "dead" ? 1 : 0,
    failing: 0,
    ...(state === "dead" ? { reason: "machine-node gave up" } : {}),
  }) as const;
const NAMES = Array.from({ length: 200 }, (_, at) => `c-${String(at).padStart(3, "0")}`);
const calm = fleetOf(NAMES.map((name) => item(name)));
const troubled = fleetOf([item("new-trouble", "dead"), ...NAMES.map((name) => item(name))]);

const WITHIN = { withinMs: 60_000, stepMs: 50 };
const QUESTIONS = /\/api\/v1\/(me|fleet)/;

describeWith(chromiumMissing)("a person who reads", () => {
  const setting = startSetting();

  const streamsAsked = () => setting.server.asked.filter((path) => path.startsWith("stream?")).length;
  const openFleet = async () => {
    setting.server.play({ answers: { me: ME, fleet: calm } });
    const visited = await visit(setting, "/");
    await visited.page.getByText("c-000").first().waitFor();
    await visited.page.locator(".link-state", { hasText: /^Live/ }).waitFor();
    return visited;
  };

  it("sees new rows at once when no row is read", async () => {
    await using visited = await openFleet();
    setting.server.change("fleet", troubled);
    await visited.page
      .getByRole("row", { name: /new-trouble/ })
      .first()
      .waitFor();
  });

  it("sees the page current again as soon as its stream is back, although its questions failed before", async () => {
    await using visited = await openFleet();
    const { page } = visited;
    await page.route(QUESTIONS, (route) => route.abort());
    setting.server.cut(false);
    await page.locator(".link-state.lost").waitFor();
    await page.locator(".link-state", { hasText: /^Live$/ }).waitFor();
  });

  it("sees the page current again when a question of before fails after its stream is back", async () => {
    await using visited = await openFleet();
    const { page } = visited;
    const held: Route[] = [];
    await page.route(QUESTIONS, (route) => void held.push(route));
    setting.server.cut(false);
    await eventually(() => expect(held).toHaveLength(2), WITHIN);
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await page.locator(".link-state", { hasText: /^Live$/ }).waitFor();
    const streams = streamsAsked();
    for (const route of held) await route.abort();
    await eventually(() => expect(streamsAsked()).toBeGreaterThan(streams), WITHIN);
    await page.locator(".link-state", { hasText: /^Live$/ }).waitFor();
  });

  it("finds every row in its place while one has the focus, and takes the new ones by a button", async () => {
    await using visited = await openFleet();
    const { page } = visited;
    const first = page.locator(".grid .row").first();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.locator(".row:focus", { hasText: "c-001" }).waitFor();
    setting.server.change("fleet", troubled);
    const newer = page.getByRole("button", { name: "1 new" });
    await newer.waitFor();
    expect(await first.textContent()).toContain("c-000");
    await newer.click();
    await first.filter({ hasText: "new-trouble" }).waitFor();
  });

  it("has at most 1,500 nodes in a list of any length, which grows as it is read", async () => {
    const pages = { ...calm, next: "2" };
    const later = { ...fleetOf(NAMES.map((name) => item(`later-${name}`))), next: undefined };
    setting.server.play({ answers: { me: ME, fleet: pages, "fleet?limit=100&next=2": later } });
    await using visited = await visit(setting, "/");
    const { page } = visited;
    const grid = page.getByRole("grid");
    await grid.waitFor();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.getByText("c-199").first().waitFor();
    await page.waitForFunction(
      () => document.querySelector("[role=grid]")?.getAttribute("aria-rowcount") === "401",
    );
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.getByText("later-c-199").first().waitFor();
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThanOrEqual(1_500);
  });

  it("has all rows of the screen when what stood above the list goes, without a scroll", async () => {
    await using visited = await openFleet();
    const { page } = visited;
    const rows = page.locator("[data-row]");
    await page.evaluate(() => {
      const plot = Object.assign(document.createElement("div"), { id: "plot" });
      plot.style.height = "3000px";
      document.querySelector("main")?.prepend(plot);
    });
    await expect.poll(() => rows.count(), { timeout: HANG_MS }).toBe(12);
    await page.evaluate(() => document.querySelector("#plot")?.remove());
    await expect.poll(() => rows.count(), { timeout: HANG_MS }).toBeGreaterThan(20);
  });

  it("is shown that the stream is lost, and sees what changed meanwhile without a reload", async () => {
    await using visited = await openFleet();
    const { page } = visited;
    setting.server.cut(true);
    await page.getByText("Not live for").first().waitFor();
    setting.server.change("fleet", troubled);
    setting.server.cut(false);
    await page.locator(".link-state", { hasText: /^Live/ }).waitFor();
    await page
      .getByRole("row", { name: /new-trouble/ })
      .first()
      .waitFor();
  });

  it("gets everywhere by the keyboard", async () => {
    await using visited = await openFleet();
    const { page } = visited;
    await page.keyboard.press("/");
    await page.keyboard.type("c-00");
    await page.waitForURL(/q=c-00$/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.locator(".row:focus", { hasText: "c-001" }).waitFor();
    await page.keyboard.press("k");
    await page.locator(".row:focus", { hasText: "c-000" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/clusters\/default\/c-000$/);
    await page.waitForFunction(() => document.title === "c-000 in default · Capstan");
    await page.keyboard.press("g");
    await page.keyboard.press("q");
    await page.waitForURL(/queue$/);
    await page.goBack();
    await page.waitForURL(/clusters\/default\/c-000$/);
    await page.goBack();
    await page.waitForURL(/q=c-00$/);
    await page.locator(".row", { hasText: "c-000" }).first().waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("c-00");
  });

  it("sees ages by the clock of the server, however wrong the own clock is", async () => {
    await using visited = await openFleet();
    const { page } = visited;
    await page.clock.setFixedTime("2031-01-01T00:00:00Z");
    await page.reload();
    await page.locator(".grid .row", { hasText: "c-000" }).filter({ hasText: "10m" }).first().waitFor();
  });

  it("a hidden tab gives its stream back, and is current once it is seen again", async () => {
    await using visited = await openFleet();
    const { page } = visited;
    const streams = () => setting.server.asked.filter((path) => path.startsWith("stream")).length;
    const before = streams();
    await page.clock.install();
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.clock.runFor(11_000);
    setting.server.change("fleet", troubled);
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { value: false, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.clock.runFor(1_000);
    await page
      .getByRole("row", { name: /new-trouble/ })
      .first()
      .waitFor();
    expect(streams()).toBeGreaterThan(before);
  });
});
