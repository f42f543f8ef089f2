import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Exchange } from "./exchange.ts";
import type { User } from "./user.ts";

/** The users of one virtual server, known by their bearer tokens. */
export class Users {
  readonly #users = new Map<string, User>();

  /** The token that stands for this user from now on; random when absent. */
  add(user: User, token = randomBytes(24).toString("hex")): string {
    this.#users.set(token, user);
    return token;
  }

  /** The user with this name; for access reviews about another user. */
  named(name: string): User | undefined {
    return [...this.#users.values()].find((user) => user.name === name);
  }

  /**
   * The user of a client certificate: its common name. The organization `system:masters` may do everything, others what
   * the user of that name may.
   */
  withCertificate(certificate: Exchange["certificate"], now: Date): User | undefined {
    if (certificate === undefined || certificate === "untrusted" || certificate.notAfter < now)
      return undefined;
    const { commonName: name, organizations } = certificate;
    if (organizations.includes("system:masters")) return { name };
    return this.named(name) ?? { name, allow: [] };
  }

  /** Takes as long for a wrong token as for a right one. */
  withToken(given: string): User | undefined {
    let found: User | undefined;
    for (const [token, user] of this.#users) if (isSame(given, token)) found = user;
    return found;
  }
}

function isSame(given: string, token: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(token);
  return left.length === right.length && timingSafeEqual(left, right);
}
