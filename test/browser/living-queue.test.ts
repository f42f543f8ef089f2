import { join } from "node:path";
import { Redis } from "ioredis";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ObjectAnswer } from "../../infra/console/api/object.ts";
import type { QueueAnswer } from "../../infra/console/api/queue.ts";
import type { Run, Runs } from "../../infra/console/api/runs.ts";
import { openClient } from "../support/console-client.ts";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { type CliProcess, runCli, startCli } from "../support/processes/cli.ts";
import { freePorts } from "../support/processes/free-ports.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { type RedisServer, redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";
import { chromiumMissing, startChromium } from "./chromium.ts";
import { consoleLink } from "./console-link.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };
const POOL = "MachinePool/default/demo-pool";

function byPlace(a: Pick<Run, "function" | "runId">, b: Pick<Run, "function" | "runId">): number {
  return `${a.function} ${a.runId}` < `${b.function} ${b.runId}` ? -1 : 1;
}

type Tree = ObjectAnswer["tree"];

/** All but what the command line reads live, which a console may not: what a step would do now, and who wrote last. */
function withoutLiveReads({ object, phase, nodes, conditions, functions, children, more }: Tree): object {
  const known = functions.map(({ function: name, key, history, deadLetter }) => ({
    function: name,
    key,
    history,
    deadLetter,
  }));
  return {
    ...{ object, phase, nodes, conditions, more, functions: known },
    children: children.map(withoutLiveReads),
  };
}

/** One deployment for all tests: server and cloud, relay, worker and console are processes that share a Redis. */
describeWith(chromiumMissing ?? redisMissing() ?? kubectlMissing())("a person beside capstan console", () => {
  const stack = new AsyncDisposableStack();
  let browser: Browser;
  let redis: RedisServer;
  let kubectl: Kubectl;
  let shared: readonly string[] = [];
  let address = "";
  let relay: CliProcess;
  let console: CliProcess;

  beforeAll(async () => {
    const dir = testFolder("living");
    const kubeconfig = join(dir, "kubeconfig");
    redis = stack.use(await startRedis());
    const served = ["--roles", "apiserver", "cloud", "--quiet", "--write-kubeconfig", kubeconfig];
    const server = stack.use(startCli(["up", ...served]));
    await eventually(() => expect(server.output()).toContain("kubectl"), WITHIN);
    kubectl = kubectlFor(kubeconfig);
    shared = ["--kubeconfig", kubeconfig, "--queue", redis.url];
    const [port = 0] = await freePorts(1);
    address = `127.0.0.1:${port}`;
    relay = startCli(["relay", ...shared]);
    stack.defer(() => relay[Symbol.asyncDispose]());
    stack.use(startCli(["worker", ...shared]));
    console = startConsole();
    stack.defer(() => console[Symbol.asyncDispose]());
    browser = await startChromium();
    stack.defer(() => browser.close());
    await kubectl("wait machinepool/demo-pool --for=condition=Available --timeout=240s");
  });
  afterAll(() => stack.disposeAsync());

  const startConsole = () => startCli(["console", ...shared, "--address", address]);
  const openFleet = async (): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(HANG_MS);
    const page = await context.newPage();
    await page.goto(await consoleLink(console));
    await page.evaluate(() => Object.assign(window, { isFirst: true }));
    return page;
  };
  /** The demo in the fleet, current, with so many Machines that are ready. */
  const untilCurrent = async (page: Page, machines: number): Promise<void> => {
    const demo = page.getByRole("row", { name: new RegExp(`default/demo .*${machines} / ${machines} `) });
    await demo.first().waitFor();
    // Several parts of the page may say so at once: the first of them goes last.
    await page.locator(".stale").first().waitFor({ state: "detached" });
    expect(await page.evaluate(() => "isFirst" in window)).toBe(true);
  };

  it("reads by the API what the command line prints with -o json", async () => {
    const client = await openClient(await consoleLink(console));
    const printed = async (...args: readonly string[]): Promise<unknown> => {
      const { code, output } = await runCli(...args, "-o", "json");
      expect(code, output).toBe(0);
      return JSON.parse(output);
    };
    // Runs of now and then come between the two looks.
    await eventually(async () => {
      const { items } = await client.read<QueueAnswer>("queue");
      const names = items.map((row) => row.function);
      const rows = (await printed("queue", "--queue", redis.url)) as QueueAnswer["items"];
      expect(rows.map((row) => row.function)).toEqual(names);
      const counts = ({ ready, waiting, running, dead }: QueueAnswer["items"][number]) => [
        ready,
        waiting,
        running,
        dead,
      ];
      expect(rows.map(counts)).toEqual(items.map(counts));
    }, WITHIN);
    await eventually(async () => {
      const { items } = await client.read<Runs>(`objects/${POOL}/runs?limit=200`);
      const runs = items.map(({ causedBy: _, caused: __, object: ___, ...run }) => run);
      const history = (await printed("history", "machinepool", "demo-pool", ...shared)) as Runs["items"];
      expect(history.toSorted(byPlace)).toEqual(runs.toSorted(byPlace));
    }, WITHIN);
    await eventually(async () => {
      const { tree } = await client.read<ObjectAnswer>(`objects/${POOL}`);
      const explained = (await printed("explain", "machinepool", "demo-pool", ...shared)) as Tree;
      expect(withoutLiveReads(explained)).toEqual(withoutLiveReads(tree));
    }, WITHIN);
  });

  it("sees in the tree of a Cluster what explain --watch prints", async () => {
    const page = await openFleet();
    await page
      .getByRole("row", { name: /default\/demo / })
      .getByRole("link")
      .first()
      .click();
    await using watched = startCli(["explain", "cluster", "default/demo", "--watch", ...shared]);
    for (const nodes of [3, 5, 3]) {
      const facts = `Running  ${nodes} of ${nodes} Nodes`;
      await kubectl(`scale machinepool demo-pool --replicas=${nodes}`);
      const words = facts.replaceAll("  ", " ");
      await page.getByRole("row", { name: new RegExp(`MachinePool demo-pool ${words}`) }).waitFor();
      await eventually(() => {
        const printed = watched.output().split("\n");
        const last = printed.findLast((line) => /^MachinePool default\/demo-pool .* Nodes/.test(line));
        expect(last).toContain(facts);
      }, WITHIN);
    }
    await page.context().close();
  });

  it("says that the relay is gone and Redis was emptied, and continues once it is back", async () => {
    const page = await openFleet();
    await untilCurrent(page, 9);
    await relay[Symbol.asyncDispose]();
    await page.getByText("relay away since").first().waitFor();
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    await page.getByText("no relay has given a sign of life").first().waitFor();
    await kubectl("scale machinepool demo-pool --replicas=4");
    relay = startCli(["relay", ...shared]);
    await untilCurrent(page, 10);
    await page.context().close();
  });

  it("says that the console was restarted, and continues after its new link was opened in another tab", async () => {
    const page = await openFleet();
    await untilCurrent(page, 10);
    await console[Symbol.asyncDispose]();
    await page.getByText("Not live for").first().waitFor();
    console = startConsole();
    const link = await consoleLink(console);
    await page.getByText("open the link that the terminal of this console shows").first().waitFor();
    const other = await page.context().newPage();
    await other.goto(link);
    await untilCurrent(page, 10);
    await page.context().close();
  });
});
