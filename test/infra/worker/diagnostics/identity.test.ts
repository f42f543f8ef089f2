import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Credentials } from "../../../../infra/platform/pki/pki.ts";
import { x509 } from "../../../../infra/platform/pki/x509.ts";
import { followIdentity, type Identity } from "../../../../infra/worker/diagnostics/identity.ts";
import { virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { recordingLog } from "../../../support/recording-log.ts";
import { testFolder } from "../../../support/test-folder.ts";
import { newAuthority, type TestAuthority } from "../../../support/tls-files.ts";

const WITHIN = { withinMs: 10_000, stepMs: 20 };
const LOOK_MS = 10_000;
const DAY_MS = 24 * 60 * 60_000;

let authority: TestAuthority;
let dir: string;
beforeAll(async () => {
  authority = await newAuthority();
  dir = testFolder("identity");
});

async function write({ cert, key }: Partial<Credentials>): Promise<void> {
  if (cert !== undefined) await writeFile(join(dir, "tls.crt"), cert);
  if (key !== undefined) await writeFile(join(dir, "tls.key"), key);
}

async function follow(files: { readonly certDir?: string; readonly clientCa?: string }) {
  const clock = virtualClock(new Date());
  const { log, lines } = recordingLog();
  const said = () => lines.map(({ fields, message }) => `${message} ${JSON.stringify(fields)}`);
  const changes: Identity[] = [];
  const identity = await followIdentity({
    ...files,
    clock,
    log,
    onChange: (next) => changes.push(next),
  });
  return { clock, said, changes, identity, [Symbol.dispose]: () => identity[Symbol.dispose]() };
}

describe("the certificate of the diagnostics", () => {
  it("is read again when its files change", async () => {
    const [first, second] = [await authority.issue("server"), await authority.issue("server")];
    await write(first);
    using world = await follow({ certDir: dir });
    expect(world.identity).toMatchObject(first);
    await world.clock.advance(LOOK_MS);
    await write(second);
    await world.clock.advance(LOOK_MS);
    await eventually(() => expect(world.changes).toEqual([{ ...second, ca: undefined }]), WITHIN);
  });

  it("stays when the next one cannot be used, which is said once, and is replaced by a good one", async () => {
    const [first, second] = [await authority.issue("server"), await authority.issue("server")];
    await write(first);
    using world = await follow({ certDir: dir });
    await write({ cert: second.cert });
    for (let look = 0; look < 3; look += 1) await world.clock.advance(LOOK_MS);
    await eventually(() => expect(world.said().join("\n")).toContain("does not belong"), WITHIN);
    expect(world.changes).toEqual([]);
    await write(second);
    await world.clock.advance(LOOK_MS);
    await eventually(() => expect(world.changes.length).toBe(1), WITHIN);
    expect(world.said().filter((line) => line.includes("does not belong")).length).toBe(1);
  });

  it("is used although it has expired, with one warning: clients refuse it", async () => {
    const expired = await authority.issue("server", { hours: -2 });
    await write(expired);
    using world = await follow({ certDir: dir });
    await world.clock.advance(2 * LOOK_MS);
    expect(world.identity).toMatchObject(expired);
    expect(world.said().filter((line) => line.includes("expired at")).length).toBe(1);
  });

  it("ends the start when it is missing, damaged or of another key, with the file and without its content", async () => {
    const good = await authority.issue("server");
    const crt = join(dir, "tls.crt");
    const key = join(dir, "tls.key");
    for (const [files, problem] of [
      [{ cert: "hunter2", key: good.key }, `${crt}: it holds no certificate that can be read`],
      [{ cert: good.cert, key: "hunter2" }, `${key}: it holds no private key that can be used`],
      [{ cert: (await newAuthority()).cert, key: good.key }, `${key}: the private key does not belong`],
      [{ cert: good.cert + "#".repeat(70_000), key: good.key }, `${crt}: it is larger than 65536 bytes`],
    ] as const) {
      await write(files);
      const started = follow({ certDir: dir });
      await expect(started).rejects.toThrow(problem);
      await expect(started).rejects.not.toThrow("hunter2");
    }
    await rm(crt);
    await expect(follow({ certDir: dir })).rejects.toThrow(`${crt}: the file is missing`);
    await expect(follow({ clientCa: dir })).rejects.toThrow(`${dir}: it is not a file`);
    await write(good);
    await expect(follow({ clientCa: crt })).rejects.toThrow("is not that of an authority");
  });

  it("signs itself where none is given, and is renewed long before its end", async () => {
    using world = await follow({});
    const [facts] = x509.read(world.identity.cert);
    expect(x509.fits(facts.publicKey, world.identity.key)).toBe(true);
    await world.clock.advance(LOOK_MS);
    expect(world.changes).toEqual([]);
    world.clock.standStill(250 * DAY_MS);
    await world.clock.advance(LOOK_MS);
    await eventually(() => expect(world.changes.length).toBe(1), WITHIN);
    const [renewed] = x509.read(world.changes[0]?.cert ?? "");
    expect(renewed.notAfter.getTime()).toBeGreaterThan(facts.notAfter.getTime());
  });
});
