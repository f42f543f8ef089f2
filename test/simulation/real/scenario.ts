import type { User } from "../play/user.ts";
import type { Stage, StageOptions } from "./stage.ts";

/** Faults of real processes while users do their work. */
export interface Scenario {
  readonly title: string;
  /** `W-02`. */
  readonly workload: string;
  readonly stage?: Pick<StageOptions, "redis" | "aheadMs">;
  /** When it strikes: true for the first time. */
  when(user: User): boolean;
  /** Does it, and mends what does not mend itself. */
  strike(stage: Stage): Promise<void>;
}
