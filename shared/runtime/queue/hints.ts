import type { ObjectKey } from "../../api/kinds.ts";
import type { TypeKey } from "../ports.ts";
import type { Key } from "./key.ts";

/** Something has changed; what it is now must be read. */
export type Hint =
  /** Keys of a function have moved to another state; no keys: it was paused or resumed. */
  | { readonly of: "keys"; readonly function: string; readonly keys: readonly Key[] }
  | { readonly of: "letters"; readonly function: string; readonly keys: readonly Key[] }
  | { readonly of: "snapshot"; readonly type: TypeKey; readonly key: ObjectKey };

/**
 * Says that keys, dead letters and snapshots have changed, in all processes. A hint may be lost: a follower reads
 * everything again at each gap, and every minute.
 */
export interface Hints extends AsyncDisposable {
  /** Calls `onHints` with what has changed, some at once, until it is disposed; `onGap` when hints may have been lost. */
  follow(onHints: (hints: readonly Hint[]) => void, onGap: () => void): Disposable;
}
