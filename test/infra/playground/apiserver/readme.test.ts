import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startApiServer } from "../../../../infra/playground/apiserver/server.ts";
import { kubectlMissing } from "../../../support/processes/kubectl.ts";
import { describeWith } from "../../../support/requires.ts";
import { testFolder } from "../../../support/test-folder.ts";

const PAGE = new URL("../../../../infra/playground/apiserver/README.md", import.meta.url);
const ROOT = new URL("../../../..", import.meta.url).pathname;

interface Command {
  readonly line: string;
  /** Output that the page shows. */
  readonly output: string;
}

/** The commands of the page's console blocks: `$ ` before each, its output below. */
async function commandsOfPage(): Promise<readonly Command[]> {
  const page = await readFile(PAGE, "utf8");
  const blocks = [...page.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((entry) => {
        const [line = ""] = entry.split("\n", 1);
        return { line, output: entry.slice(line.length + 1) };
      }),
  );
}

/** Both streams, whether the command succeeds or not. */
function run(line: string, kubeconfig: string): Promise<string> {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  const path = [...(assets ? [assets] : []), process.env["PATH"] ?? ""].join(":");
  const env = { ...process.env, PATH: path, KUBECONFIG: kubeconfig };
  return new Promise((resolve) => {
    execFile("sh", ["-c", `{ ${line}\n} 2>&1`], { env, cwd: ROOT }, (_, stdout) => resolve(stdout));
  });
}

/** Without what differs from run to run, and from kubectl to kubectl. */
function lasting(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "UID")
    .replaceAll(/20\d\d-\d\d-\d\dT[\d:]{8}Z/g, "TIME")
    .replaceAll(/(resourceVersion: "|Resource Version: +)\d+/g, "$1N")
    .replaceAll(" from default namespace", "");
}

describeWith(kubectlMissing())("the page of the embedded API server", () => {
  it("shows what its commands print", async () => {
    const commands = await commandsOfPage();
    const dir = testFolder("page");
    const kubeconfig = join(dir, "kubeconfig");
    await using server = await startApiServer({ name: "capstan" });
    await writeFile(kubeconfig, server.kubeconfig(), { mode: 0o600 });
    for (const { line, output } of commands) {
      expect(lasting(await run(line, kubeconfig)), line).toBe(lasting(output));
    }
    expect(commands.map(({ line }) => line).join("\n")).toMatch(
      /--server-side[\s\S]*--show-managed-fields[\s\S]*--cascade=foreground/,
    );
  });
});
