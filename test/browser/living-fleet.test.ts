import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Runs } from "../../infra/console/api/runs.ts";
import { openClient } from "../support/console-client.ts";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { simCluster } from "../support/manifests.ts";
import { type CliProcess, startCli } from "../support/processes/cli.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";
import { chromiumMissing, startChromium } from "./chromium.ts";
import { consoleLink } from "./console-link.ts";

const WITHIN = { withinMs: 120_000, stepMs: 200 };
const LOST = "lost";
/** Beside the lost one. They are paused, so that they cost little. */
const OTHERS = 999;

function pausedCluster(name: string): string {
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: ${name}, namespace: fleet }
spec:
  paused: true
  infrastructureRef: { apiGroup: infrastructure.sim.capstan.dev, kind: SimCluster, name: ${name} }
`;
}

type Change = Runs["items"][number]["writes"][number]["changes"][number];

function isLoss({ path, value }: Change): boolean {
  return path === "status.conditions[RemoteConnectionProbe].status" && value === "False";
}

describeWith(chromiumMissing ?? kubectlMissing())("a person with 1,000 Clusters", () => {
  const stack = new AsyncDisposableStack();
  let browser: Browser;
  let up: CliProcess;
  let kubectl: Kubectl;
  let link = "";

  beforeAll(async () => {
    const dir = testFolder("living");
    const [kubeconfig, manifests] = [join(dir, "kubeconfig"), join(dir, "fleet.yaml")];
    const others = Array.from({ length: OTHERS }, (_, at) => pausedCluster(`c-${at}`));
    const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: { name: fleet }\n";
    await writeFile(manifests, [simCluster(LOST), namespace, ...others].join("---\n"));
    const files = ["--write-kubeconfig", kubeconfig, "--dead-letters", join(dir, "letters.jsonl")];
    const served = ["--console", "127.0.0.1:0", "--quiet", "-f", manifests, "--log-level", "info"];
    up = stack.use(startCli(["up", ...served, ...files]));
    browser = await startChromium();
    stack.defer(() => browser.close());
    kubectl = kubectlFor(kubeconfig);
    link = await consoleLink(up);
  });
  afterAll(() => stack.disposeAsync());

  /** Id of the newest run that wrote that the server of the lost Cluster is not reached. */
  const lostRun = async (): Promise<string> => {
    const client = await openClient(link);
    return eventually(async () => {
      const { items } = await client.read<Runs>(`clusters/default/${LOST}/runs?only=wrote&limit=200`);
      const run = items.find(({ writes }) => writes.some(({ changes }) => changes.some(isLoss)));
      expect(run).toBeDefined();
      return run?.runId ?? "";
    }, WITHIN);
  };

  it("finds a Cluster first whose kubeconfig is gone, with the reason, three clicks from the run that wrote it", async () => {
    await using context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(HANG_MS);
    const page = await context.newPage();
    await page.goto(link);
    await page.getByText("1,000 Clusters").first().waitFor();
    await kubectl(`wait cluster/${LOST} --for=condition=Available --timeout=240s`);
    // Its provider would make another one.
    await kubectl(`annotate simcontrolplane/${LOST} cluster.x-k8s.io/paused=`);
    await kubectl(`delete secret/${LOST}-kubeconfig`);
    const needs = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem");
    const first = needs.first();
    await first.getByText(`kubeconfig Secret default/${LOST}-kubeconfig does not exist`).first().waitFor();
    await kubectl(`wait cluster/${LOST} --for=condition=RemoteConnectionProbe=False --timeout=240s`);
    const id = await lostRun();
    await first.getByRole("link", { name: LOST }).click();
    await page.getByRole("link", { name: "Conditions and history" }).click();
    const runs = page.getByRole("grid", { name: "Runs" });
    await runs.scrollIntoViewIfNeeded();
    await runs.locator(`a[href*="${id}"]`).first().click();
    const chosen = page.getByRole("region", { name: "Chosen run" });
    await chosen.filter({ hasText: id }).first().waitFor();
    await chosen.getByText("status.conditions[RemoteConnectionProbe].status").first().waitFor();
    expect(up.output()).toContain(`"run":"${id}"`);

    // From the log to the run, without a click.
    await page.goto(new URL("/queue", link).href);
    await page.getByRole("heading", { name: "Queue" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type(id);
    await page.keyboard.press("Enter");
    await chosen.filter({ hasText: id }).first().waitFor();
    await chosen.getByText("status.conditions[RemoteConnectionProbe].status").first().waitFor();
  });
});
