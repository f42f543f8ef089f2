import type { Backend, Capabilities, Parts } from "./backend.ts";
import type { RedisAddress } from "./redis/server/connection.ts";
import { parseSqsUrl } from "./sqs/sqs-url.ts";

/** A queue, and how to reach its Redis. */
export interface QueueSource extends Omit<RedisAddress, "url"> {
  /** `memory`, `redis://…`, `rediss://…`, or `sqs://REGION?redis=…`. */
  readonly url: string;
}

interface Scheme {
  readonly urls: RegExp;
  readonly capabilities: Capabilities;
  /** The Redis that holds everything; undefined: none. Throws for a malformed URL, without showing it. */
  readonly redisUrl: (url: string) => string | undefined;
  readonly open: (url: string, address: RedisAddress) => Promise<Parts>;
}

/** The backends: each is one folder and one of these. */
const SCHEMES: readonly Scheme[] = [
  {
    urls: /^memory$/,
    capabilities: { isShared: false, keepsLetters: false, isPushed: false },
    redisUrl: () => undefined,
    open: async () => (await import("./embedded/backend.ts")).embeddedBackend(),
  },
  {
    urls: /^rediss?:\/\//,
    capabilities: { isShared: true, keepsLetters: true, isPushed: false },
    redisUrl: (url) => url,
    open: async (_, address) => (await import("./redis/backend.ts")).redisBackend(address),
  },
  {
    urls: /^sqs:/,
    capabilities: { isShared: true, keepsLetters: true, isPushed: true },
    redisUrl: (url) => parseSqsUrl(url).url,
    open: async (url, address) => (await import("./sqs/backend.ts")).sqsBackend(url, address),
  },
];

/** Throws for any other text, without showing it: it may contain a password. */
export function schemeOf(url: string): Scheme {
  const found = SCHEMES.find(({ urls }) => urls.test(url));
  if (found !== undefined) return found;
  throw new Error(
    "--queue is not a queue; use memory, a URL such as redis://127.0.0.1:6379, " +
      "or one such as sqs://eu-west-1?redis=redis://127.0.0.1:6379",
  );
}

/** Returns what other code may ask about a queue without opening it. */
export function capabilitiesOf({ url }: Pick<QueueSource, "url">): Capabilities {
  return schemeOf(url).capabilities;
}

/** Returns the URL of the Redis of a queue; undefined: it has none. */
export function redisUrlOf(url: string): string | undefined {
  return schemeOf(url).redisUrl(url);
}

/** Opens what keeps a queue and everything beside it. Loads that backend alone; its parts connect. */
export async function openBackend({ url, ...source }: QueueSource): Promise<Backend> {
  const { capabilities, redisUrl, open } = schemeOf(url);
  const { ca, newest, connections, mayLoseData } = source;
  const parts = await open(url, { url: redisUrl(url) ?? "", ca, newest, connections, mayLoseData });
  return { ...parts, capabilities };
}
