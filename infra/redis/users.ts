/** Users of Redis, each for one kind of process. Source: D-204, S-24 */
export const REDIS_USERS = ["relay", "worker", "observer"] as const;
export type RedisUser = (typeof REDIS_USERS)[number];

const KEYS = "{cap:";
/** The read model, which only the relay writes. */
const STORE = `${KEYS}store:*`;
/** All other keys: patterns cannot leave one out, so these are the names that differ from it in their nth letter. */
const NOT_STORE = ["[^s]", "s[^t]", "st[^o]", "sto[^r]", "stor[^e]", "store[^:]"].map(
  (start) => `${KEYS}${start}*`,
);

/** Connection, scripts of the ledger, and the checks at the start. INFO is dangerous, but shows no key. */
const WORKING =
  "-@all +@read +@write +@connection +@transaction -@dangerous +eval +evalsha +time +info +cluster|slots";

/** Rules of a user behind its password, in the syntax of an ACL file. */
export const RIGHTS: { readonly [U in RedisUser]: string } = {
  // Sends tokens, and waits for none.
  relay: `~${KEYS}* ${WORKING} -@blocking`,
  worker: `%R~${STORE} ${NOT_STORE.map((pattern) => `~${pattern}`).join(" ")} ${WORKING}`,
  // Dashboards, and KEDA, whose script counts the keys of a list.
  observer: `~${KEYS}* -@all +@connection -@dangerous +eval +type +zcard +scard +hlen +llen`,
};
