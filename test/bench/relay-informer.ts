import { get } from "node:http";
import { text } from "node:stream/consumers";
import { pathOf } from "../../infra/platform/kube/resource-path.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import type { Contender } from "./contender.ts";
import { kindOfLoad } from "./relay-load.ts";

/** As the library's own example does after an error: without it an informer stops for good. */
const RESTART_MS = 5_000;

/** The stock informer of the Kubernetes client library; every callback is a job. */
export async function createInformers(): Promise<Contender> {
  // biome-ignore lint/style/noRestrictedImports: what the relay is measured against (KR-24).
  const { KubeConfig, makeInformer } = await import("@kubernetes/client-node");
  const stops: (() => Promise<void>)[] = [];
  let jobs = 0;
  return {
    jobs: () => jobs,
    async follow({ url, load }, on) {
      const kind = kindOfLoad(load);
      const path = pathOf(kind, { namespace: "" });
      const config = new KubeConfig();
      config.loadFromOptions({
        clusters: [{ name: "bench", server: url.href.replace(/\/$/, ""), skipTLSVerify: true }],
        users: [{ name: "bench" }],
        contexts: [{ name: "bench", cluster: "bench", user: "bench" }],
        currentContext: "bench",
      });
      const list = async () => JSON.parse(await read(new URL(`${url.href.replace(/\/$/, "")}${path}`)));
      const informer = makeInformer(config, path, list);
      informer.on("update", (object) => {
        jobs += 1;
        on.changed(object as unknown as KubeObject);
      });
      let timer: NodeJS.Timeout | undefined;
      informer.on("error", () => {
        timer = setTimeout(() => void informer.start(), RESTART_MS);
      });
      stops.push(async () => {
        clearTimeout(timer);
        await informer.stop();
      });
      await informer.start();
      on.listed();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

function read(url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, (response) => resolve(text(response))).once("error", reject);
  });
}
