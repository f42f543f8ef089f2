import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { type ApiServer, startApiServer } from "../../infra/playground/apiserver/entry.ts";
import { CANARY } from "../support/canaries.ts";
import { eventually } from "../support/eventually.ts";
import { type FooScene, fooPool, startFooScene } from "../support/foo-pools.ts";
import { patchStatus } from "../support/foo-workload.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { runCli } from "../support/processes/cli.ts";
import { kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN = { withinMs: 60_000, stepMs: 500 };

/** A Cluster without control plane object, so that its kubeconfig Secret is the user's. */
function fooCluster(name: string): string {
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: ${name}, namespace: default }
spec:
  infrastructureRef: { apiGroup: infrastructure.foo.example.com, kind: FooCluster, name: ${name} }
---
apiVersion: infrastructure.foo.example.com/v1
kind: FooCluster
metadata: { name: ${name}, namespace: default }
spec: {}
`;
}

function secretOf(name: string, data: { readonly [key: string]: string }): string {
  return stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: `${name}-kubeconfig`,
      namespace: "default",
      labels: { "cluster.x-k8s.io/cluster-name": name },
    },
    stringData: data,
  });
}

/** A kubeconfig whose token must never be seen. */
function kubeconfigFor(cluster: object, user: object = { token: CANARY }): { readonly value: string } {
  const value = stringify({
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
  return { value };
}

/** Servers that do not answer as they must. */
interface Strange extends AsyncDisposable {
  readonly silent: string;
  readonly tls: ApiServer;
  readonly readOnly: string;
  readonly plain: ApiServer;
}

async function startStrange(): Promise<Strange> {
  await using stack = new AsyncDisposableStack();
  const tls = await startApiServer({ name: "tls", tls: true });
  stack.defer(() => tls.stop());
  const plain = await startApiServer({ name: "plain" });
  stack.defer(() => plain.stop());
  const sockets = new Set<Socket>();
  const hole = createServer((socket) => sockets.add(socket));
  await new Promise<void>((resolve) => hole.listen(0, "127.0.0.1", resolve));
  stack.defer(() => {
    hole.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = hole.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const owned = stack.move();
  return {
    silent: `http://127.0.0.1:${port}`,
    tls,
    plain,
    readOnly: plain.addUser({ name: "nobody", allow: [] }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The ways in which the Secret of a Cluster can be wrong; `undefined`: there is none. */
const BROKEN: readonly (readonly [
  name: string,
  data: (strange: Strange) => { readonly [key: string]: string } | undefined,
  text: RegExp,
])[] = [
  ["no-secret", () => undefined, /Secret default\/no-secret-kubeconfig does not exist/],
  ["no-key", () => ({ config: "x" }), /Secret default\/no-key-kubeconfig: key value missing/],
  ["malformed", () => ({ value: "clusters: [" }), /malformed-kubeconfig, key value: .* is not YAML/],
  [
    "exec",
    () => kubeconfigFor({ server: "https://10.0.0.1" }, { exec: { command: "aws" } }),
    /field exec runs a command/,
  ],
  ["refused", () => kubeconfigFor({ server: "http://127.0.0.1:9" }), /127\.0\.0\.1:9 refuses the connection/],
  [
    "no-name",
    () => kubeconfigFor({ server: "https://nowhere.invalid:6443" }),
    /nowhere\.invalid:6443 (is not found in DNS|cannot be looked up: DNS does not answer)/,
  ],
  ["silent", ({ silent }) => kubeconfigFor({ server: silent }), /127\.0\.0\.1:\d+ does not answer in time/],
  [
    "metadata",
    () => kubeconfigFor({ server: "https://169.254.169.254" }),
    /server address 169\.254\.169\.254 is link-local/,
  ],
  [
    "wrong-ca",
    ({ tls }) => kubeconfigFor({ server: `https://127.0.0.1:${tls.port}` }),
    /the certificate of 127\.0\.0\.1:\d+ is not signed by the expected CA/,
  ],
  [
    "wrong-token",
    ({ tls }) => {
      const ca = Buffer.from(tls.certificateAuthority() ?? "").toString("base64");
      return kubeconfigFor({ server: `https://127.0.0.1:${tls.port}`, "certificate-authority-data": ca });
    },
    /127\.0\.0\.1:\d+ refuses the credentials \(401\)/,
  ],
  [
    "no-right",
    ({ plain, readOnly }) => ({ value: plain.kubeconfig(readOnly) }),
    /127\.0\.0\.1:\d+ does not allow listing and watching Nodes \(403\)/,
  ],
];

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `what does not work is understood from one command on ${flavour.name}`,
    () => {
      const stack = new AsyncDisposableStack();
      let scene: FooScene;
      let strange: Strange;
      let dir: string;
      let explain: (kind: string, name: string, ...args: readonly string[]) => Promise<string>;
      beforeAll(async () => {
        scene = stack.use(await startFooScene(flavour));
        strange = stack.use(await startStrange());
        dir = testFolder("diagnosis");
        const letters = ["--dead-letters", join(dir, "letters.jsonl")];
        explain = async (kind, name, ...args) => {
          const where = ["--kubeconfig", scene.kubeconfigFile, ...letters];
          const { code, output } = await runCli("explain", kind, `default/${name}`, ...where, ...args);
          expect(code, output).toBe(0);
          return output;
        };
      });
      afterAll(() => stack.disposeAsync());

      const describeOf = (kind: string, name: string) => scene.kubectl(`describe ${kind} ${name}`);
      const warningsOf = async (name: string) => {
        const selector = `involvedObject.name=${name},type=Warning`;
        const { items } = JSON.parse(await scene.kubectl(`get events --field-selector ${selector} -o json`));
        return (items as { reason: string; message: string }[]).map(
          ({ reason, message }) => `${reason} ${message}`,
        );
      };

      it("has no Warning about what works", async () => {
        expect(await warningsOf("foo")).toEqual([]);
        expect(await warningsOf("foo-pool")).toEqual([]);
        const text = await explain("cluster", "foo");
        expect(text).not.toContain("!");
        expect(text).toMatch(/functions have nothing to do; --all shows each/);
        expect(await explain("cluster", "foo", "--all")).toMatch(/cluster-guard +nothing to do/);
      });

      it("names what is wrong with a kubeconfig Secret or the server in it, in condition, Event and explain", async () => {
        for (const [name, data] of BROKEN) {
          const secret = data(strange);
          const parts = [fooCluster(name), ...(secret === undefined ? [] : [secretOf(name, secret)])];
          await scene.kubectl("apply -f -", parts.join("---\n"));
          // Its provider runs, and says nothing of use.
          await patchStatus(scene.kubectl, `foocluster/${name}`, { conditions: [] });
        }
        for (const [name, , text] of BROKEN) {
          await eventually(async () => {
            const described = await describeOf("cluster", name);
            expect(described, name).toMatch(new RegExp(`Remote connection .*: .*${text.source}`));
            expect(described, name).toMatch(new RegExp(`Warning +ConnectionFailed .*${text.source}`));
            expect(described).not.toContain(CANARY);
          }, WITHIN);
          expect(await warningsOf(name), name).toHaveLength(1);
          const explained = await explain("cluster", name);
          expect(explained.match(new RegExp(text, "g")), explained).toHaveLength(1);
          expect(explained).toMatch(/holds up Cluster default\/\S+: RemoteConnectionProbe/);
          expect(explained).not.toContain(CANARY);
        }
      });

      it("continues at once when the Secret is repaired, and reports nothing more", async () => {
        await scene.kubectl("apply -f -", secretOf("refused", { value: scene.workload.server.kubeconfig() }));
        await scene.kubectl("wait cluster/refused --for=condition=RemoteConnectionProbe --timeout=240s");
        expect(await explain("cluster", "refused")).not.toContain("!");
        expect(await warningsOf("refused")).toHaveLength(1);
      });

      it("warns at once when the Secret of a connected cluster is deleted, and says it until it is back", async () => {
        const { kubectl, workload } = scene;
        await kubectl("delete secret refused-kubeconfig");
        await eventually(async () => {
          const { items } = JSON.parse(await kubectl("get events -o json"));
          expect(JSON.stringify(items)).toContain("refused-kubeconfig does not exist");
        }, WITHIN);
        expect(await explain("cluster", "refused")).toContain(
          "! kubeconfig Secret default/refused-kubeconfig does not exist",
        );
        // After the grace period of 50 s.
        await kubectl("wait cluster/refused --for=condition=RemoteConnectionProbe=False --timeout=240s");
        expect(await describeOf("cluster", "refused")).toMatch(
          /probe last succeeded at \S+: kubeconfig Secret default\/refused-kubeconfig does not exist/,
        );
        await kubectl("apply -f -", secretOf("refused", { value: workload.server.kubeconfig() }));
        await kubectl("wait cluster/refused --for=condition=RemoteConnectionProbe --timeout=240s");
      });

      it("says on a pool why it sees no Nodes", async () => {
        const pool = fooPool("away", { metadata: "" }).replaceAll("clusterName: foo", "clusterName: silent");
        await scene.kubectl("apply -f -", pool);
        await patchStatus(scene.kubectl, "fooconfig/away", {
          initialization: { dataSecretCreated: true },
          dataSecretName: "away-data",
        });
        await patchStatus(scene.kubectl, "foomachinepool/away", {
          ready: true,
          replicas: 1,
          initialization: { provisioned: true },
        });
        await eventually(async () => {
          expect(await describeOf("machinepool", "away")).toMatch(
            /0 available replicas, 1 desired; workload cluster default\/silent is not connected: \S+ does not answer in time/,
          );
        }, WITHIN);
        const explained = await explain("machinepool", "away");
        expect(explained.match(/does not answer in time/g), explained).toHaveLength(1);
        expect(explained).toMatch(/holds up MachinePool default\/away: .*machinepool-nodes/);
      });

      it("names a kind without contract label or that is missing once, and the command that it names heals it", async () => {
        const { kubectl } = scene;
        await kubectl("label crd fooclusters.infrastructure.foo.example.com cluster.x-k8s.io/v1beta2-");
        const lost = fooCluster("unlabelled").replace(
          "spec:\n",
          "spec:\n  controlPlaneRef: { apiGroup: nowhere.example.com, kind: NoControlPlane, name: x }\n",
        );
        await kubectl("apply -f -", lost);
        await eventually(async () => {
          const described = await describeOf("cluster", "unlabelled");
          expect(described).toMatch(/Warning +UnresolvedReference .*kubectl label crd fooclusters/);
          expect(described).toMatch(/Warning +UnresolvedReference .*NoControlPlane does not exist; install/);
        }, WITHIN);
        const explained = await explain("cluster", "unlabelled");
        expect(explained.match(/has no label/g), explained).toHaveLength(1);
        expect(explained.match(/NoControlPlane does not exist/g), explained).toHaveLength(1);
        const [, command = ""] = /kubectl (label crd \S+ \S+)/.exec(explained) ?? [];
        await kubectl(command);
        await eventually(async () => {
          expect(await explain("cluster", "unlabelled")).not.toContain("has no label");
        }, WITHIN);
        expect((await warningsOf("unlabelled")).length).toBe(2);
        await kubectl("delete cluster unlabelled --timeout=240s");
      });

      it("says of spec.topology what runs it, and lets such a Cluster go", async () => {
        const { kubectl } = scene;
        const planned = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: planned, namespace: default }
spec: { topology: { classRef: { name: small }, version: v1.34.2 } }
`;
        await kubectl("apply -f -", planned);
        const text =
          /spec\.topology needs Cluster API's topology controller, which does not run here; set infrastructureRef/;
        await eventually(async () => {
          const described = await describeOf("cluster", "planned");
          expect(described).toMatch(new RegExp(`Message: +${text.source}`));
          expect(described).toMatch(new RegExp(`Warning +TopologyNotSupported .*${text.source}`));
        }, WITHIN);
        const explained = await explain("cluster", "planned");
        expect(explained.match(/topology controller/g), explained).toHaveLength(1);
        expect(explained).toContain("→ set infrastructureRef and controlPlaneRef instead");
        await kubectl("delete cluster planned --timeout=240s");
      });

      it("says what a provider reports", async () => {
        const message = "quota of 3 instances exceeded";
        await patchStatus(scene.kubectl, "foocluster/silent", {
          conditions: [
            {
              type: "Ready",
              status: "False",
              reason: "Quota",
              message,
              lastTransitionTime: "2026-01-01T00:00:00Z",
            },
          ],
        });
        await eventually(async () => {
          expect(await describeOf("cluster", "silent")).toMatch(
            /Message: +quota of 3 instances exceeded[\s\S]*Type: +InfrastructureReady/,
          );
        }, WITHIN);
        expect(await explain("cluster", "silent")).toContain(`InfrastructureReady False (Quota): ${message}`);
      });
    },
  );
}
