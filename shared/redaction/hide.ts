/** Substitute of a secret: `hmac-sha256:<16 hex>`, equal for equal secrets of one installation. */
export type Hide = (secret: string) => string;

const ONLY_HIDDEN = /^hmac-sha256:(?:[0-9a-f]{16}|\*)$/;

/** Returns the substitute of `secret`; `secret` itself when it is hidden already, or empty. */
export function hidden(secret: string, hide: Hide): string {
  return secret === "" || ONLY_HIDDEN.test(secret) ? secret : hide(secret);
}
