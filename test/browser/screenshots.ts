import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startChromium } from "./chromium.ts";
import { startSceneServer } from "./scene-server.ts";
import { SCENES } from "./scenes/all.ts";
import { visitScene } from "./visit.ts";

/** In no commit: they are there to be looked at. */
const FOLDER = fileURLToPath(new URL("../../.capstan/screenshots/", import.meta.url));
const WIDTHS = [1280, 390] as const;
const SCHEMES = ["light", "dark"] as const;

/** Runs `npm run screenshots [NAME]`: writes a picture of each scene, light and dark, wide and narrow. */
async function takeScreenshots(wanted: string | undefined): Promise<void> {
  if (wanted === undefined) await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const browser = await startChromium();
  await using server = await startSceneServer();
  for (const scene of SCENES.filter(({ name }) => wanted === undefined || name.includes(wanted))) {
    for (const width of WIDTHS) {
      await using visited = await visitScene(browser, server, scene, { viewport: { width, height: 800 } });
      for (const colorScheme of SCHEMES) {
        await visited.page.emulateMedia({ colorScheme });
        await visited.page.screenshot({ path: `${FOLDER}${scene.name}-${colorScheme}-${width}.png` });
      }
    }
  }
  await browser.close();
  console.log(`screenshots of ${SCENES.length} scenes are in ${FOLDER}`);
}

await takeScreenshots(process.argv[2]);
