import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { startProbes } from "../../../infra/worker/probes.ts";
import { silentLog } from "../../support/silent-log.ts";

const LOCAL = { host: "127.0.0.1", port: 0 };

describe("probes of a kubelet", () => {
  it("says whether the process lives and is ready, without reasons", async () => {
    let isReady = false;
    await using probes = await startProbes({ address: LOCAL, isReady: () => isReady, log: silentLog });
    const ask = async (path: string, init?: RequestInit) => {
      const answer = await fetch(`http://127.0.0.1:${probes.port}${path}`, init);
      return [answer.status, await answer.text()];
    };
    expect(await ask("/livez")).toEqual([200, "ok\n"]);
    expect(await ask("/readyz")).toEqual([503, "not ready\n"]);
    isReady = true;
    expect(await ask("/readyz?verbose")).toEqual([200, "ok\n"]);
    expect(await ask("/status")).toEqual([404, "not found\n"]);
    expect(await ask("/livez", { method: "POST", body: "x" })).toEqual([405, "only GET\n"]);
  });

  it("answers at every address of the machine when none is given, whatever the Host header says", async () => {
    const address = { host: undefined, port: 0 };
    await using probes = await startProbes({ address, isReady: () => true, log: silentLog });
    const status = await new Promise((resolve, reject) => {
      const headers = { host: "10.1.2.3:9440" };
      request({ host: "127.0.0.1", port: probes.port, path: "/readyz", headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on("error", reject)
        .end();
    });
    expect(status).toBe(200);
  });

  it("names the address that is taken", async () => {
    await using first = await startProbes({ address: LOCAL, isReady: () => true, log: silentLog });
    const address = { host: "127.0.0.1", port: first.port };
    await expect(startProbes({ address, isReady: () => true, log: silentLog })).rejects.toThrow(
      `cannot serve /livez and /readyz at 127.0.0.1:${first.port}: `,
    );
  });
});
