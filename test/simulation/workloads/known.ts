import { w01 } from "./w-01.ts";
import { w02 } from "./w-02.ts";
import { w03 } from "./w-03.ts";
import { w04 } from "./w-04.ts";
import { w05 } from "./w-05.ts";
import { w10 } from "./w-10.ts";
import { w11 } from "./w-11.ts";
import { w12 } from "./w-12.ts";
import { w13 } from "./w-13.ts";
import { w14 } from "./w-14.ts";
import { w15 } from "./w-15.ts";
import { w16 } from "./w-16.ts";
import { w17 } from "./w-17.ts";
import { w18 } from "./w-18.ts";
import { w19 } from "./w-19.ts";
import { w20 } from "./w-20.ts";
import { w21 } from "./w-21.ts";
import { w22 } from "./w-22.ts";
import { w23 } from "./w-23.ts";
import { w24 } from "./w-24.ts";
import { w25 } from "./w-25.ts";
import { w26 } from "./w-26.ts";
import { w27 } from "./w-27.ts";
import { w28 } from "./w-28.ts";
import { w29 } from "./w-29.ts";
import { w30 } from "./w-30.ts";
import { w31 } from "./w-31.ts";
import { w32 } from "./w-32.ts";
import type { Workload } from "./workload.ts";

export const WORKLOADS: readonly Workload[] = [
  w01,
  w02,
  w03,
  w04,
  w05,
  w10,
  w11,
  w12,
  w13,
  w14,
  w15,
  w16,
  w17,
  w18,
  w19,
  w20,
  w21,
  w22,
  w23,
  w24,
  w25,
  w26,
  w27,
  w28,
  w29,
  w30,
  w31,
  w32,
];

/** Throws for an unknown number. */
export function workloadOf(number: string): Workload {
  const found = WORKLOADS.find((each) => each.number === number);
  if (found !== undefined) return found;
  throw new Error(`no workload ${number}; there are ${WORKLOADS.map((each) => each.number).join(", ")}`);
}
