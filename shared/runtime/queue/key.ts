import type { ObjectKey } from "../../api/kinds.ts";

/**
 * One unit of work of a function, as text:
 * `<cluster namespace>/<cluster name or ->|<kind>|<namespace>/<name>`.
 * The part before the first `|` is the tenant (fairness, Q-12). At most 480 bytes; the queue puts
 * `<function>|` in front. Identity is this text.
 */
export type Key = string;

export interface KeyParts extends ObjectKey {
  readonly tenant: string;
  readonly kind: string;
}

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const TENANT = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/(-|[a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/;
const KIND = /^[A-Za-z][A-Za-z0-9-]{0,62}$/;
const MAX_KEY_BYTES = 480;

export function formatKey(parts: KeyParts): Key {
  return `${parts.tenant}|${parts.kind}|${parts.namespace}/${parts.name}`;
}

/** The parts of a key, `undefined` when the text is not a key (hostile or damaged token, Q-28). */
export function parseKey(key: Key): KeyParts | undefined {
  if (key.length > MAX_KEY_BYTES) return undefined;
  const [tenant, kind, object, ...rest] = key.split("|");
  if (tenant === undefined || kind === undefined || object === undefined || rest.length > 0) return undefined;
  const slash = object.indexOf("/");
  const namespace = object.slice(0, slash);
  const name = object.slice(slash + 1);
  if (slash < 0 || !NAME.test(name) || (namespace !== "" && !NAME.test(namespace))) return undefined;
  if (!TENANT.test(tenant) || !KIND.test(kind)) return undefined;
  return { tenant, kind, namespace, name };
}
