import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import type { SamplesAnswer } from "../../infra/console/api/queue.ts";
import { eventually } from "../support/eventually.ts";
import { describeWith } from "../support/requires.ts";
import { chromiumMissing } from "./chromium.ts";
import type { Scene } from "./scene.ts";
import { SCENES } from "./scenes/all.ts";
import { startSetting } from "./setting.ts";
import { playScene, type Visit, visit } from "./visit.ts";

describeWith(chromiumMissing)("a person who looks for a cause", () => {
  const setting = startSetting();
  let visited: Visit;
  beforeAll(async () => {
    visited = await visit(setting, "/");
  });

  const sceneOf = (name: string): Scene => {
    const scene = SCENES.find((one) => one.name === name);
    if (scene === undefined) throw new Error(`there is no scene ${name}`);
    return scene;
  };
  const open = async (name: string): Promise<Page> => {
    await playScene(visited, setting.server, sceneOf(name));
    return visited.page;
  };
  /** The heading of the chosen run, of this function. */
  const chosen = (page: Page, name = "") => page.locator(".chosen h3", { hasText: name });

  it("walks the time line by the arrow keys, and from a run to those before and behind it", async () => {
    const page = await open("object");
    await page.locator(".lanes .failed").last().focus();
    for (const key of ["ArrowLeft", "ArrowRight", "Enter"]) await page.keyboard.press(key);
    await chosen(page, "machine-status").waitFor();
    await open("object-run");
    await chosen(page, "machine-sync").waitFor();
    await page.locator('.chain .effects[d^="M"]').waitFor({ state: "attached" });
    const { searchParams } = new URL(page.url());
    await page
      .getByRole("link", { name: /^machine-status for/ })
      .first()
      .click();
    await chosen(page, "machine-status").waitFor();
    await page.locator('.chain .causes[d^="M"]').waitFor({ state: "attached" });
    await page
      .getByRole("link", { name: /^machine-sync for/ })
      .first()
      .click();
    await chosen(page, "machine-sync").waitFor();
    expect(new URL(page.url()).searchParams.get("run")).toBe(searchParams.get("run"));
    await page.getByRole("button", { name: "Close" }).click();
    await chosen(page).waitFor({ state: "detached" });
  });

  it("unfolds idle runs and opens one of them", async () => {
    const page = await open("object-idle");
    await page.getByRole("button", { name: /^\d+ functions$/ }).click();
    const list = page.getByRole("grid", { name: "Runs" });
    await list.getByRole("link", { name: "machinepool-adopt" }).first().click();
    await chosen(page, "machinepool-adopt").waitFor();
  });

  it("opens what Enter asks for once the answer is there, and shows what is found meanwhile", async () => {
    const page = await open("fleet");
    const found = (name: string) => ({
      items: [{ place: { type: "cluster", namespace: "default", name }, title: `Cluster default/${name}` }],
    });
    setting.server.change("search?q=de", found("decoy"));
    setting.server.change("search?q=demo", found("demo"));
    await page.keyboard.press("Control+k");
    await page.keyboard.type("de");
    await page.getByText("Cluster default/decoy").first().waitFor();
    await page.keyboard.type("mo");
    await page.keyboard.press("Enter");
    await page.waitForURL(/clusters\/default\/demo$/);
  });

  it("loads what draws plots with the first plot", async () => {
    const page = await open("fleet");
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
    await page.reload();
    await page.getByRole("grid", { name: "Clusters" }).waitFor();
    expect(loaded).toContain("/page.js");
    expect(loaded).not.toContain("/plot.js");
    setting.server.play(sceneOf("queue"));
    await page.getByRole("link", { name: "Queue" }).click();
    await page.locator(".plot canvas").first().waitFor();
    expect(loaded).toContain("/plot.js");
  });

  it("shows how long runs took that are a minute apart, where no line is", async () => {
    const page = await open("queue-function");
    const path = "queue/machine-status/samples";
    const samples = sceneOf("queue-function").answers[path] as SamplesAnswer;
    const durations = page.locator(".plot canvas").nth(1);
    const change = (p50Ms: SamplesAnswer["p50Ms"]): void =>
      setting.server.change(path, { ...samples, p50Ms, p99Ms: samples.p99Ms.map(() => null) });
    const blue = () => durations.evaluate(countBlue);
    change(samples.p50Ms.map(() => null));
    await eventually(async () => (await blue()) === 0, { withinMs: 10_000 });
    change(samples.p50Ms.map((_, at) => (at % 6 === 0 ? 40 : null)));
    await eventually(async () => (await blue()) > 100, { withinMs: 10_000 });
  });
});

/** How many pixels of a canvas have the colour of the first line. */
function countBlue(canvas: Element): number {
  const { width, height } = canvas as HTMLCanvasElement;
  const { data } = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(0, 0, width, height) ?? {};
  let count = 0;
  for (let at = 0; at < (data?.length ?? 0); at += 4)
    if ((data?.[at + 3] ?? 0) > 200 && (data?.[at + 2] ?? 0) > (data?.[at] ?? 0) + 60) count += 1;
  return count;
}
