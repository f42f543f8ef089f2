import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openPage } from "../../infra/console/open-page.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import type { Reviewer } from "../../infra/worker/diagnostics/reviews.ts";
import { HANG_MS } from "../support/eventually.ts";
import { describeWith } from "../support/requires.ts";
import { serveSecureConsole } from "../support/secure-console.ts";
import { chromiumMissing, startChromium } from "./chromium.ts";

/** More than the six connections of HTTP/1 that a browser has for one server. */
const TABS = 9;
/** The token of ann, who may list Clusters anywhere. */
const REVIEWER: Reviewer = {
  review: async ({ kind }) => ({
    status: kind === "TokenReview" ? { authenticated: true, user: { username: "ann" } } : { allowed: true },
  }),
};

describeWith(chromiumMissing)("the tabs of a browser at a console over TLS", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  const signIn = async (page: Page, url: string): Promise<void> => {
    await page.goto(url);
    await page.getByLabel("Token of the API server").fill("of-ann");
    await page.getByRole("button", { name: "Sign in" }).click();
  };

  it("speak HTTP/2, so each has a stream of its own and is current at once", async () => {
    let version = "1.0.0";
    const process = { id: "worker-1", role: "worker", ready: true, reasons: [], functions: [] };
    const relay = async () => {
      const processes = [{ ...process, version, seenAt: new Date().toISOString() }];
      return { processes, connections: [], connected: 0 };
    };
    const parts = { hostNames: ["localhost"], reviewer: REVIEWER, clock: systemClock, page: openPage() };
    await using world = await serveSecureConsole({ ...parts, ports: { relay } });
    await using context = await browser.newContext({ ignoreHTTPSErrors: true });
    context.setDefaultTimeout(HANG_MS);
    const pages: Page[] = [];
    for (let tab = 0; tab < TABS; tab += 1) {
      const page = await context.newPage();
      await signIn(page, `https://localhost:${world.port}/relay`);
      await page.getByText("1.0.0").first().waitFor();
      pages.push(page);
    }
    for (const page of pages) await page.locator(".link-state", { hasText: /^Live$/ }).waitFor();
    version = "2.0.0";
    for (const page of pages) await page.getByText("2.0.0").first().waitFor();
    const protocols = await pages[0]?.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map((entry) => (entry as PerformanceResourceTiming).nextHopProtocol),
    );
    expect(new Set(protocols)).toEqual(new Set(["h2"]));
  });
});
