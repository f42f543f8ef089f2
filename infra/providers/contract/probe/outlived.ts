import { coreOwnersOf } from "../../../../shared/contract/rules/probe/keeping.ts";
import type { Snapshot } from "../../../../shared/contract/rules/probe/subject.ts";

/**
 * Compares each look with the one before. `outlived` has the titles of objects that are still there in the look after one
 * without an owner that core had given to them, with the title of that owner. Kinds are listed at slightly different
 * times: one look alone proves nothing.
 */
export function createOutlived(): {
  readonly outlived: ReadonlyMap<string, string>;
  readonly note: (snapshot: Snapshot) => void;
} {
  const outlived = new Map<string, string>();
  let former: Snapshot = new Map();
  return {
    outlived,
    note(snapshot) {
      for (const [title, object] of snapshot) {
        if (former.get(title)?.metadata.uid !== object.metadata.uid) continue;
        const gone = coreOwnersOf(object).find(
          ({ kind, name, uid }) => former.get(`${kind} ${name}`)?.metadata.uid !== uid,
        );
        if (gone !== undefined) outlived.set(title, `${gone.kind} ${gone.name}`);
      }
      former = snapshot;
    },
  };
}
