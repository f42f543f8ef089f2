import type { Witness } from "../simulated-exchange.ts";
import type { Oracle } from "./oracle.ts";

/** What functions send: F-07, F-15, F-20. */
export const requests: readonly Oracle[] = [
  {
    number: "F-07",
    title: "no change, no request: a write of a function changes the object, while nothing goes wrong",
    watch({ world, violated, faultsSoFar }) {
      const versions = new Map<string, string>();
      world.network.witness((seen) => {
        const { uid, resourceVersion, deletionTimestamp } = versionIn(seen);
        if (uid === undefined || resourceVersion === undefined) return;
        // Whoever removes the last finalizer is shown the object as it was.
        const isVain = versions.get(uid) === resourceVersion && deletionTimestamp === undefined;
        if (isWrite(seen) && isVain && faultsSoFar() === 0) violated(`in vain: ${titleOf(seen)}`);
        versions.set(uid, resourceVersion);
      });
    },
  },
  {
    number: "F-15",
    title: "every write of a function names its run",
    watch({ world, violated }) {
      world.network.witness((seen) => {
        if (isWrite(seen) && seen.request.headers["audit-id"] === undefined) violated(titleOf(seen));
      });
    },
  },
  {
    number: "F-20",
    title: "every delete carries the uid of what it deletes",
    watch({ world, violated }) {
      world.network.witness((seen) => {
        if (!isWrite(seen) || seen.request.method !== "DELETE") return;
        if (!/"uid":"[^"]+"/.test(seen.request.body ?? "")) violated(titleOf(seen));
      });
    },
  },
];

function isWrite({ process, request, code }: Witness): boolean {
  return process.name.startsWith("worker") && request.method !== "GET" && code < 300;
}

function titleOf({ process, request }: Witness): string {
  const path = request.path.replace(/^\/as\/\w+/, "");
  return `${process.name} ${request.headers["user-agent"]} ${request.method} ${path} ${request.body ?? ""}`;
}

interface Version {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
}

function versionIn({ request, text }: Witness): Version {
  if (request.method === "GET") return {};
  try {
    return (JSON.parse(text) as { readonly metadata?: Version }).metadata ?? {};
  } catch {
    return {};
  }
}
