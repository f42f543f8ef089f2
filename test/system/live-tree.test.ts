import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { simCluster, simPool } from "../support/manifests.ts";
import { spawnChild } from "../support/processes/spawn-child.ts";
import { describeWith } from "../support/requires.ts";
import { emulatedTerminal } from "../support/terminal.ts";
import { testFolder } from "../support/test-folder.ts";

const MAIN = fileURLToPath(new URL("../../infra/cli/main.ts", import.meta.url));
const [COLUMNS, ROWS] = [70, 14];

function scriptMissing(): string | undefined {
  return spawnSync("script", ["--version"]).status === 0
    ? undefined
    : "script (util-linux) is missing; it runs a command on a pseudo terminal";
}

/** Returns the output of a command on a terminal of that size, and its exit code. */
async function onTerminal(args: readonly string[]): Promise<{ code: number | null; text: string }> {
  const command = `stty columns ${COLUMNS} rows ${ROWS}; exec ${[process.execPath, MAIN, ...args].join(" ")}`;
  const child = spawnChild("script", ["-qec", command, "/dev/null"], {
    env: { ...process.env, TERM: "xterm", SHELL: "/bin/sh" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, text };
}

describeWith(scriptMissing())("capstan up on a terminal", () => {
  it("shows a tree that is taller than the screen, the log above it, and leaves no line of a frame behind", async () => {
    const dir = testFolder("live-tree");
    const pool = simPool("demo-pool", "demo", 3).replaceAll("DelaySeconds: 0", "DelaySeconds: 1");
    await writeFile(join(dir, "demo.yaml"), [simCluster("demo"), pool].join("---"));
    const { code, text } = await onTerminal([
      ...[
        "up",
        "--until-ready",
        "--timeout",
        "240",
        "--log-level",
        "info",
        "--write-kubeconfig",
        join(dir, "kubeconfig"),
      ],
      ...["--file", join(dir, "demo.yaml")],
    ]);
    const terminal = emulatedTerminal(COLUMNS, ROWS);
    terminal.write(text);
    const rows = [...terminal.scrolled(), ...terminal.screen()];
    const shown = rows.join("\n");
    expect(code, shown).toBe(0);
    expect(text).toContain("… more than fits on this screen");
    expect(shown).not.toContain("… more than fits on this screen");
    expect(rows.filter((row) => row.startsWith("Cluster default/demo  "))).toHaveLength(1);
    expect(rows.filter((row) => /^[├└]─ MachinePool default\/demo-pool/.test(row))).toHaveLength(1);
    expect(rows.filter((row) => row.startsWith("│"))).toEqual([]);
    expect(rows.filter((row) => /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: /.test(row)).length).toBeGreaterThan(20);
    expect(shown).not.toContain('"level":30');
    expect(shown).not.toContain("Ctrl-C stops");
    expect(shown).toMatch(/KIND +NAMESPACE +NAME/);
  });
});
