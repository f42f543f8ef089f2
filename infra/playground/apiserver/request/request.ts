import type { Clock, Random } from "../../../../shared/runtime/ports.ts";
import { type Cause, invalid } from "../errors/status-error.ts";
import type { Converters } from "../kinds/conversion.ts";
import type { Registry, ResourceType, ServedVersion } from "../kinds/registry.ts";
import type { JsonObject } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { Storage } from "../storage/storage.ts";
import type { User } from "./user.ts";
import type { Users } from "./users.ts";

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
