import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const LAUNCHER = fileURLToPath(new URL("../../../infra/cli/capstan.js", import.meta.url));
const ROOT = new URL("../../../", import.meta.url).href;

/** Prints the address of each module that the process has loaded, as the last line of standard error. */
const RECORDER = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  process.on("exit", () => process.stderr.write("\\n" + JSON.stringify(urls)));
`)}`;

/** Returns the files of Capstan and the packages that the command line loads for `words`. */
async function loadedFor(
  ...words: readonly string[]
): Promise<{ readonly files: readonly string[]; readonly packages: readonly string[] }> {
  const { stderr } = await run(process.execPath, ["--import", RECORDER, LAUNCHER, ...words]);
  const urls = JSON.parse(stderr.split("\n").at(-1) ?? "") as readonly string[];
  const files = urls.filter((url) => url.startsWith(ROOT)).map((url) => url.slice(ROOT.length));
  const packages = files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  return {
    files: files.filter((file) => !file.startsWith("node_modules/")),
    packages: [...new Set(packages)],
  };
}

it.each(["--help", "version", "help", "dlq --help", "help takeover"])(
  "loads no part of Capstan for %s",
  async (line) => {
    const { files, packages } = await loadedFor(...line.split(" "));
    expect(packages).toEqual(["commander"]);
    expect(files.length, files.join("\n")).toBeLessThan(20);
    expect(files.filter((file) => /\/(relay|worker|console|queue|kube)\//.test(file))).toEqual([]);
  },
);

it("loads only the subcommand whose help is asked for, in either order of the words", async () => {
  for (const words of [
    ["contract", "list", "--help"],
    ["contract", "help", "list"],
    ["help", "contract", "list"],
  ]) {
    const { files } = await loadedFor(...words);
    expect(files.filter((file) => /\/contract\/(check|probe|render|list)\.ts$/.test(file))).toEqual([
      expect.stringMatching(/\/contract\/list\.ts$/),
    ]);
  }
});

it.each(["plan", "start", "back", "retire"])("shows no default of takeover %s as JSON", async (name) => {
  const { stdout } = await run(process.execPath, [LAUNCHER, "takeover", name, "--help"]);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("(default: capi-system/capi-controller-manager)");
});

it("loads for explain neither a queue of another process nor the Kubernetes client", async () => {
  const { packages } = await loadedFor("explain", "--help");
  const heavy = ["@kubernetes/client-node", "@aws-sdk/client-sqs", "bullmq", "ioredis", "prom-client"];
  expect(packages.filter((name) => heavy.includes(name))).toEqual([]);
});
