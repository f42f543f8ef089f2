import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import type { Problem } from "./problem.ts";

const KINDS: readonly Kind[] = ["Validating", "Mutating"].map((does) => ({
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: `${does}WebhookConfiguration`,
  plural: `${does.toLowerCase()}webhookconfigurations`,
  namespaced: false,
}));
/** Command that finds it. */
const SEARCH = /kubectl get validatingwebhookconfigurations[^;]*/;
const WEBHOOK = /^webhook (\S+)$/;

/**
 * Names the configuration of each webhook that problems are about, which the words of an API server leave out. Read live
 * where there is one; without the right to read them the problems stay as they are.
 */
export async function withConfigurations(
  problems: readonly Problem[],
  client: Pick<KubeClient, "list">,
): Promise<readonly Problem[]> {
  if (!problems.some(({ object }) => WEBHOOK.test(object))) return problems;
  const lists = KINDS.map(async (kind) => {
    const found = await client.list(kind, {}).catch(() => undefined);
    return (found?.items ?? []).map((configuration) => ({ kind: kind.kind, configuration }));
  });
  const all = (await Promise.all(lists)).flat();
  return problems.map((problem) => {
    const [, name] = WEBHOOK.exec(problem.object) ?? [];
    const found = all.find(
      ({ configuration }) => name !== undefined && webhooksOf(configuration).includes(name),
    );
    if (found === undefined) return problem;
    const { kind, configuration } = found;
    const object = `${kind} ${configuration.metadata.name}`;
    const remove = `kubectl delete ${kind.toLowerCase()} ${configuration.metadata.name}`;
    const next = problem.next.replace(SEARCH, remove);
    return { ...problem, object, cause: `${problem.cause} (configuration: ${object})`, next };
  });
}

function webhooksOf(configuration: KubeObject): readonly unknown[] {
  const webhooks = valueAt(configuration, "webhooks");
  return Array.isArray(webhooks) ? webhooks.map((one: unknown) => valueAt(one, "name")) : [];
}
