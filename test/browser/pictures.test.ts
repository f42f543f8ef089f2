import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { PICTURE_SIZE, PICTURES, PICTURES_FOLDER, stateNames } from "./pictures.ts";
import { SCENES } from "./scenes/all.ts";

const MAX_BYTES = 150 * 1024;

describe("the pictures of the pages", () => {
  it("are screenshots of states that the tests compare, small, and all of them are shown", async () => {
    expect(SCENES.flatMap(stateNames)).toEqual(expect.arrayContaining([...PICTURES]));
    expect(new Set(await readdir(PICTURES_FOLDER))).toEqual(new Set(PICTURES.map((name) => `${name}.png`)));
    const pages = ["README.md", "infra/console/README.md"].map((page) => readFile(page, "utf8"));
    const shown = (await Promise.all(pages)).join("\n");
    for (const name of PICTURES) {
      const png = await readFile(`${PICTURES_FOLDER}${name}.png`);
      expect(png.subarray(1, 4).toString("latin1")).toBe("PNG");
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([PICTURE_SIZE.width, PICTURE_SIZE.height]);
      expect(png.length).toBeLessThanOrEqual(MAX_BYTES);
      expect(shown).toContain(`page/pictures/${name}.png)`);
    }
  });
});
