import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { NAMESPACE } from "../../../infra/deploy/manifests/deployments.ts";
import { startApiServer } from "../../../infra/playground/apiserver/entry.ts";
import { ALL_KINDS } from "../all-kinds.ts";
import { grantAccounts } from "../derived-accounts.ts";
import { eventually } from "../eventually.ts";
import { type AuditedRequest, readAuditLog } from "./audit-log.ts";
import { kubectlFor } from "./kubectl.ts";
import { type RealServer, realServerMissing, startRealServer } from "./real-server.ts";

/** An API server under test: the same stories run on each. */
export interface TestServer extends AsyncDisposable {
  readonly kubeconfigFile: string;
  readonly garbageCollector: boolean;
  /** Every request so far, in order. */
  requests(): Promise<readonly AuditedRequest[]>;
  /** The accounts of a deployment, one for each of its processes. */
  accounts(): Promise<Accounts>;
  /** A kubeconfig for Capstan with which everything of this group is allowed but to watch it. */
  withoutWatchOf(group: string, plurals: readonly string[]): Promise<string>;
  /** A kubeconfig with which this resource cannot be read: `secrets`, `machines.cluster.x-k8s.io`. */
  withoutReading(resource: string): Promise<string>;
  /** Refuses these writes with 403 from now on, until the result is called. */
  refuse(refusal: Refusal): Promise<() => Promise<unknown>>;
}

interface Accounts {
  /** Where they may keep Leases. */
  readonly namespace: string;
  /** Returns a kubeconfig with a token of `capstan-relay`, say. */
  fileOf(account: string): Promise<string>;
}

/** Writes that a server refuses, as a quota or an admission webhook does. */
interface Refusal {
  /** Default: Forbidden, 403. */
  readonly reason?: "Invalid";
  readonly group: string;
  readonly plural: string;
  /** An apply may create, too. */
  readonly verb: "create" | "patch";
  readonly subresource?: "status";
  /** Of the object. Default: all. */
  readonly name?: string;
  /** Part of the User-Agent; the real server looks at the object instead. */
  readonly by: string;
  /** CEL of the real server: such an object is let through. */
  readonly unless: string;
  readonly message: string;
  /** Arguments and input of kubectl: a write that the real server refuses as soon as it knows of this. */
  readonly probe: readonly [args: string, input?: string];
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
      accounts: async () => ({ namespace: "default", fileOf: async () => kubeconfigFile }),
      async withoutWatchOf(group, plurals) {
        for (const plural of plurals) {
          const on = { verbs: ["watch"], resource: `${plural}.${group}` };
          server.faults.add({ on, effect: { kind: "status", code: 403 } });
        }
        return kubeconfigFile;
      },
      async withoutReading(resource) {
        server.faults.add({
          on: { verbs: ["get", "list"], resource },
          effect: { kind: "status", code: 403 },
        });
        return kubeconfigFile;
      },
      async refuse({ reason, group, plural, verb, subresource, name, by, message }) {
        const resource = group === "" ? plural : `${plural}.${group}`;
        const verbs = verb === "create" ? [verb, "patch"] : [verb];
        const on = { verbs, resource, subresource, name, userAgent: by };
        const code = reason === "Invalid" ? 422 : 403;
        const id = server.faults.add({ on, effect: { kind: "status", code, message } });
        return async () => server.faults.remove(id);
      },
      async [Symbol.asyncDispose]() {
        await server.stop();
        await rm(dir, { recursive: true, force: true });
      },
    };
  },
};

const ASSETS = process.env["KUBEBUILDER_ASSETS"];
const enforcing = new Set<string>();

/** Whether the server of this kubeconfig, one for everything, knows accounts and what each may do. */
export function enforcesRights(kubeconfigFile: string): boolean {
  return enforcing.has(kubeconfigFile);
}

export const REAL: ServerFlavour = {
  name: "a real kube-apiserver",
  missing: realServerMissing(ASSETS),
  optional: true,
  async start() {
    const server = await startRealServer(ASSETS ?? "");
    enforcing.add(server.kubeconfigFile);
    return {
      kubeconfigFile: server.kubeconfigFile,
      garbageCollector: server.garbageCollector,
      requests: () => readAuditLog(server.auditLog),
      accounts: () => accountsOf(server),
      withoutWatchOf: (group) => accountWithoutWatch(server, group),
      withoutReading: (resource) => accountWithoutGroup(server, resource.split(".").slice(1).join(".")),
      refuse: (refusal) => refuseByPolicy(server, refusal),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
};

async function accountsOf(server: RealServer): Promise<Accounts> {
  await grantAccounts(server.kubeconfigFile);
  const kubectl = kubectlFor(server.kubeconfigFile, NAMESPACE);
  const write = async (account: string): Promise<string> => {
    const file = join(dirname(server.kubeconfigFile), account);
    const token = await kubectl(`create token ${account} --duration=2h`);
    await writeFile(file, server.kubeconfigWith(token.trim()), { mode: 0o600 });
    return file;
  };
  // Each once: processes that start side by side would read what another one is writing.
  const written = new Map<string, Promise<string>>();
  return {
    namespace: NAMESPACE,
    fileOf(account) {
      const file = written.get(account) ?? write(account);
      written.set(account, file);
      return file;
    },
  };
}

/** Rights only add up: everything of the groups that Capstan uses, and of this one all but to watch. */
async function accountWithoutWatch(server: RealServer, group: string): Promise<string> {
  const user = "capstan-without-watch";
  const groups = [...new Set([...ALL_KINDS.map((kind) => kind.group), "infrastructure.cluster.x-k8s.io"])];
  const [role, verbs] = [`${user}-role`, "get,list,create,patch,delete"];
  const kubectl = kubectlFor(server.kubeconfigFile);
  const rules = [
    { apiGroups: groups, resources: ["*"], verbs: ["*"] },
    { apiGroups: [group], resources: ["*"], verbs: verbs.split(",") },
  ];
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const manifest = { apiVersion, kind: "ClusterRole", metadata: { name: role }, rules };
  await kubectl("apply -f -", JSON.stringify(manifest));
  await kubectl(`create clusterrolebinding ${role} --clusterrole=${role} --user=${user}`);
  const file = join(dirname(server.kubeconfigFile), user);
  await writeFile(file, await server.kubeconfigOf(user), { mode: 0o600 });
  return file;
}

/** Rights only add up: every group but this one. */
async function accountWithoutGroup(server: RealServer, group: string): Promise<string> {
  const user = `capstan-without-${group === "" ? "core" : group}`;
  const groups = [
    "",
    "apiextensions.k8s.io",
    "ipam.cluster.x-k8s.io",
    ...ALL_KINDS.map((kind) => kind.group),
  ];
  const providers = ["infrastructure", "bootstrap", "controlplane"].map((name) => `${name}.cluster.x-k8s.io`);
  const apiGroups = [...new Set([...groups, ...providers])].filter((each) => each !== group);
  const manifest = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: user },
    rules: [{ apiGroups, resources: ["*"], verbs: ["get", "list"] }],
  };
  const kubectl = kubectlFor(server.kubeconfigFile);
  await kubectl("apply -f -", JSON.stringify(manifest));
  await kubectl(`create clusterrolebinding ${user} --clusterrole=${user} --user=${user}`);
  const file = join(dirname(server.kubeconfigFile), user);
  await writeFile(file, await server.kubeconfigOf(user), { mode: 0o600 });
  return file;
}

async function refuseByPolicy(server: RealServer, refusal: Refusal): Promise<() => Promise<unknown>> {
  const { reason = "Forbidden", group, plural, verb, subresource, name, unless, message, probe } = refusal;
  const kubectl = kubectlFor(server.kubeconfigFile);
  const apiVersion = "admissionregistration.k8s.io/v1";
  const policyName = `refuse-${plural}-${name ?? "all"}`;
  const metadata = { name: policyName };
  const resources = [subresource === undefined ? plural : `${plural}/${subresource}`];
  const operations = [verb === "create" ? "CREATE" : "UPDATE"];
  const expression = name === undefined ? unless : `request.name != '${name}' || (${unless})`;
  const spec = {
    failurePolicy: "Fail",
    matchConstraints: { resourceRules: [{ apiGroups: [group], apiVersions: ["*"], operations, resources }] },
    validations: [{ expression, message, reason }],
  };
  const policy = { apiVersion, kind: "ValidatingAdmissionPolicy", metadata, spec };
  const binding = {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata,
    spec: { policyName, validationActions: ["Deny"] },
  };
  await kubectl("apply -f -", `${JSON.stringify(policy)}\n---\n${JSON.stringify(binding)}`);
  const [args, input] = probe;
  await eventually(async () => !(await kubectl.try(`${args} --dry-run=server`, input)).ok, {
    withinMs: 60_000,
    stepMs: 300,
  });
  return () => kubectl(`delete validatingadmissionpolicybinding/${policyName}`);
}

export const API_SERVERS: readonly ServerFlavour[] = [EMBEDDED, REAL];

/**
 * Where long stories are played: on the real server, which is the judge. The embedded one stands in where it is missing;
 * `npm run test:servers` plays them on both.
 */
export const JUDGES: readonly ServerFlavour[] =
  REAL.missing !== undefined || process.env["CAPSTAN_TEST_SERVERS"] === "both" ? API_SERVERS : [REAL];
