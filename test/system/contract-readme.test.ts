import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { writeYaml } from "../../infra/platform/yaml/write-yaml.ts";
import { startCapstan } from "../support/capstan.ts";
import { blocksIn, commandsIn } from "../support/commands.ts";
import { goodCrd, goodTemplate, type RawCrd, without } from "../support/contract/crds.ts";
import { EMBEDDED } from "../support/processes/api-servers.ts";
import { testFolder } from "../support/test-folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const shell = promisify(execFile);

/** The repository of a provider, with Capstan beside its sources. */
async function providerWith(...crds: readonly RawCrd[]): Promise<string> {
  const provider = await mkdtemp(join(dir, "provider-"));
  await mkdir(join(provider, "config/crd/bases"), { recursive: true });
  await symlink(ROOT, join(provider, "capstan"));
  for (const crd of crds) {
    const { metadata, spec } = crd;
    const unlabelled = { ...crd, metadata: { name: metadata.name } };
    await writeFile(join(provider, `config/crd/bases/${spec.names.plural}.yaml`), writeYaml(unlabelled));
  }
  const [first] = crds;
  await writeFile(
    join(provider, "config/crd/kustomization.yaml"),
    writeYaml({
      commonLabels: first?.metadata.labels,
      resources: crds.map(({ spec }) => `bases/${spec.names.plural}.yaml`),
    }),
  );
  return provider;
}

function pathWithout(...folders: readonly string[]): string {
  const isOther = (folder: string) => !folders.includes(folder) && !folder.includes("node_modules");
  return (process.env["PATH"] ?? "").split(":").filter(isOther).join(":");
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
}

async function run(command: string, cwd: string, kubeconfig = ""): Promise<Ran> {
  // With the Node.js of the machine, which may be an old one.
  const env = { ...process.env, PATH: pathWithout(dirname(process.execPath)), KUBECONFIG: kubeconfig };
  try {
    const { stdout } = await shell("bash", ["-c", command], { cwd, env });
    return { code: 0, stdout };
  } catch (error) {
    const { code, stdout } = error as { readonly code: number; readonly stdout: string };
    return { code, stdout };
  }
}

const dir = testFolder("contract-readme");

describe("the guide for authors of providers", () => {
  it("has commands that work when they are copied", async () => {
    const provider = await providerWith(goodCrd("InfraMachinePool"), goodTemplate("InfraMachinePool"));
    await using server = await EMBEDDED.start();
    await using _capstan = await startCapstan(server.kubeconfigFile);
    const commands = await commandsIn("infra/guides/providers.md");
    expect(commands.length).toBeGreaterThan(3);
    for (const command of commands)
      expect((await run(command, provider, server.kubeconfigFile)).code, command).toBe(0);
  });

  it("has a workflow with an Action whose check writes SARIF that points into the repository, and fails when a MUST is broken", async () => {
    const [workflow = ""] = await blocksIn("yaml", "infra/guides/providers.md");
    const [, action = ""] = /uses: OWNER\/capstan\/(.*)@v/.exec(workflow) ?? [];
    const text = await readFile(join(ROOT, action, "action.yml"), "utf8");
    const [, command = ""] = /- run: (.*contract check.*)/.exec(text) ?? [];
    expect(command).toContain("-o sarif > contract.sarif");
    const check = `GITHUB_ACTION_PATH=${join(ROOT, action)} CHECKED=config/crd OPTIONS=; ${command}`;
    const good = await providerWith(goodCrd("InfraMachine"), goodTemplate("InfraMachine"));
    expect((await run(check, good)).code).toBe(0);

    const crd = goodCrd("InfraMachine");
    without(crd, "v1beta2", "spec.providerID");
    const broken = await providerWith(crd);
    expect((await run(check, broken)).code).toBe(1);
    const log = JSON.parse(await readFile(join(broken, "contract.sarif"), "utf8"));
    const [result, ...more] = log.runs[0].results;
    expect(more).toEqual([]);
    expect(result.ruleId).toBe("IM-13");
    const { artifactLocation, region } = result.locations[0].physicalLocation;
    expect(artifactLocation.uri).toBe("config/crd/bases/foomachines.yaml");
    const lines = (await readFile(join(broken, artifactLocation.uri), "utf8")).split("\n");
    // The fields of the spec, where providerID is missing.
    expect(lines[region.startLine - 3]?.trim()).toBe("spec:");
  });
});
