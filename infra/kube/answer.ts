import type { KubeObject } from "../../shared/api/kinds.ts";
import { type RequestSubject, undecodable } from "./errors.ts";

/** S-14. A page of a list may be longer, each of its objects may not. */
export const OBJECT_LIMIT_BYTES = 10 * 1024 * 1024;
/** Objects and lists within each other, S-14. Real objects have about 20 levels. */
const DEPTH_LIMIT = 64;

/** Throws KubeError `Undecodable` for what is no Kubernetes object. */
export function objectOf(text: string, subject: RequestSubject): KubeObject {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && Reflect.has(parsed, "kind"))
      return parsed as KubeObject;
  } catch {
    // Told below: an answer of a proxy, most often HTML.
  }
  throw undecodable(subject, "the answer is no Kubernetes object; is this the address of an API server?");
}

/**
 * Throws KubeError `TooDeep` or `TooLarge` for an answer that only somebody who means harm sends. Everything later
 * may then walk an object by recursion. `length` is that of its text.
 */
export function checkUntrusted(answer: unknown, subject: RequestSubject, length: number): void {
  if (isDeeperThan(answer, DEPTH_LIMIT)) {
    throw undecodable(subject, `the answer is nested deeper than ${DEPTH_LIMIT} levels`, "TooDeep");
  }
  if (length > OBJECT_LIMIT_BYTES && itemsOf(answer).some(isTooLarge)) {
    throw undecodable(subject, `an object is longer than ${OBJECT_LIMIT_BYTES} bytes`, "TooLarge");
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

function itemsOf(answer: unknown): readonly unknown[] {
  const items: unknown =
    typeof answer === "object" && answer !== null ? Reflect.get(answer, "items") : undefined;
  return Array.isArray(items) ? items : [];
}

function isTooLarge(item: unknown): boolean {
  return JSON.stringify(item).length > OBJECT_LIMIT_BYTES;
}
