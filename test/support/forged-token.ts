import { type KeyObject, sign } from "node:crypto";

interface Claims {
  readonly exp: number;
}

/** The same token with another end, in seconds since 1970, signed with this key. */
export function forgedToken(token: string, key: KeyObject, exp: number): string {
  const [header = "", body = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Claims;
  const changed = Buffer.from(JSON.stringify({ ...claims, exp })).toString("base64url");
  const signature = sign("sha256", Buffer.from(`${header}.${changed}`), key).toString("base64url");
  return `${header}.${changed}.${signature}`;
}
