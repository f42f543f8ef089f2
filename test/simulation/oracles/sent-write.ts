import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { World } from "../play/world.ts";
import type { ObservedRun } from "../ports/observed-runs.ts";
import type { Witness } from "../ports/simulated-exchange.ts";

/** A write request of a function that a server has carried out. Events do not count. */
export interface SentWrite {
  readonly verb: "create" | "patch" | "apply" | "delete";
  readonly functionName: string;
  readonly runId: string | undefined;
  /** Undefined: the request names no known run. */
  readonly run: ObservedRun | undefined;
  readonly server: string;
  readonly place: Place;
  /** Parsed; undefined without one. */
  readonly body: unknown;
  /** Answer of the server: the object, or a Status. */
  readonly answer: KubeObject | undefined;
  readonly code: number;
  /** Its sender no longer waits for the answer. */
  readonly isLate: boolean;
  /** For messages. */
  readonly title: string;
}

/** Parts of a path. */
export interface Place {
  /** `cluster.x-k8s.io/machinepools`, `/nodes`. */
  readonly type: string;
  readonly namespace: string;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: string;
}

/** Calls back for every write of a worker that was carried out. */
export function onWrite(world: World, observer: (write: SentWrite) => void): void {
  world.network.witness((seen) => {
    const write = known.has(seen) ? known.get(seen) : writeOf(seen, world);
    known.set(seen, write);
    if (write !== undefined) observer(write);
  });
}

/** Several oracles look at each. */
const known = new WeakMap<Witness, SentWrite | undefined>();

const VERBS: { readonly [method: string]: SentWrite["verb"] } = {
  POST: "create",
  PATCH: "patch",
  DELETE: "delete",
};

function writeOf(
  { process, request, code, text, server, isLate }: Witness,
  world: World,
): SentWrite | undefined {
  const verb = VERBS[request.method];
  if (verb === undefined || code >= 300 || !process.name.startsWith("worker")) return undefined;
  const place = placeOf(request.path);
  if (place === undefined || place.type === "/events") return undefined;
  const headers: { readonly [name: string]: string | undefined } = request.headers;
  const functionName = functionOf(request.headers);
  const runId = headers["audit-id"];
  const isApply = /apply-patch/.test(headers["content-type"] ?? "");
  return {
    verb: isApply ? "apply" : verb,
    functionName,
    runId,
    run: runId === undefined ? undefined : world.runs.of(runId),
    server,
    place,
    body: request.body === undefined ? undefined : parsed(request.body),
    answer: parsed(text) as KubeObject | undefined,
    code,
    isLate,
    title: `${functionName} ${request.method} ${request.path.replace(/^\/as\/[^/]+/, "")} ${request.body ?? ""}`,
  };
}

/** `capstan/1.0 machinepool-status` */
export function functionOf(headers: Witness["request"]["headers"]): string {
  return String(headers["user-agent"]).split(" ").at(1) ?? "";
}

const PATH =
  /\/(?:api|apis\/([^/]+))\/v[^/]+(?:\/namespaces\/([^/]+))?\/([^/?]+)(?:\/([^/?]+))?(?:\/([^/?]+))?/;

export function placeOf(path: string): Place | undefined {
  const found = PATH.exec(path);
  if (found === null) return undefined;
  const [, group = "", namespace = "", plural = "", name = "", subresource = ""] = found;
  return { type: `${group}/${plural}`, namespace, name, subresource };
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
