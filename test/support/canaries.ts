import { gunzipSync } from "node:zlib";

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
    gunzipSync(Buffer.from(data, "base64")).toString("latin1"),
  );
  return [text, ...letters].join("\n");
}

/** Parts of a Secret that must not be found: its values, and of a kubeconfig the parts that open a door. */
export function secretsIn(data: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(data).flatMap((encoded) => {
    const text = Buffer.from(encoded, "base64").toString("utf8");
    const credentials = [...text.matchAll(/^\s*(?:token|client-key-data|password): "?([^\s"]{8,})/gm)];
    return [...(text.length < 12 ? [] : [text]), ...credentials.map(([, credential = ""]) => credential)];
  });
}
