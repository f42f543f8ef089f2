import { titleOf } from "../../../shared/api/kinds.ts";
import type { Finding, KeyTrouble } from "./finding.ts";
import type { ObjectNode } from "./object-tree.ts";
import { refusalIn } from "./refusals.ts";

/** The failures in a row after which another attempt hardly ends well. */
const MANY = 5;

/** Returns the problem of a key that fails; undefined as long as the next attempt may end well. */
export function problemOfKey(trouble: KeyTrouble, at: ObjectNode): Finding | undefined {
  const { function: name, key, isDead, failures, failure, since, until } = trouble;
  const again = until === undefined ? "" : `; it is tried again at ${until}`;
  const refusal = refusalIn(failure.message, at.key.namespace);
  const common = {
    at,
    severity: "broken",
    ...(since === undefined ? {} : { since }),
    ...(isDead ? { letter: { function: name, key } } : {}),
  } as const;
  if (refusal !== undefined) {
    return { about: "refused", id: refusal.cause, ...refusal, next: `${refusal.next}${again}`, ...common };
  }
  if (!isDead && failures < MANY) return undefined;
  const object = titleOf(at.kind.kind, at.key);
  const verb = isDead ? "has given up" : `has failed ${failures} times`;
  return {
    about: "dead",
    id: `${failure.reason}: ${failure.message}`,
    object,
    cause: `${name} ${verb} for ${object}: ${failure.reason}: ${failure.message} (class ${failure.class})`,
    next: isDead
      ? `read it with capstan dlq show ${name} '${key}', mend the cause, then replay or drop it${again}`
      : `mend the cause${again}`,
    ...common,
  };
}
