import { type PeerCertificate, TLSSocket } from "node:tls";
import type { Redis } from "ioredis";

/** Returns when the first certificate of the chain of a connected server ends; undefined without TLS. */
export function certificateEnd({ stream }: Pick<Redis, "stream">): Date | undefined {
  if (!(stream instanceof TLSSocket)) return undefined;
  const ends = chainOf(stream.getPeerCertificate(true)).map(({ valid_to }) => Date.parse(valid_to));
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}

/** Node.js gives an authority that signs itself as its own issuer, and an empty object once the connection has ended. */
function chainOf(first: Partial<Detailed>): readonly PeerCertificate[] {
  const chain: Detailed[] = [];
  let next: Partial<Detailed> | undefined = first;
  while (next?.valid_to !== undefined && !chain.includes(next as Detailed)) {
    chain.push(next as Detailed);
    next = next.issuerCertificate;
  }
  return chain;
}

interface Detailed extends PeerCertificate {
  readonly issuerCertificate?: Detailed;
}
