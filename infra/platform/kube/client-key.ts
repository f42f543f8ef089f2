import { createPrivateKey, type KeyObject } from "node:crypto";
import { invalid } from "./kubeconfig-entries.ts";

/** Signing takes a hundredth of a second with 4,096 bits, and ten seconds with 32,768, in which a process does nothing else. */
const MAX_BITS = 8_192;

/**
 * Throws TerminalError `InvalidKubeconfig` for a client key that signs too slowly for a process that serves others, too. A
 * text that holds no key is left to TLS, which says so (S-10).
 */
export function checkClientKey(pem: string | undefined): void {
  const { modulusLength = 0 } = keyIn(pem)?.asymmetricKeyDetails ?? {};
  if (modulusLength > MAX_BITS) {
    throw invalid(
      `field client-key-data has a key of ${modulusLength} bits; use an ECDSA key, or an RSA key of at most ${MAX_BITS} bits`,
    );
  }
}

function keyIn(pem: string | undefined): KeyObject | undefined {
  try {
    return pem === undefined ? undefined : createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
