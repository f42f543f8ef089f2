import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:tls";
import { describe, expect, it } from "vitest";
import { createCertificateAuthority } from "../../../../infra/platform/pki/certificate-authority.ts";

/** Connects as a careful client. Returns "trusted", or the code of the error. */
async function meet(ca: string, credentials: { readonly key: string; readonly cert: string }) {
  const server = createServer(credentials).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const socket = connect({ port, host: "127.0.0.1", ca });
  try {
    return await once(socket, "secureConnect").then(
      () => "trusted",
      (error: NodeJS.ErrnoException) => error.code,
    );
  } finally {
    socket.destroy();
    server.close();
  }
}

describe("a certificate authority", () => {
  it("signs certificates for loopback", async () => {
    const authority = await createCertificateAuthority();
    const root = new X509Certificate(authority.cert);
    const leaf = new X509Certificate((await authority.issue()).cert);
    expect([root.ca, leaf.ca]).toEqual([true, false]);
    expect([root.verify(root.publicKey), leaf.verify(root.publicKey)]).toEqual([true, true]);
    expect([leaf.checkHost("localhost"), leaf.checkIP("127.0.0.1")]).toEqual(["localhost", "127.0.0.1"]);
    expect(leaf.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
    const ofOthers = [await authority.issue(), await (await createCertificateAuthority()).issue()];
    const numbers = ofOthers.map(({ cert }) => new X509Certificate(cert).serialNumber);
    expect(new Set([leaf.serialNumber, ...numbers]).size).toBe(3);
  });

  it("issues certificates that clients refuse, each for its reason", async () => {
    const { cert, issue } = await createCertificateAuthority();
    expect(await meet(cert, await issue())).toBe("trusted");
    expect(await meet(cert, await issue("expired"))).toBe("CERT_HAS_EXPIRED");
    expect(await meet(cert, await issue("wrongName"))).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(await meet(cert, await issue("unknownAuthority"))).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
  });
});
