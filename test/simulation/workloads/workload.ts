import type { User } from "../user.ts";

/** What users do, and what they wait for in between (6.3). One file per workload. */
export interface Workload {
  /** `W-01`. */
  readonly number: string;
  readonly title: string;
  run(user: User): Promise<void>;
}
