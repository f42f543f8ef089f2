import { isIP } from "node:net";

/** Where the workload API servers of a cloud are. */
export interface CloudAddress {
  /** The address for clients: an address or a DNS name. */
  readonly announced: string;
  /** Where the servers listen; `undefined`: on all addresses of this machine. */
  readonly listen: string | undefined;
  /** Where this process reaches them itself. */
  readonly own: string;
}

const LOOPBACK = "127.0.0.1";

export const LOOPBACK_ADDRESS: CloudAddress = Object.freeze({
  announced: LOOPBACK,
  listen: LOOPBACK,
  own: LOOPBACK,
});

/** DNS names: at most 253 characters in labels of at most 63. */
const NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;

/**
 * Reads an IP address of this machine, or a DNS name that leads to it: then the servers listen on all addresses. Throws
 * TypeError for any other text, also for one with a port.
 */
export function parseCloudAddress(text: string): CloudAddress {
  const name = text.toLowerCase();
  if (isUnspecified(name)) {
    throw new TypeError(`${text} cannot be reached by a client; name the address of this machine`);
  }
  if (name === "localhost") return LOOPBACK_ADDRESS;
  if (isIP(name) !== 0) return { announced: name, listen: name, own: name };
  if (!NAME.test(name)) {
    throw new TypeError(`${text} is neither an IP address nor a DNS name; write one without scheme and port`);
  }
  return { announced: name, listen: undefined, own: LOOPBACK };
}

function isUnspecified(address: string): boolean {
  return address === "0.0.0.0" || (isIP(address) === 6 && /^[0:]*$/.test(address));
}
