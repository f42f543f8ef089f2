import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { type CliProcess, startCli } from "../support/processes/cli.ts";
import { freePorts } from "../support/processes/free-ports.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { startProxy, type TcpProxy } from "../support/processes/tcp-proxy.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";
import { chromiumMissing, startChromium } from "./chromium.ts";
import { consoleLink } from "./console-link.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };
/** More than the connections that a browser has for one server. */
const TABS = 8;

/** One running `up --console` for all tests, which a browser reaches through a network that can be cut. */
describeWith(chromiumMissing ?? kubectlMissing())("a person beside capstan up", () => {
  const stack = new AsyncDisposableStack();
  let browser: Browser;
  let up: CliProcess;
  let network: TcpProxy;
  let kubectl: Kubectl;
  let link = "";

  beforeAll(async () => {
    const dir = testFolder("living");
    const kubeconfig = join(dir, "kubeconfig");
    const [port = 0] = await freePorts(1);
    network = stack.use(await startProxy(`http://127.0.0.1:${port}`));
    const served = ["--console", `127.0.0.1:${port}`, "--host-name", new URL(network.url).host];
    const files = ["--write-kubeconfig", kubeconfig, "--dead-letters", join(dir, "letters.jsonl")];
    up = stack.use(startCli(["up", ...served, ...files, "--log-level", "info"]));
    browser = await startChromium();
    stack.defer(() => browser.close());
    kubectl = kubectlFor(kubeconfig);
    link = await consoleLink(up);
  });
  afterAll(() => stack.disposeAsync());

  const newContext = async (): Promise<BrowserContext> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(HANG_MS);
    return context;
  };
  const open = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(link);
    await page
      .getByRole("row", { name: /default\/demo/ })
      .first()
      .waitFor();
    return page;
  };
  /** The row of the demo in the fleet, once it has so many Machines and all of them are ready. */
  const demoWith = (page: Page, machines: number) =>
    page.getByRole("row", { name: new RegExp(`default/demo .*${machines} / ${machines} `) }).first();

  it("opens the link, and sees the demo come up and grow without a reload", async () => {
    await using context = await newContext();
    const page = await open(context);
    await page.evaluate(() => Object.assign(window, { isFirst: true }));
    await page
      .getByRole("row", { name: /default\/demo/ })
      .getByRole("link")
      .first()
      .click();
    const pool = (says: string) =>
      page.getByRole("row", { name: new RegExp(`MachinePool demo-pool.*${says}`) }).first();
    await pool("Running").waitFor();
    await kubectl("scale machinepool demo-pool --replicas=5");
    await pool("5 of 5 Nodes").waitFor();
    expect(await page.evaluate(() => "isFirst" in window)).toBe(true);
  });

  it("has eight tabs open at once, and all of them are current", async () => {
    await using context = await newContext();
    const pages: Page[] = [];
    for (let tab = 0; tab < TABS; tab += 1) pages.push(await open(context));
    await kubectl("scale machinepool demo-pool --replicas=6");
    for (const page of pages) await demoWith(page, 12).waitFor();
    await eventually(async () => {
      const states = await Promise.all(pages.map((page) => page.locator(".link-state").textContent()));
      expect(states.filter((state) => state === "Live")).toHaveLength(5);
      expect(states.filter((state) => state === "Every 2 s")).toHaveLength(3);
    }, WITHIN);
  });

  it("wakes a computer that slept for an hour, and the page is current with nothing twice", async () => {
    await using context = await newContext();
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(link);
    await kubectl("scale machinepool demo-pool --replicas=6");
    await demoWith(page, 12).waitFor();
    // As when it sleeps: no side notices that the other is gone.
    await network.cut("silent");
    await network.mend();
    await kubectl("scale machinepool demo-pool --replicas=4");
    await page.clock.fastForward("01:00:00");
    await demoWith(page, 10).waitFor();
    expect(await page.getByRole("row", { name: /default\/demo / }).count()).toBe(1);
    await page.locator(".link-state", { hasText: /^Live$/ }).waitFor();
  });
});
