import { applyManifests } from "../../infra/cli/up/apply-manifests.ts";
import { providerRoles, rightsOfProcess } from "../../infra/deploy/manifests/accounts.ts";
import { WATCHED_KUBECONFIGS } from "../../infra/deploy/manifests/components.ts";
import {
  NAMESPACE,
  type ServerProcess,
  serverProcesses,
  workersOf,
} from "../../infra/deploy/manifests/deployments.ts";
import {
  clusterRole,
  clusterRoleBinding,
  LEASE_RULES,
  roleOf,
  serviceAccount,
} from "../../infra/deploy/rbac.ts";
import { type PolicyRule, rightsOf } from "../../infra/deploy/rights.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { type Connect, createTransport } from "../../infra/platform/kube/transport.ts";
import { ofSim } from "../../infra/playground/release/providers.ts";
import { SubjectAccessReview } from "../../infra/worker/diagnostics/reviews.ts";
import { loadFunctions } from "../../infra/worker/load.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import { valueAt } from "../../shared/api/path.ts";
import { OF_SIMS, userOf } from "./deployed-accounts.ts";
import { eventually } from "./eventually.ts";

const [RELAY, WORKLOAD] = ["capstan-relay", workersOf("workload")];

/** Providers of tests in API groups of their own. */
const PROVIDERS = [
  "bar.example.com",
  "bare.example.com",
  "foo.example.com",
  "old.example.com",
  "sim.capstan.dev",
];
const FOREIGN_KINDS = [
  ...PROVIDERS.flatMap((name) =>
    ["bootstrap", "controlplane", "infrastructure"].map((part) => `${part}.${name}`),
  ),
  "fence-agents-remediation.medik8s.io",
].map((group) => ({ group, plural: "*" }));

const WITHIN = { withinMs: 60_000, stepMs: 20 };

const granted = new Map<string, Promise<void>>();

/** Creates the accounts of a deployment with the rights that follow from the functions, once on each server. */
export function grantAccounts(kubeconfigFile: string): Promise<void> {
  const granting = granted.get(kubeconfigFile) ?? grant(kubeconfigFile);
  granted.set(kubeconfigFile, granting);
  return granting;
}

async function grant(kubeconfigFile: string): Promise<void> {
  const access = await loadKubeconfig({ file: kubeconfigFile, env: {} });
  using server = createServer(access, { clock: systemClock });
  const client = server.as("test");
  const processes = await serverProcesses();
  // A relay of a test watches for the simulated provider as well, and kubeconfigs: a change is seen at once.
  const ofSims = rightsOf(await loadFunctions(OF_SIMS), ofSim, ["relay"]);
  const ofRelay = [...ofSims, ...WATCHED_KUBECONFIGS];
  const manifests = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } },
    ...processes.flatMap((process) => [
      serviceAccount(process.name, NAMESPACE),
      clusterRole(process.name, [...rulesOf(process), ...(process.name === RELAY ? ofRelay : [])]),
    ]),
    ...roleOf(RELAY, NAMESPACE, LEASE_RULES),
    ...processes.map(({ name }) => clusterRoleBinding(name, name, NAMESPACE)),
  ];
  await applyManifests(
    client,
    manifests.map((object) => ({ object: object as KubeObject })),
  );
  // The server learns of roles and of bindings a moment later, of each in their order.
  const user = userOf(processes.at(-1)?.name ?? "");
  const resourceAttributes = { verb: "create", resource: "events" };
  await eventually(async () => {
    const review = await client.review(SubjectAccessReview, { user, resourceAttributes });
    return valueAt(review as unknown as KubeObject, "status.allowed") === true;
  }, WITHIN);
}

function rulesOf(process: ServerProcess): readonly PolicyRule[] {
  const ofProviders = providerRoles(FOREIGN_KINDS, [process]).flatMap(({ rules }) => rules as PolicyRule[]);
  return [...rightsOfProcess(process), ...ofProviders];
}

/** Connections of a whole Capstan in one process, each of whose parts acts under its own account. */
interface ActingConnections {
  readonly connect: Connect;
  /** Throws when an account has been refused anything: nothing of ours needs a right that it lacks. */
  refuseMissingRights(): void;
}

/**
 * Impersonates the account of a deployment that runs the function which a request names. The functions of a simulated
 * provider, and processes outside of a deployment, act as the user of the kubeconfig.
 */
export async function actAsAccounts(): Promise<ActingConnections> {
  const accounts = await accountsByActor();
  const missing = new Set<string>();
  const acting: Connect = (access) => {
    const transport = createTransport(access);
    const under = <Request extends { readonly headers: Readonly<Record<string, string>> }>(
      request: Request,
    ) => {
      const actor = request.headers["User-Agent"]?.split(" ").at(-1) ?? "";
      const account = accounts.get(actor);
      if (account === undefined) return request;
      return { ...request, headers: { ...request.headers, "Impersonate-User": userOf(account) } };
    };
    return {
      async send(request, limitBytes, signal) {
        const answer = await transport.send(under(request), limitBytes, signal);
        if (answer.status === 403 && answer.text.includes(`User \\"${userOf("")}`)) missing.add(answer.text);
        return answer;
      },
      async open(request, signal) {
        const answer = await transport.open(under(request), signal);
        if (answer.statusCode === 403) missing.add(`${request.method} ${request.path}`);
        return answer;
      },
      [Symbol.dispose]: () => transport[Symbol.dispose](),
    };
  };
  return {
    connect: acting,
    refuseMissingRights() {
      if (missing.size > 0) throw new Error(`an account was refused: ${[...missing].join("\n")}`);
    },
  };
}

/** By the last word of the User-Agent. */
async function accountsByActor(): Promise<ReadonlyMap<string, string>> {
  const workers = (await serverProcesses()).filter(({ part }) => part === "worker");
  const functions = workers.flatMap(({ name, functions }) =>
    functions.map(({ spec }) => [spec.name, name] as const),
  );
  return new Map([["relay", RELAY], ["worker", WORKLOAD], ...functions]);
}
