import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openPage } from "../../../infra/console/open-page.ts";

describe("the files of the page", () => {
  it("are built from the sources at the first visit, and are at most 60 KiB, compressed, and 30 more for plots", async () => {
    const read = openPage();
    const files = await Promise.all(["/", "/page.js", "/page.css", "/icon.svg"].map(read));
    const bytesOf = (file: Awaited<ReturnType<typeof read>>) => gzipSync(file?.body ?? "").length;
    const bytes = files.map(bytesOf);
    expect(bytesOf(await read("/plot.js"))).toBeLessThanOrEqual(30 * 1024);
    expect(files.map((file) => file?.contentType.split(";")[0])).toEqual([
      ...["text/html", "text/javascript", "text/css", "image/svg+xml"],
    ]);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(60 * 1024);
    expect(await read("/objects/Machine/a/b.c.d")).toBe(files[0]);
  });

  it("are built again after a build that failed", async () => {
    let times = 0;
    const read = openPage(async () => {
      times += 1;
      if (times === 1) throw new Error("no space left");
      return new Map([["/", { body: new Uint8Array(), contentType: "text/html" }]]);
    });
    await expect(read("/")).rejects.toThrow("no space left");
    expect(await read("/")).toBeDefined();
  });
});
