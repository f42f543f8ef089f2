import type { Random } from "../../../shared/runtime/ports.ts";

/** Chance that follows from a seed: the same seed and name give the same numbers on every machine. */
export interface Seeded extends Random {
  /** A whole number in [0, limit). */
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
}

/** sfc32, seeded by a hash of (seed, name): streams with different names have nothing to do with each other. */
export function seeded(seed: number, name: string): Seeded {
  let a = hashOf(name, seed);
  let b = hashOf(name, a);
  let c = hashOf(name, b);
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round += 1) next();
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit);
  const id = (bytes: number): string => {
    let text = "";
    while (text.length < 2 * bytes) text += next().toString(16).padStart(8, "0");
    return text.slice(0, 2 * bytes);
  };
  return {
    number: () => next() / 2 ** 32,
    below,
    pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
    id,
    uuid: () => `${id(4)}-${id(2)}-4${id(2).slice(1)}-8${id(2).slice(1)}-${id(6)}`,
  };
}

/** FNV-1a. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5;
  for (const character of `${seed}/${text}`) {
    hash ^= character.charCodeAt(0);
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash;
}
