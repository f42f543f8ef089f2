import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiServerOptions } from "../../../../infra/playground/apiserver/server.ts";
import { type Kubectl, kubectlFor } from "../../../support/processes/kubectl.ts";
import { startTestServer, type TestApiServer } from "./api-client.ts";

/** A server with the Widget kind and the real kubectl for it. */
export interface KubectlServer extends AsyncDisposable {
  readonly api: TestApiServer;
  readonly kubectl: Kubectl;
  /** kubectl with another user's token. */
  as(token: string): Promise<Kubectl>;
}

export async function startKubectlServer(options: Partial<ApiServerOptions> = {}): Promise<KubectlServer> {
  const api = await startTestServer(options);
  const folder = await mkdtemp(join(tmpdir(), "capstan-kubectl-"));
  const as = async (token: string) => {
    const file = join(folder, `kubeconfig-${token}`);
    await writeFile(file, api.server.kubeconfig(token), { mode: 0o600 });
    return kubectlFor(file);
  };
  return {
    api,
    kubectl: await as(api.server.token),
    as,
    async [Symbol.asyncDispose]() {
      await api.server.stop();
      await rm(folder, { recursive: true });
    },
  };
}
