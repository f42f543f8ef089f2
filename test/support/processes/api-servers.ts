import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "../../../infra/apiserver/entry.ts";
import { type AuditedRequest, readAuditLog } from "./audit-log.ts";
import { realServerMissing, startRealServer } from "./real-server.ts";

/** An API server under test: the same stories run on each. */
interface TestServer extends AsyncDisposable {
  readonly kubeconfigFile: string;
  readonly garbageCollector: boolean;
  /** Every request so far, in order. */
  requests(): Promise<readonly AuditedRequest[]>;
}

export interface ServerFlavour {
  readonly name: string;
  readonly missing: string | undefined;
  /** A missing one is not a failure in CI. */
  readonly optional: boolean;
  start(): Promise<TestServer>;
}

export const EMBEDDED: ServerFlavour = {
  name: "the embedded API server",
  missing: undefined,
  optional: false,
  async start() {
    const server = await startApiServer({ name: "test", recordRequests: true });
    const dir = await mkdtemp(join(tmpdir(), "capstan-embedded-"));
    const kubeconfigFile = join(dir, "kubeconfig");
    await writeFile(kubeconfigFile, server.kubeconfig(), { mode: 0o600 });
    return {
      kubeconfigFile,
      garbageCollector: true,
      requests: async () => server.requests,
      async [Symbol.asyncDispose]() {
        await server.stop();
        await rm(dir, { recursive: true, force: true });
      },
    };
  },
};

const ASSETS = process.env["KUBEBUILDER_ASSETS"];

export const REAL: ServerFlavour = {
  name: "a real kube-apiserver",
  missing: realServerMissing(ASSETS),
  optional: true,
  async start() {
    const server = await startRealServer(ASSETS ?? "");
    return {
      kubeconfigFile: server.kubeconfigFile,
      garbageCollector: server.garbageCollector,
      requests: () => readAuditLog(server.auditLog),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
};

export const API_SERVERS: readonly ServerFlavour[] = [EMBEDDED, REAL];
