import { type Kind, objectKeyOf } from "../../../shared/api/kinds.ts";
import { systemClock } from "../../platform/clock.ts";
import { readEnvironment } from "../../platform/config.ts";
import { createServer } from "../../platform/kube/client.ts";
import { loadKubeconfig } from "../../platform/kube/kubeconfig.ts";
import { packageVersion } from "../../platform/package-version.ts";
import { openSource, type SourceOptions } from "../letter-source.ts";

/** More take too long; with a namespace in front the list is shorter. */
const MAX_ITEMS = 2_000;

/**
 * Returns `NAMESPACE/NAME` of objects of a kind, of the management cluster; `typed` is the start of it. Rejects when it does
 * not answer, or has too many.
 */
export async function namesOfObjects(
  kind: Kind,
  typed: string,
  kubeconfig: string | undefined,
): Promise<readonly string[]> {
  const namespace = typed.includes("/") ? typed.slice(0, typed.indexOf("/")) : undefined;
  const access = await loadKubeconfig({ file: kubeconfig, env: readEnvironment() });
  using server = createServer(access, { clock: systemClock, version: packageVersion() });
  const { items } = await server.as("complete").list(kind, { namespace, maxItems: MAX_ITEMS });
  return items.map((object) => {
    const key = objectKeyOf(object);
    return `${key.namespace}/${key.name}`;
  });
}

const MAX_LETTERS = 500;

/** Returns the ends of the keys of dead letters: `default/demo-pool`. Rejects when nothing answers. */
export async function namesOfLetters(
  functionName: string,
  options: SourceOptions,
): Promise<readonly string[]> {
  await using source = await openSource(options);
  const { items } = await source.deadLetters.page({ function: functionName, limit: MAX_LETTERS });
  return items.map(({ key }) => key.slice(key.lastIndexOf("|") + 1));
}
