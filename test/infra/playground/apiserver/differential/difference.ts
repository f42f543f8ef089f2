import {
  isJsonArray,
  isJsonObject,
  type Json,
} from "../../../../../infra/playground/apiserver/objects/json.ts";
import { TEXT } from "./comparable.ts";

/** A place in two answers where they are not the same; undefined = not there. */
export interface Difference {
  /** `body.spec.items.0.name`. */
  readonly at: string;
  readonly real: Json | undefined;
  readonly ours: Json | undefined;
}

/** Every place where two answers differ, as deep as possible. */
export function differencesOf(real: Json | undefined, ours: Json | undefined, at = ""): Difference[] {
  if (Object.is(real, ours)) return [];
  const below = (name: string | number) => (at === "" ? String(name) : `${at}.${name}`);
  if (isJsonObject(real) && isJsonObject(ours)) {
    const names = [...new Set([...Object.keys(real), ...Object.keys(ours)])].filter((name) => name !== TEXT);
    return names
      .toSorted((a, b) => (a < b ? -1 : 1))
      .flatMap((name) => differencesOf(own(real, name), own(ours, name), below(name)));
  }
  if (isList(real) && isList(ours) && real.length === ours.length) {
    return real.flatMap((item, index) => differencesOf(item, ours[index], below(index)));
  }
  return [{ at, real, ours }];
}

function isList(value: Json | undefined): value is readonly Json[] {
  return value !== undefined && isJsonArray(value);
}

function own(object: { readonly [name: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
