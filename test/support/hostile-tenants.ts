import { gzipSync } from "node:zlib";
import {
  failing,
  json,
  listing,
  type ScriptedServer,
  startScriptedServer,
  text,
} from "./processes/scripted-server.ts";

/** A tenant whose Cluster is not what it seems. */
export interface HostileTenant {
  readonly name: string;
  /** The kubeconfig in its Secret. */
  readonly kubeconfig: string;
  /** Message of its Connection. */
  readonly reported: RegExp;
  /** How often it has been asked. */
  readonly asked: () => number;
}

export interface HostileTenants extends AsyncDisposable {
  readonly tenants: readonly HostileTenant[];
}

type Script = (server: ScriptedServer) => void;

/** More than a test ever asks for. */
const ANSWERS = 2_000;
const always =
  (reply: Parameters<ScriptedServer["lists"]["push"]>[0]): Script =>
  ({ lists, watchLists }) => {
    lists.push(...Array<typeof reply>(ANSWERS).fill(reply));
    watchLists.push(...Array(ANSWERS).fill(failing(422, "Invalid")));
  };

/** A list of 54 MiB that is small on the wire: a process that parses it at once does nothing else for seconds. */
function packedList(): Buffer {
  const node = (n: number) => ({
    metadata: { name: `n${n}`, uid: `u${n}`, resourceVersion: "5" },
    status: { padding: Array.from({ length: 40_000 }, () => []) },
  });
  const one = JSON.stringify(node(0));
  const count = Math.floor((54 * 1024 * 1024) / one.length);
  const items = Array.from({ length: count }, (_, n) =>
    one.replace('"n0"', `"n${n}"`).replace('"u0"', `"u${n}"`),
  );
  const body = `{"kind":"NodeList","metadata":{"resourceVersion":"10"},"items":[${items.join(",")}]}`;
  return gzipSync(body, { level: 1 });
}

/** One of each kind of issue 13, part A, that comes with a workload cluster. */
export async function startHostileTenants(): Promise<HostileTenants> {
  const stack = new AsyncDisposableStack();
  const packed = text(200, packedList(), { "Content-Type": "application/json", "Content-Encoding": "gzip" });
  let page = 0;
  const behind = {
    "packed-list": [always(packed), /more than 2000000 values/],
    "endless-list": [
      always((response, exchange) => {
        page += 1;
        listing([], "10", `token-${page}`)(response, exchange);
      }),
      /continues after 10 pages without an item/,
    ],
    "malformed-status": [
      always(json(409, { kind: "Status", reason: {}, details: { causes: "all" } })),
      /answers with status 409/,
    ],
    "malformed-list": [always(json(200, { kind: "List", metadata: {}, items: { length: 5 } })), /malformed/],
    "deep-list": [always(text(200, `{"kind":"List","items":${"[".repeat(5_000_000)}`)), /nested deeper/],
  } as const satisfies { readonly [name: string]: readonly [Script, RegExp] };
  const tenants: HostileTenant[] = [
    {
      name: "yaml-keys",
      kubeconfig: "0x:\n".repeat(65_000),
      reported: /10000 lines and values/,
      asked: () => 1,
    },
    { name: "yaml-marks", kubeconfig: "? ".repeat(130_000), reported: /lines and values/, asked: () => 1 },
  ];
  for (const [name, [script, reported]] of Object.entries(behind)) {
    const server = stack.use(await startScriptedServer());
    script(server);
    tenants.push({
      name,
      reported,
      kubeconfig: kubeconfigOf(server.url),
      asked: () => server.requests.length,
    });
  }
  return { tenants, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function kubeconfigOf(server: URL): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: server.href } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
