import { gunzipSync } from "node:zlib";

/** In the Secrets that tests build: whatever shows it has leaked one. */
export const CANARY = "c4n4ry-s3cr3t-v4lue";
/** How the keys begin that Capstan puts into Secrets by itself. */
const KEYS = ["", "EC ", "RSA "].map((type) => `-----BEGIN ${type}PRIVATE KEY-----`);

/** Throws when an output shows what a Secret holds: every command and every Redis of the tests is looked at (S-21). */
export function refuseLeaks(name: string, output: string | Buffer): void {
  const leaks = leaksIn({ [name]: output }, [CANARY, ...KEYS]);
  if (leaks.length > 0) throw new Error(`${name} shows what a Secret holds`);
}

/** An output by name; a text or bytes as an attacker would find them. */
export type Outputs = Readonly<Record<string, string | Buffer>>;

/** The names of the outputs in which one of the secrets stands, in any form, with the secret. */
export function leaksIn(outputs: Outputs, secrets: readonly string[]): readonly string[] {
  const forms = secrets.map((secret) => ({ secret, forms: formsOf(secret) }));
  return Object.entries(outputs).flatMap(([name, output]) => {
    const text = unpacked(typeof output === "string" ? output : output.toString("latin1"));
    return forms.filter((each) => each.forms.some((form) => text.includes(form))).map(() => name);
  });
}

/** As it is, escaped in JSON, and in base64 wherever it begins there. */
function formsOf(secret: string): readonly string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const shifted = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(`${"x".repeat(offset)}${secret}`).toString("base64");
    // The first and last characters depend on what stands beside it.
    return encoded.replace(/=+$/, "").slice(offset === 0 ? 0 : 4, -3);
  });
  return [secret, escaped, ...shifted, Buffer.from(secret).toString("hex")];
}

/** The text, and behind it what letters hold that are stored compressed. */
function unpacked(text: string): string {
  const letters = [...text.matchAll(/gzip:([A-Za-z0-9+/]{16,}={0,2})/g)].map(([, data = ""]) =>
    unzipped(data),
  );
  return [text, ...letters].join("\n");
}

/** Nothing for a letter that a test has damaged. */
function unzipped(data: string): string {
  try {
    return gunzipSync(Buffer.from(data, "base64")).toString("latin1");
  } catch {
    return "";
  }
}

/** Parts of a Secret that must not be found: its values, and of a kubeconfig the parts that open a door. */
export function secretsIn(data: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(data).flatMap((encoded) => {
    const text = Buffer.from(encoded, "base64").toString("utf8");
    const credentials = [...text.matchAll(/^\s*(?:token|client-key-data|password): "?([^\s"]{8,})/gm)];
    return [...(text.length < 12 ? [] : [text]), ...credentials.map(([, credential = ""]) => credential)];
  });
}
