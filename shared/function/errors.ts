import { maskText } from "../redaction/redact.ts";

/**
 * Classes of failures, by what the runtime does with them: Conflict runs again once the snapshot has caught up,
 * Throttled is waited out by the client, Waiting parks the key, Transient backs off, Terminal is dead until a change.
 */
export type ErrorClass = "Conflict" | "Throttled" | "Waiting" | "Transient" | "Terminal";

/** Thrown by a step that has nothing to write; otherwise it returns `failed`. */
export class TerminalError extends Error {
  readonly reason: string;
  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TerminalError";
    this.reason = reason;
  }
}

/** Raised by the runtime: the named dependency is not there yet. Never counts as an attempt. */
export class WaitingError extends Error {
  readonly what: string;
  constructor(what: string, options?: ErrorOptions) {
    super(`waiting for ${what}`, options);
    this.name = "WaitingError";
    this.what = what;
  }
}

export interface KubeErrorDetails {
  readonly class: ErrorClass;
  /** HTTP status, 0 when there was no answer. */
  readonly status: number;
  /** Kubernetes reason: `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`, … or `NoAnswer`. */
  readonly reason: string;
  readonly message: string;
  readonly causes?: readonly {
    readonly reason?: string;
    readonly message?: string;
    readonly field?: string;
  }[];
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Every failure of an API server, translated once at the edge (infra/platform/kube). Its message becomes part of
 * conditions, Events and Connections, and a server or a proxy may quote what was sent to it: credentials in it are
 * hidden.
 */
export class KubeError extends Error implements KubeErrorDetails {
  readonly class: ErrorClass;
  readonly status: number;
  readonly reason: string;
  readonly causes: NonNullable<KubeErrorDetails["causes"]>;
  readonly retryAfterMs: number | undefined;
  constructor(details: KubeErrorDetails) {
    super(maskText(details.message), { cause: details.cause });
    this.name = "KubeError";
    this.class = details.class;
    this.status = details.status;
    this.reason = details.reason;
    this.causes = details.causes ?? [];
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Throws on what cannot happen. Transient: it pages a person through the dead letter. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`bug: ${message}`);
}

/** Returns the message of anything that was thrown; a value that is not an Error is its own message. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
