import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Clock, Random } from "../../../../shared/runtime/ports.ts";
import { type Cause, invalid } from "../errors/status-error.ts";
import type { Converters } from "../kinds/conversion.ts";
import type { Registry, ResourceType, ServedVersion } from "../kinds/registry.ts";
import type { JsonObject } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { Storage } from "../storage/storage.ts";

/** A whole answer. */
export interface Answered {
  readonly code: number;
  readonly text: string;
  /** The type of the body; default `application/json`. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

/** Where the lines of a watch go. */
export interface Lines {
  send(line: string): void;
  end(): void;
  /** Breaks the connection. */
  reset(): void;
}

/** The lines of a watch on their way to its client. */
export interface Stream extends Lines {
  /** Called once, when the stream is over: ended, broken off or left by either side. */
  onClose(callback: () => void): void;
}

/** A client certificate that the authority of the server has signed. */
interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly notAfter: Date;
}

/** One request and the way back for its answer, over a socket or within this process. */
export interface Exchange {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Shown by the other side; `untrusted`: signed by another authority, or not valid. */
  readonly certificate: ClientCertificate | "untrusted" | undefined;
  /** The whole body, unpacked. Throws StatusError 413 beyond 3 MiB, 400 for a broken gzip stream. */
  readBody(): Promise<Buffer>;
  send(answer: Answered): Promise<void>;
  /** Begins an answer 200 without an end in sight. */
  stream(warnings: readonly string[]): Stream;
  /** The status of the answer, once one has begun. */
  readonly answeredWith: number | undefined;
  /** Ends without another byte: the other side sees a reset. */
  reset(): void;
}

/** Answers one exchange; never throws. */
export type Serve = (exchange: Exchange) => void;

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** One Kubernetes-style server among several in this process: its own objects, versions and kinds. */
export interface VirtualServer {
  readonly name: string;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly bookmarkIntervalMs: number;
  readonly users: Users;
  readonly converters: Converters;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when the server stops; ends waits and watches. */
  readonly stopped: AbortSignal;
}

/** The resource that a path names. */
export interface Target {
  readonly type: ResourceType;
  readonly served: ServedVersion;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

export interface ApiRequest {
  readonly server: VirtualServer;
  readonly user: User;
  readonly verb: Verb;
  readonly target: Target;
  readonly query: URLSearchParams;
  /** Media type without parameters, lower case; empty when absent. */
  readonly contentType: string;
  readonly accept: string;
  readonly userAgent: string;
  readonly body: Buffer;
  readonly now: Date;
  /** Texts for Warning headers; verbs add to it. */
  readonly warnings: string[];
}

/** Answer of a verb; the HTTP layer chooses the representation. */
export type Answer =
  | {
      readonly form: "object";
      readonly code: number;
      readonly target: Target;
      readonly object: KubeObject;
      /** JSON of `object` when it is already known. */
      readonly text?: string;
    }
  | {
      readonly form: "list";
      readonly target: Target;
      readonly objects: readonly KubeObject[];
      readonly metadata: JsonObject;
    }
  | { readonly form: "document"; readonly code: number; readonly body: object };

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  readonly fieldManager: string;
}

const MANAGER_MAX_LENGTH = 128;
const OPTIONS_KIND = { create: "CreateOptions", update: "UpdateOptions", patch: "PatchOptions" } as const;

/** Options of create, update and patch. Throws StatusError 422 for values that do not exist. */
export function writeOptions(request: ApiRequest, verb: keyof typeof OPTIONS_KIND = "create"): WriteOptions {
  const { query } = request;
  const causes: Cause[] = [...dryRunCauses(query.getAll("dryRun"))];
  const fieldManager = query.get("fieldManager") ?? "";
  if (fieldManager.length > MANAGER_MAX_LENGTH) {
    causes.push({
      reason: "FieldValueTooLong",
      message: `Too long: may not be more than ${MANAGER_MAX_LENGTH} bytes`,
      field: "fieldManager",
    });
  }
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(fieldManager)) {
    causes.push({
      reason: "FieldValueInvalid",
      message: `Invalid value: ${JSON.stringify(fieldManager)}: should only contain printable characters`,
      field: "fieldManager",
    });
  }
  const fieldValidation = query.get("fieldValidation") || "Warn";
  if (fieldValidation !== "Ignore" && fieldValidation !== "Warn" && fieldValidation !== "Strict") {
    causes.push({
      reason: "FieldValueNotSupported",
      message: `Unsupported value: "${fieldValidation}": supported values: "", "Ignore", "Strict", "Warn"`,
      field: "fieldValidation",
    });
    throw invalidOptions(OPTIONS_KIND[verb], causes);
  }
  if (causes.length > 0) throw invalidOptions(OPTIONS_KIND[verb], causes);
  return { dryRun: query.has("dryRun"), fieldValidation, fieldManager: fieldManager || managerOf(request) };
}

export function dryRunCauses(values: readonly string[]): Cause[] {
  if (values.every((value) => value === "All")) return [];
  const list = values.map((value) => JSON.stringify(value)).join(", ");
  return [
    {
      reason: "FieldValueNotSupported",
      message: `Unsupported value: []string{${list}}: supported values: "All"`,
      field: "dryRun",
    },
  ];
}

export function invalidOptions(kind: string, causes: readonly Cause[]) {
  return invalid("meta.k8s.io", kind, "", causes);
}

/** The part of the User-Agent before the first `/`, as Kubernetes names managers that do not name themselves. */
function managerOf(request: ApiRequest): string {
  const [product = ""] = request.userAgent.split("/", 1);
  return product.slice(0, MANAGER_MAX_LENGTH) || "unknown";
}

/** One line of an allow list; `*` stands for everything in each member. */
export interface PermissionRule {
  readonly verbs: readonly string[];
  /** API groups; the core group is empty. Absent = the core group only. */
  readonly groups?: readonly string[];
  /** Plurals, with their subresource where there is one: `machinepools`, `machinepools/status`. */
  readonly resources: readonly string[];
  /** The namespaces; absent for all of them and the cluster scope. */
  readonly namespaces?: readonly string[];
  /** The names; absent for all objects, and collections. */
  readonly names?: readonly string[];
}

/** Who a token stands for. */
export interface User {
  readonly name: string;
  /** Permissions of the user on resources; absent = everything. */
  readonly allow?: readonly PermissionRule[];
}

/** The users of one virtual server, known by their bearer tokens. */
export class Users {
  readonly #users = new Map<string, User>();

  /** The token that stands for this user from now on; random when absent. */
  add(user: User, token = randomBytes(24).toString("hex")): string {
    this.#users.set(token, user);
    return token;
  }

  /** The user with this name; for access reviews about another user. */
  named(name: string): User | undefined {
    return [...this.#users.values()].find((user) => user.name === name);
  }

  /**
   * The user of a client certificate: its common name. The organization `system:masters` may do everything, others what
   * the user of that name may.
   */
  withCertificate(certificate: Exchange["certificate"], now: Date): User | undefined {
    if (certificate === undefined || certificate === "untrusted" || certificate.notAfter < now)
      return undefined;
    const { commonName: name, organizations } = certificate;
    if (organizations.includes("system:masters")) return { name };
    return this.named(name) ?? { name, allow: [] };
  }

  /** Takes as long for a wrong token as for a right one. */
  withToken(given: string): User | undefined {
    let found: User | undefined;
    for (const [token, user] of this.#users) if (isSame(given, token)) found = user;
    return found;
  }
}

function isSame(given: string, token: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(token);
  return left.length === right.length && timingSafeEqual(left, right);
}
