import { expect, it } from "vitest";
import { buildPage } from "../../infra/console/build-page.ts";
import { openPage, readFrom } from "../../infra/console/open-page.ts";
import { eventually } from "../support/eventually.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";
import { chromiumMissing } from "./chromium.ts";
import { hostileAnswers, PAYLOADS } from "./payloads.ts";
import type { Scene } from "./scene.ts";
import { type SceneServer, startSceneServer } from "./scene-server.ts";
import { SCENES } from "./scenes/all.ts";
import { startSetting } from "./setting.ts";
import { type Visit, visit } from "./visit.ts";

const NAMES = [
  ...[
    "fleet",
    "cluster",
    "children",
    "object-run",
    "queue-function",
    "letters",
    "group",
    "letter",
    "relay",
    "search",
  ],
];
const HOSTILE = SCENES.filter(({ name }) => NAMES.includes(name));

/** Opens a scene with a payload in every text from outside, and waits until all its answers are drawn. */
async function playHostile(server: SceneServer, { page }: Visit, scene: Scene, text: string): Promise<void> {
  server.play({ answers: hostileAnswers(scene.answers, text) });
  await page.goto(`${server.origin}${scene.path}`);
  await page.locator(".bar").waitFor();
  await page.locator(".foreign").first().waitFor();
  await scene.opens?.(page, text);
  await page.waitForFunction(() => document.querySelector(".waiting-lines") === null);
}

/** Returns what a payload has achieved: scripts that ran, elements that it made, links that lead elsewhere. */
async function harmDone({ page, complaints }: Visit): Promise<readonly string[]> {
  const found = await page.evaluate(() => {
    const made = [
      ...document.querySelectorAll("script:not([src]), img, iframe, object, embed, form, b[data-hostile]"),
    ];
    const links = [...document.querySelectorAll<HTMLAnchorElement>("a[href]")];
    const odd = links.filter(({ origin }) => origin !== location.origin);
    return [
      ...("hacked" in window ? ["a script ran"] : []),
      ...made.map(({ outerHTML }) => `an element was made: ${outerHTML.slice(0, 100)}`),
      ...odd.map(({ href }) => `a link leads to ${href.slice(0, 100)}`),
      ...(document.documentElement.scrollWidth > innerWidth ? ["the page is wider than the screen"] : []),
    ];
  });
  return [...found, ...complaints];
}

describeWith(chromiumMissing)("text from outside", () => {
  const setting = startSetting({ headers: {} });

  it.each(HOSTILE)("$name shows payloads as text, also without a content security policy", async (scene) => {
    await using visited = await visit(setting, "/nowhere", {
      viewport: { width: 390, height: 800 },
    });
    for (const { name, text } of PAYLOADS) {
      await playHostile(setting.server, visited, scene, text);
      expect(await harmDone(visited), name).toEqual([]);
    }
  });

  it("in the address it is shown as text", async () => {
    setting.server.play({ answers: {} });
    await using visited = await visit(setting, "/nowhere");
    for (const { text } of PAYLOADS) {
      const name = encodeURIComponent(text.toWellFormed()).slice(0, 1_500).replace(/%.?$/, "");
      for (const path of [
        `/objects/${name}/${name}/${name}`,
        `/letters/x/${name}`,
        `/?q=${name}&state=${name}`,
      ]) {
        await visited.page.goto(`${setting.server.origin}${path}`);
        await visited.page.locator("h1").waitFor();
        expect(await harmDone(visited)).toEqual([]);
      }
    }
  });

  it("control and bidirectional characters are drawn as codes, and a text of 1 MiB is cut", async () => {
    const fleet = SCENES.find(({ name }) => name === "fleet")?.answers["fleet"] as {
      readonly items: readonly object[];
    };
    const [first = {}] = fleet.items;
    const items = [{ ...first, reason: `\u202Eeno${"x".repeat(1024 * 1024)}` }];
    const needs = items.map((item) => ({ ...item, count: 1 }));
    setting.server.play({ answers: { ...SCENES[0]?.answers, fleet: { ...fleet, items, needs } } });
    await using visited = await visit(setting, "/");
    const { page } = visited;
    await page.getByText("\\u202eeno").first().waitFor();
    await page.getByRole("button", { name: "show all" }).first().click();
    await page.getByText("more characters").first().waitFor();
    expect((await page.locator("main").textContent())?.length).toBeLessThan(30_000);
  });

  it("a planted sink is found, with the policy and without", async () => {
    const folder = testFolder("planted");
    const planted = {
      name: "planted",
      transform: (code: string, id: string) =>
        id.endsWith("parts/text.tsx")
          ? code.replace("{draw(shown)}", "<span dangerouslySetInnerHTML={{ __html: shown }} />")
          : null,
    };
    await buildPage(folder, { plugins: [planted] });
    const page = openPage(async () => (await readFrom(folder)) ?? new Map());
    const answers = hostileAnswers(HOSTILE[0]?.answers ?? {}, PAYLOADS[0]?.text ?? "");
    for (const options of [{ page }, { page, headers: {} }]) {
      await using open = await startSceneServer(options);
      open.play({ answers });
      await using visited = await visit({ browser: setting.browser, server: open }, "/");
      await eventually(async () => (await harmDone(visited)).length > 0, { withinMs: 10_000 });
    }
  });
});
