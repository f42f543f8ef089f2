const SENSITIVE =
  /token|passw(?:or)?d|passphrase|passcode|secret|key|cert|authorization|cookie|credential|kubeconfig|signature|(?:bootstrap|user|custom)[-_]?data|cloud[-_]?(?:init|config)|connection[-_]?string|ignition/i;
/** Files, scripts, commands and environments of machines may hold any secret of a user. */
const FREE =
  /^(?:content|contents|script|scripts|env|environment|args|extraargs|sig|\w{0,40}commands?|\w{0,4}cmd)$/i;
/** A field that ends like this describes a secret, it does not hold one: `dataSecretName`, `secretRef`. */
const DESCRIBES =
  /(?:name|namespace|reference|ref|kind|created|ready|expiry|date|days|seconds|ttl|size|algorithm|path|dir|type|count|format|usage|hash)s?$/i;
/** No field of an API has a longer name. */
const MAX_NAME_CHARACTERS = 512;

/** Returns whether a field, header, flag or parameter of this name holds a secret. */
export function isSensitiveName(name: string): boolean {
  if (name.length > MAX_NAME_CHARACTERS) return true;
  return (
    (FREE.test(name) || SENSITIVE.test(name)) && !describesSecret(name) && !name.startsWith("x-kubernetes-")
  );
}

/** Returns whether a field of this name holds the place or size of a secret: `dataSecretName`, `secretRef`. */
export function describesSecret(name: string): boolean {
  return DESCRIBES.test(name);
}
