import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { CANARY, refuseLeaks } from "./canaries.ts";
import { startCli } from "./processes/cli.ts";
import { redisMissing, startRedis } from "./processes/redis-server.ts";
import { plantInRedis } from "./redis-content.ts";
import { describeWith } from "./requires.ts";

describe("every output of the tests", () => {
  it.each([
    CANARY,
    `{"message":"a ${CANARY} b"}`,
    `ab${btoa(`x${CANARY}yz`)}cd`,
    `gzip:${gzipSync(`{"token":"${CANARY}"}`).toString("base64")}`,
    "-----BEGIN PRIVATE KEY-----\nabc",
    btoa("-----BEGIN EC PRIVATE KEY-----\nabc"),
  ])("S-21: is refused with a secret in it: %s", (output) => {
    expect(() => refuseLeaks("Events", output)).toThrow("Events shows what a Secret holds");
    expect(() => refuseLeaks("Events", Buffer.from(`\0${output}\0`))).toThrow("Events shows");
  });

  it("S-21: may hold certificates, names of Secrets and letters that are damaged", () => {
    const fine = ["-----BEGIN CERTIFICATE-----", "foo-kubeconfig", `gzip:${btoa("not a letter at all")}`];
    expect(() => refuseLeaks("Events", fine.join("\n"))).not.toThrow();
  });

  it("S-21: of a command is looked at when it ends", async () => {
    const cli = startCli(["explain", "machinepool", CANARY, "--kubeconfig", `/nonexistent/${CANARY}`]);
    await cli.ended;
    await expect(cli[Symbol.asyncDispose]()).rejects.toThrow("capstan explain shows what a Secret holds");
  });
});

describeWith(redisMissing())("every Redis of the tests", () => {
  it("S-21: is looked at when it ends", async () => {
    const [clean, leaking] = await Promise.all([startRedis(), startRedis()]);
    await plantInRedis(clean.url, "nothing");
    await clean[Symbol.asyncDispose]();
    await plantInRedis(leaking.url, `token: ${CANARY}`);
    await expect(leaking[Symbol.asyncDispose]()).rejects.toThrow("Redis shows what a Secret holds");
  });
});
