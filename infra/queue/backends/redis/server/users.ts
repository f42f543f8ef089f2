import { HINTS_CHANNEL } from "./hints-channel.ts";

/** Users of Redis, each for one kind of process. Source: S-24 */
export const REDIS_USERS = ["relay", "worker", "observer", "operator"] as const;
export type RedisUser = (typeof REDIS_USERS)[number];

const KEYS = "{cap:";
/** The read model, which only the relay writes. */
const STORE = `${KEYS}store:*`;
/** All other keys: patterns cannot leave one out, so these are the names that differ from it in their nth letter. */
const NOT_STORE = ["[^s]", "s[^t]", "st[^o]", "sto[^r]", "stor[^e]", "store[^:]"].map(
  (start) => `${KEYS}${start}*`,
);
/** Ledgers and dead letters, which a person may change. */
const LEDGERS = [`${KEYS}*}:l:*`, `${KEYS}*}:d:*`];
/** Further keys that a person may look at. Not the key that hides secrets: with it a guess of a secret could be checked. */
const SEEN = [
  STORE,
  `${KEYS}*history}:*`,
  `${KEYS}*}:samples`,
  `${KEYS}processes}:*`,
  `${KEYS}dead-letters}:functions`,
  // The owner of these data.
  `${KEYS}cluster}:owner`,
  // Tokens, for dashboards of BullMQ.
  `${KEYS}*}:run:*`,
];

/** Connection, scripts, and the checks at the start. INFO is dangerous, but shows no key. */
const CONNECTED =
  "+@connection +@transaction -@dangerous +eval +evalsha +eval_ro +evalsha_ro +time +info +cluster|slots";
const WORKING = `-@all +@read +@write ${CONNECTED}`;
const [PUBLISHES, SUBSCRIBES] = [`&${HINTS_CHANNEL} +publish`, `&${HINTS_CHANNEL} +subscribe`];

/** Rules of a user behind its password, in the syntax of an ACL file. */
export const RIGHTS: { readonly [U in RedisUser]: string } = {
  // Sends tokens, and waits for none.
  relay: `~${KEYS}* ${WORKING} -@blocking ${PUBLISHES}`,
  worker: `%R~${STORE} ${readAndWrite(NOT_STORE)} ${WORKING} ${PUBLISHES}`,
  // The console and the command line, when they only look; dashboards. A script counts as a write of its keys: what may
  // not be written is said by its commands.
  observer: `${readAndWrite([...LEDGERS, ...SEEN])} -@all +@read ${CONNECTED} -@blocking ${SUBSCRIBES}`,
  // The same with pause, resume, requeue and drop.
  operator: `${readAndWrite(LEDGERS)} ${SEEN.map((pattern) => `%R~${pattern}`).join(" ")} ${WORKING} -@blocking ${PUBLISHES} ${SUBSCRIBES}`,
};

function readAndWrite(patterns: readonly string[]): string {
  return patterns.map((pattern) => `~${pattern}`).join(" ");
}
