import { x509 } from "../../../infra/platform/pki/x509.ts";

const HOUR_MS = 60 * 60_000;

/** An authority whose clients a server accepts. */
export async function newClientAuthority() {
  const { publicKey, privateKey: key } = await x509.newKeys();
  const times = () => ({
    notBefore: wholeSecond(Date.now() - HOUR_MS),
    notAfter: wholeSecond(Date.now() + 24 * HOUR_MS),
  });
  const cert = await x509.sign({
    subject: { commonName: "clients" },
    publicKey,
    ...times(),
    use: "authority",
    signer: { key },
  });
  return {
    /** PEM */
    certificate: cert,
    /** Members of a user in a kubeconfig. */
    async credentialsOf(commonName: string, organization?: string): Promise<object> {
      const client = await x509.newKeys();
      const certificate = await x509.sign({
        subject: { commonName, ...(organization === undefined ? {} : { organization }) },
        publicKey: client.publicKey,
        ...times(),
        use: "client",
        signer: { key, cert },
      });
      const data = (text: string) => Buffer.from(text).toString("base64");
      return { "client-certificate-data": data(certificate), "client-key-data": data(client.privateKey) };
    },
  };
}

/** Certificates know no smaller part of a time. */
function wholeSecond(ms: number): Date {
  return new Date(Math.floor(ms / 1_000) * 1_000);
}
