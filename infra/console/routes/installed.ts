import type { CommandLine } from "../ports.ts";

/** A command line that is on the PATH and finds its servers by itself. */
export const INSTALLED: CommandLine = { capstan: "capstan", cluster: "", queue: "" };
