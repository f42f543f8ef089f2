import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { installCrds } from "../../../infra/cli/install-crds.ts";
import { systemClock } from "../../../infra/platform/clock.ts";
import { createServer } from "../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../../infra/playground/apiserver/entry.ts";
import { Secret } from "../../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { runCli } from "../../support/processes/cli.ts";

describe("capstan fields", () => {
  it("prints field, manager and time of any kind of object, and names what does not exist", async () => {
    await using stack = new AsyncDisposableStack();
    const api = await startApiServer({ name: "test" });
    stack.defer(() => api.stop());
    const dir = await mkdtemp(join(tmpdir(), "capstan-fields-"));
    stack.defer(() => rm(dir, { recursive: true, force: true }));
    const file = join(dir, "kubeconfig");
    await writeFile(file, api.kubeconfig());
    using server = createServer(parseKubeconfig(api.kubeconfig()), { clock: systemClock });
    await installCrds(server.as("up"), systemClock);
    const secret: KubeObject & { type: string } = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "default", labels: { a: "b" } },
      type: "Opaque",
    };
    await server.as("tester").create(Secret as unknown as Kind, secret);

    const shown = await runCli("fields", "secrets", "default/s", "--kubeconfig", file);
    expect(shown.code).toBe(0);
    expect(shown.output).toMatch(/^FIELD +MANAGER +OPERATION +WRITTEN/);
    expect(shown.output).toMatch(/metadata\.labels\.a +capstan-tester +Update +\S+Z \(\d+s ago\)/);

    const json = await runCli(
      "fields",
      "secret",
      "s",
      "--kubeconfig",
      file,
      "-o",
      "json",
      "--manager",
      "nobody",
    );
    expect(JSON.parse(json.output)).toEqual([]);

    for (const [kind, name, problem] of [
      ["siminstances.cloud.sim.capstan.dev", "default/x", "SimInstance default/x does not exist"],
      ["unicorn", "x", 'the server has no kind "unicorn"'],
      ["secret", "a/b/c", '"a/b/c" is not the name of an object; write NAME, or NAMESPACE/NAME'],
    ] as const) {
      const refused = await runCli("fields", kind, name, "--kubeconfig", file);
      expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(problem) });
    }
  });
});
