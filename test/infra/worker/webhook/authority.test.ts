import { describe, expect, it } from "vitest";
import { x509 } from "../../../../infra/platform/pki/x509.ts";
import { base64, newAuthority, openAuthority, renewed } from "../../../../infra/worker/webhook/authority.ts";
import type { Secret } from "../../../../shared/api/core.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { virtualClock } from "../../../support/clock.ts";

const KEY = { namespace: "capstan-system", name: "capstan-webhook-ca" };
const DAY_MS = 24 * 60 * 60_000;

function serverWith(stored: Secret[]) {
  return {
    get: async () => stored[0] as never,
    create: async (_: unknown, secret: unknown) => {
      stored.push(secret as Secret);
      return secret as Secret;
    },
  };
}

describe("the authority of the webhook", () => {
  it("is made once, and read from its Secret ever after", async () => {
    const stored: Secret[] = [];
    const made = await openAuthority(serverWith(stored), KEY, virtualClock());
    expect(await openAuthority(serverWith(stored), KEY, virtualClock())).toEqual(made);
    expect(stored).toHaveLength(1);
  });

  it("is that of the other process where two make it at once", async () => {
    const clock = virtualClock();
    const { cert, key } = await newAuthority(clock);
    const other = { data: { "tls.crt": base64(cert), "tls.key": base64(key) } } as unknown as Secret;
    let looks = 0;
    const client = {
      get: async () => (looks++ === 0 ? undefined : other) as never,
      create: async () =>
        Promise.reject(
          new KubeError({ class: "Conflict", status: 409, reason: "AlreadyExists", message: "it exists" }),
        ),
    };
    expect(await openAuthority(client, KEY, clock)).toEqual({ cert, key });
  });

  it("is not replaced when the Secret holds something else, and no value is shown", async () => {
    const secret = { data: { "tls.crt": base64("secret-value") } } as unknown as Secret;
    const opened = openAuthority(serverWith([secret]), KEY, virtualClock());
    await expect(opened).rejects.toThrow(
      /^Secret capstan-system\/capstan-webhook-ca: tls.crt and tls.key are not/,
    );
  });

  it("signs a certificate that is renewed after sixty days, by the same authority", async () => {
    const clock = virtualClock();
    const authority = await newAuthority(clock);
    const serving = renewed(async () => authority, { dns: ["a.svc"], ips: [] }, clock);
    const first = await serving();
    expect(await serving()).toBe(first);
    await clock.advance(61 * DAY_MS);
    const next = await serving();
    expect(next.cert).not.toBe(first.cert);
    expect(next.ca).toBe(first.ca);
    expect(x509.read(next.cert)[0].notAfter > x509.read(first.cert)[0].notAfter).toBe(true);
  });
});
