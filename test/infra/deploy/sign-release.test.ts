import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { appendFile, cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { renderRelease } from "../../../infra/deploy/release.ts";
import { signingKey, signRelease } from "../../../infra/deploy/sign-release.ts";
import { SIM_PROVIDERS } from "../../../infra/playground/release/providers.ts";
import { blocksIn } from "../../support/commands.ts";
import { testFolder } from "../../support/test-folder.ts";

const DIGEST = `sha256:${"5".repeat(64)}`;
const COMMIT = "c".repeat(40);
const OPTIONS = {
  providers: SIM_PROVIDERS,
  folder: "/releases",
  version: "v0.1.0",
  image: "ghcr.io/example/capstan",
  digest: DIGEST,
};
const shell = (command: string, cwd: string) => promisify(execFile)("bash", ["-ec", command], { cwd });
const pem = (pair: ReturnType<typeof generateKeyPairSync>) =>
  String(pair.privateKey.export({ type: "pkcs8", format: "pem" }));

/** The commands of the page that sign, and those that check, each a line. */
async function commands(): Promise<readonly (readonly string[])[]> {
  const blocks = await blocksIn("sh", "infra/deploy/README.md", "Signed");
  return blocks.map((lines) => lines.trim().split("\n"));
}

describe("a signed release", () => {
  const dir = testFolder("signed");

  it("S-63: is made and checked as README says, and a changed file is found", async () => {
    const [signing = [], checking = []] = await commands();
    for (const line of signing) {
      const own = line.replace(
        "npm run release --",
        `'${process.execPath}' '${process.cwd()}/infra/cli/release.ts'`,
      );
      await shell(line === own ? line : `${own} --no-build`, dir);
    }
    const release = join(dir, "releases");
    await cp(join(dir, "capstan.pub"), join(release, "capstan.pub"));
    const said = [];
    for (const line of checking) said.push((await shell(line, release)).stdout);
    expect(said[1]).toBe("Verified OK\n");
    expect(said[2]?.match(/: OK$/gm)?.length).toBeGreaterThan(10);
    const changed = "cluster-api/v0.1.0/core-components.yaml";
    await appendFile(join(release, changed), "# changed\n");
    await expect(shell(checking[2] ?? "", release)).rejects.toMatchObject({
      stdout: expect.stringContaining(`${changed}: FAILED`),
    });
    await appendFile(join(release, "signed/v0.1.0/SHA256SUMS"), `${"0".repeat(64)}  more\n`);
    await expect(shell(checking[1] ?? "", release)).rejects.toThrow();
  });

  it("S-63: says which commit and which image it is of", async () => {
    const files = await renderRelease(OPTIONS);
    const key = pem(generateKeyPairSync("ec", { namedCurve: "P-256" }));
    const provenanceOf = (commit?: string) => {
      const signed = signRelease(files, { ...OPTIONS, key: signingKey(key), commit });
      return JSON.parse(signed.get("signed/v0.1.0/provenance.json") ?? "");
    };
    const provenance = provenanceOf(COMMIT);
    expect(provenance).toMatchObject({
      _type: "https://in-toto.io/Statement/v1",
      predicateType: "https://slsa.dev/provenance/v1",
      predicate: {
        buildDefinition: {
          externalParameters: { version: "v0.1.0", image: OPTIONS.image },
          resolvedDependencies: [{ digest: { gitCommit: COMMIT } }],
        },
      },
    });
    expect(provenance.subject).toContainEqual({ name: OPTIONS.image, digest: { sha256: "5".repeat(64) } });
    const names = provenance.subject.map(({ name }: { readonly name: string }) => name);
    expect(names).toContain("cluster-api/v0.1.0/core-components.yaml");
    expect(names.filter((name: string) => name.startsWith("clusterctl"))).toEqual([]);
    expect(provenanceOf().predicate.buildDefinition.resolvedDependencies).toEqual([]);
  });

  it("S-63: refuses keys that cannot sign, without their content", async () => {
    const signing = (key: string) => () => signingKey(key);
    expect(signing("nonsense")).toThrow(
      /^the key is not a private key in PEM without a password .*openssl ecparam/,
    );
    expect(signing(pem(generateKeyPairSync("ed25519")))).toThrow("the key is ed25519, not ECDSA");
    expect(signing(pem(generateKeyPairSync("ec", { namedCurve: "P-384" })))).toThrow(
      "the key is ec, not ECDSA",
    );
    const file = join(dir, "wrong.key");
    await writeFile(file, "c4n4ry");
    const args = [
      `'${process.execPath}' infra/cli/release.ts ${dir}/other --version v0.1.0 --image ghcr.io/a/b`,
    ];
    for (const key of [file, join(dir, "missing.key")]) {
      const failed = shell(`${args} --sign-key ${key}`, process.cwd());
      await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.not.stringContaining("c4n4ry") });
    }
  });
});
