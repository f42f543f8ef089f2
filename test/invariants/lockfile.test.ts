import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type LockedPackage, type LockedPackages, lockfileProblems } from "../support/lockfile.ts";

const read = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../${name}`, import.meta.url), "utf8"));
const [{ packages }, manifest]: [{ packages: LockedPackages }, Record<string, Record<string, string>>] =
  await Promise.all([read("package-lock.json"), read("package.json")]);

const problemsWith = (change: LockedPackage, folder = "node_modules/zod") =>
  lockfileProblems({ ...packages, [folder]: { ...packages[folder], ...change } });

describe("the packages that npm ci installs", () => {
  it("S-60: each is an archive of the registry with a SHA-512, a known licence and no script", () => {
    expect(lockfileProblems(packages)).toEqual([]);
    expect(Object.keys(packages).length).toBeGreaterThan(100);
  });

  it("S-60: a lock that lacks one of these is refused", () => {
    const { integrity: _, ...bare } = packages["node_modules/zod"] ?? {};
    const optional = { ...bare, dev: true, optional: true };
    for (const found of [bare, optional])
      expect(lockfileProblems({ ...packages, "node_modules/zod": found })).toEqual([
        "node_modules/zod has no integrity",
      ]);
    expect(lockfileProblems({ ...packages, "node_modules/a/node_modules/zod": bare })).toHaveLength(1);
    for (const change of [
      { integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" },
      { integrity: `sha512-${"A".repeat(86)}== sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=` },
      { resolved: "https://registry.npmjs.org.example.com/zod/-/zod-4.6.7.tgz" },
      { resolved: "http://registry.npmjs.org/zod/-/zod-4.6.7.tgz" },
      { resolved: "git+ssh://git@github.com/colinhacks/zod.git#v4" },
      { resolved: "file:../zod" },
      { version: "latest" },
      { license: "AGPL-3.0" },
      { license: "MPL-2.0" },
      { hasInstallScript: true },
      { link: true },
      { inBundle: true },
    ])
      expect(problemsWith(change)).toEqual([expect.stringMatching(/^node_modules\/zod /)]);
    expect(problemsWith({ resolved: "https://registry.npmjs.org/zod/-/zod-4.6.7.tgz" })).toEqual([]);
  });

  it("S-60: a package that needs no excuse any more leaves the list of those without integrity", () => {
    const folder = "node_modules/@biomejs/cli-darwin-arm64";
    const { [folder]: _, ...others } = packages;
    expect(lockfileProblems(others)).toEqual([expect.stringContaining("needs no excuse")]);
    const { integrity = "" } = packages["node_modules/zod"] ?? {};
    expect(problemsWith({ integrity }, folder)).toEqual([expect.stringContaining("needs no excuse")]);
    expect(problemsWith({ optional: false }, folder)).toEqual([`${folder} has no integrity`]);
  });

  it("S-60: at most 15 are asked for by the product, all in one exact version", () => {
    const { dependencies = {}, devDependencies = {} } = manifest;
    expect(Object.keys(dependencies).length).toBeLessThanOrEqual(15);
    const asked = Object.entries({ ...dependencies, ...devDependencies });
    expect(asked.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    for (const [name, version] of asked) expect(packages[`node_modules/${name}`]?.version).toBe(version);
  });
});
