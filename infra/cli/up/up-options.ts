import type { Role } from "../compose-options.ts";
import type { UpConsoleFlags } from "../console/console-options.ts";
import type { ServeOptions } from "../options.ts";

export interface UpOptions extends ServeOptions, UpConsoleFlags {
  readonly empty: boolean;
  readonly file?: readonly string[];
  readonly untilReady: boolean;
  readonly timeout: number;
  readonly installCrds: boolean;
  readonly olderVersions: boolean;
  readonly port: number;
  readonly data?: string;
  readonly writeKubeconfig: string;
  readonly roles?: readonly Role[];
  readonly quiet: boolean;
}
