import { readFile } from "node:fs/promises";
import type { KubeObject } from "../../shared/api/kinds.ts";
import { type ApiClient, type Body, clientFor, MERGE } from "../infra/playground/apiserver/api-client.ts";
import { ALL_KINDS } from "./all-kinds.ts";
import type { Kubectl } from "./processes/kubectl.ts";
import { readKubeconfig } from "./read-kubeconfig.ts";

/**
 * Objects of the namespace default, over HTTP: tests look at them hundreds of times, and kubectl is a process each time.
 * `resource`: plural name of a kind of Capstan, of the core group, or `group/version/plural`. Methods throw with the
 * words of the server.
 */
export interface Objects {
  read<T = KubeObject>(resource: string, name: string): Promise<T>;
  /** `selector`: `labelSelector=a=b`, `fieldSelector=reason=R`. */
  list<T = KubeObject>(resource: string, selector?: string): Promise<readonly T[]>;
  create(resource: string, object: object): Promise<KubeObject>;
  /** JSON merge patch, or a patch of another type. */
  change(resource: string, name: string, body: object, type?: string): Promise<void>;
  remove(resource: string, name: string): Promise<void>;
}

/** Those of a server whose kubeconfig one of ours has written. The file is read at the first look. */
export function objectsOf(kubeconfigFile: string): Objects {
  let client: Promise<ApiClient> | undefined;
  const send = async (request: string, body?: object, type?: string): Promise<Body> => {
    client ??= clientOf(kubeconfigFile);
    const [method = "", path = ""] = request.split(" ");
    const reply = await (await client).call(method, path, { body, ...(type === undefined ? {} : { type }) });
    if (reply.code >= 300) throw new Error(`${request}: ${reply.code} ${reply.text}`);
    return reply.body;
  };
  return {
    read: (resource, name) => send(`GET ${pathOf(resource)}/${name}`),
    async list(resource, selector) {
      const [kind = "", ...rest] = (selector ?? "").split("=");
      const query = selector === undefined ? "" : `?${kind}=${encodeURIComponent(rest.join("="))}`;
      return (await send(`GET ${pathOf(resource)}${query}`)).items;
    },
    create: (resource, object) => send(`POST ${pathOf(resource)}`, object),
    change: (resource, name, body, type = MERGE) => send(`PATCH ${pathOf(resource)}/${name}`, body, type),
    remove: (resource, name) => send(`DELETE ${pathOf(resource)}/${name}`),
  };
}

/** The same by kubectl, one process for each. */
export function objectsThrough(kubectl: Kubectl): Objects {
  return {
    read: async (resource, name) => JSON.parse(await kubectl(`get ${resource}/${name} -o json`)),
    async list(resource, selector = "") {
      const [kind, ...rest] = selector.split("=");
      const option = kind === "labelSelector" ? "--selector" : "--field-selector";
      const selected = selector === "" ? "" : `${option}=${rest.join("=")}`;
      return JSON.parse(await kubectl(`get ${resource} ${selected} -o json`)).items;
    },
    create: async (_resource, object) =>
      JSON.parse(await kubectl("create -o json -f -", JSON.stringify(object))),
    async change(resource, name, body) {
      await kubectl(`patch ${resource}/${name} --type=merge -p '${JSON.stringify(body)}'`);
    },
    async remove(resource, name) {
      await kubectl(`delete ${resource}/${name} --wait=false`);
    },
  };
}

async function clientOf(kubeconfigFile: string): Promise<ApiClient> {
  const { clusters, users } = readKubeconfig(await readFile(kubeconfigFile, "utf8"));
  return clientFor(clusters[0].cluster.server, users[0].user.token);
}

/** Of Nodes, too: those have no namespace. */
function pathOf(resource: string): string {
  const [group, version, plural] = resource.split("/");
  if (plural !== undefined) return `/apis/${group}/${version}/namespaces/default/${plural}`;
  const known = ALL_KINDS.find((kind) => kind.plural === resource);
  const place = known?.namespaced === false ? "" : "/namespaces/default";
  const api = known === undefined || known.group === "" ? "/api/v1" : `/apis/${known.group}/${known.version}`;
  return `${api}${place}/${resource}`;
}
