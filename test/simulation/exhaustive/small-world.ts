import type { Kind } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { simCluster, simPool } from "../../support/manifests.ts";
import type { User } from "../play/user.ts";

/** A world so small that every order of its steps can be tried (6.4.3). */
export interface SmallWorld {
  readonly name: string;
  readonly title: string;
  /** At most two. */
  readonly functions: readonly string[];
  /** The class of the one fault that may strike anywhere; undefined: none. */
  readonly fault?: string | undefined;
  /** Prepares the world, before orders are tried. */
  readonly manifests: string;
  /** Objects that the edits lead to runs of: at most three keys. */
  readonly edits: readonly ((user: User) => Promise<void>)[];
}

const LABELS = "/metadata/labels";
const TIMEOUT = "/spec/template/spec/deletion/nodeDeletionTimeoutSeconds";

/** Takes away what the guard of a pool has put there. */
function strip(name: string, path: string): (user: User) => Promise<void> {
  return (user) => user.patch(MachinePool as Kind, name, [{ op: "remove", path }]);
}

function pools(...names: readonly string[]): string {
  return [simCluster("c1"), ...names.map((name) => simPool(name, "c1", 1))].join("---");
}

const GUARD = ["machinepool-guard"];
const GUARD_AND_ADOPT = ["machinepool-guard", "machinepool-adopt"];

export const SMALL_WORLDS: readonly SmallWorld[] = [
  {
    name: "conflict",
    title: "a label is taken away while another writer gets there first",
    functions: GUARD,
    fault: "X-20",
    manifests: pools("p1"),
    edits: [strip("p1", LABELS)],
  },
  {
    name: "lost-answer",
    title: "a label is taken away and the answer to the repair is lost",
    functions: GUARD,
    fault: "X-23",
    manifests: pools("p1"),
    edits: [strip("p1", LABELS), strip("p1", TIMEOUT)],
  },
  {
    name: "crash",
    title: "two functions of one pool, and the worker is killed before any of their writes",
    functions: GUARD_AND_ADOPT,
    fault: "X-01",
    manifests: pools("p1"),
    edits: [strip("p1", LABELS)],
  },
  {
    name: "lease",
    title: "two pools, and every lease is lost at any write",
    functions: GUARD,
    fault: "X-31",
    manifests: pools("p1", "p2"),
    edits: [strip("p1", LABELS), strip("p2", LABELS)],
  },
  {
    name: "duplicate",
    title: "two pools, and any change is delivered twice",
    functions: GUARD,
    fault: "X-14",
    manifests: pools("p1", "p2"),
    edits: [strip("p1", LABELS), strip("p2", LABELS)],
  },
  {
    name: "token",
    title: "two functions, two pools, and any token arrives twice",
    functions: GUARD_AND_ADOPT,
    fault: "X-30",
    manifests: pools("p1", "p2"),
    edits: [strip("p1", LABELS), strip("p2", LABELS)],
  },
];
