import { isIP } from "node:net";
import {
  type CelFunc,
  type CelList,
  CelScalar,
  type CelValue,
  celFunc,
  celMethod,
  listType,
} from "@bufbuild/cel";
import { hasFormat } from "./format.ts";

/**
 * Functions Kubernetes adds to CEL and the library lacks.
 * Source: https://kubernetes.io/docs/reference/using-api/cel, "CEL options, language features and libraries"
 */

const { STRING, BOOL, DYN } = CelScalar;

const QUANTITY = /^[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,4})?$/;

type Ordered = bigint | number | string;

function ordered(list: CelList): Ordered[] {
  return [...list].map((item: CelValue) => {
    if (typeof item === "bigint" || typeof item === "number" || typeof item === "string") return item;
    throw new Error("no such overload: the list's members have no order");
  });
}

function extreme(list: CelList, isBetter: (one: Ordered, other: Ordered) => boolean): Ordered {
  const [first, ...rest] = ordered(list);
  if (first === undefined) throw new Error("min or max of an empty list");
  return rest.reduce((best, item) => (isBetter(item, best) ? item : best), first);
}

function sum(list: CelList): bigint | number {
  const items = ordered(list);
  if (items.every((item) => typeof item === "bigint")) return items.reduce((total, item) => total + item, 0n);
  return items.reduce<number>((total, item) => total + Number(item), 0);
}

function isSorted(list: CelList): boolean {
  const items = ordered(list);
  return items.every((item, index) => index === 0 || (items[index - 1] as Ordered) <= item);
}

export const CEL_EXTENSIONS: CelFunc[] = [
  celFunc("isURL", [STRING], BOOL, (text) => hasFormat("uri", text)),
  celFunc("isIP", [STRING], BOOL, (text) => isIP(text) !== 0),
  celFunc("isCIDR", [STRING], BOOL, (text) => hasFormat("cidr", text)),
  celFunc("isQuantity", [STRING], BOOL, (text) => QUANTITY.test(text)),
  celMethod("isSorted", listType(DYN), [], BOOL, function () {
    return isSorted(this);
  }),
  celMethod("min", listType(DYN), [], DYN, function () {
    return extreme(this, (one, other) => one < other);
  }),
  celMethod("max", listType(DYN), [], DYN, function () {
    return extreme(this, (one, other) => one > other);
  }),
  celMethod("sum", listType(DYN), [], DYN, function () {
    return sum(this);
  }),
];
