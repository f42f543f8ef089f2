import { installCrds } from "../../../infra/cli/install-crds.ts";
import { createServer } from "../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../infra/platform/kube/kubeconfig.ts";
import { Storage, startApiServer } from "../../../infra/playground/apiserver/entry.ts";
import { type LedgerHost, loadLedgerHost } from "../../../infra/queue/backends/embedded/embedded-ledger.ts";
import { loadFunctions } from "../../../infra/worker/load.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { createKernel } from "../kernel/kernel.ts";
import { createNetwork } from "../ports/network.ts";

/** The beginning of all worlds; made once, because it is never changed. */
export interface Prepared {
  readonly functions: readonly AnyFunction[];
  readonly prepared: Storage;
  readonly ledger: LedgerHost;
}

/** Loads all functions, and installs the CRDs on a server of its own. */
export async function prepare(): Promise<Prepared> {
  const functions = await loadFunctions();
  // The first time modules are loaded, which takes real time; the second time nothing but simulated time passes.
  await install(() => new Promise((resolve) => setTimeout(resolve, 1)));
  const ledger = await loadLedgerHost();
  return { functions, prepared: await install(async () => undefined), ledger };
}

async function install(pause: () => Promise<void>): Promise<Storage> {
  const kernel = createKernel({ seed: 0 });
  const network = createNetwork(kernel);
  const process = kernel.process("install");
  const { clock, random } = process;
  const storage = new Storage(undefined, clock);
  const { connect, listen } = network.of(process);
  const server = await startApiServer({
    name: "management",
    token: "install",
    clock,
    random,
    listen,
    storage,
  });
  const client = createServer(parseKubeconfig(server.kubeconfig()), { clock, connect });
  let isOver = false;
  const installing = installCrds(client.as("up"), clock).finally(() => {
    isOver = true;
  });
  for (let turn = 0; !isOver && turn < MAX_TURNS; turn += 1) {
    await kernel.run(1, () => isOver);
    await pause();
  }
  await installing;
  return storage;
}

const MAX_TURNS = 10_000;
