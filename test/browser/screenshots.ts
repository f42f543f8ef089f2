import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startChromium } from "./chromium.ts";
import { PICTURE_SIZE, PICTURES, PICTURES_FOLDER, stateNames } from "./pictures.ts";
import type { Scene } from "./scene.ts";
import { type SceneServer, startSceneServer } from "./scene-server.ts";
import { SCENES } from "./scenes/all.ts";
import { playScene, statesOf, type Visit, visit, WIDE } from "./visit.ts";

/** Which pictures are taken, and where they go. */
interface Plan {
  readonly folder: string;
  readonly widths: readonly number[];
  readonly height: number;
  readonly schemes: readonly ("light" | "dark")[];
  readonly isWanted: (state: string) => boolean;
  readonly fileOf: (state: string, scheme: string, width: number) => string;
}

/** Of everything, or of states whose name has this part. In no commit: they are there to be looked at. */
const toLookAt = (part: string): Plan => ({
  folder: fileURLToPath(new URL("../../.capstan/screenshots/", import.meta.url)),
  widths: [WIDE.width, 1024, 390],
  height: WIDE.height,
  schemes: ["light", "dark"],
  isWanted: (state) => state.includes(part),
  fileOf: (state, scheme, width) => `${state}-${scheme}-${width}.png`,
});

const FOR_README: Plan = {
  folder: PICTURES_FOLDER,
  widths: [PICTURE_SIZE.width],
  height: PICTURE_SIZE.height,
  schemes: ["light"],
  isWanted: (state) => PICTURES.some((each) => each === state),
  fileOf: (state) => `${state}.png`,
};

/** Runs `npm run screenshots [-- PART | pictures]`. */
async function takeScreenshots(part = ""): Promise<void> {
  const plan = part === "pictures" ? FOR_README : toLookAt(part);
  if (part === "" || part === "pictures") await rm(plan.folder, { recursive: true, force: true });
  await mkdir(plan.folder, { recursive: true });
  const browser = await startChromium();
  await using server = await startSceneServer();
  const visited = await visit({ browser, server }, "/");
  for (const scene of SCENES.filter((each) => stateNames(each).some(plan.isWanted))) {
    for (const width of plan.widths) await take(visited, server, scene, { ...plan, width });
  }
  await browser.close();
  console.log(`the screenshots are in ${plan.folder}`);
}

async function take(
  visited: Visit,
  server: SceneServer,
  scene: Scene,
  { width, height, schemes, folder, isWanted, fileOf }: Plan & { readonly width: number },
): Promise<void> {
  const { page } = visited;
  await page.setViewportSize({ width, height });
  await playScene(visited, server, scene);
  for await (const { name } of statesOf(visited, server, scene)) {
    for (const colorScheme of isWanted(name) ? schemes : []) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}${fileOf(name, colorScheme, width)}` });
    }
  }
}

await takeScreenshots(process.argv[2]);
