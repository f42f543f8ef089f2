import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { load } from "js-yaml";
import { expect, it } from "vitest";
import { buildInto } from "../../infra/deploy/build.ts";
import { renderInto } from "../../infra/deploy/rendered.ts";
import { startEksAuthenticator } from "../support/aws/eks-authenticator.ts";
import { readStack } from "../support/aws/stack.ts";
import { CANARY } from "../support/canaries.ts";
import { eventually } from "../support/eventually.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { startCli } from "../support/processes/cli.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { type LambdaPlatform, startLambdaPlatform } from "../support/processes/lambda-platform.ts";
import { startManager } from "../support/processes/managers.ts";
import { startRealServer } from "../support/processes/real-server.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { startSqs } from "../support/processes/sqs.ts";
import { startProxy } from "../support/processes/tcp-proxy.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN = { withinMs: 120_000, stepMs: 300 };
const CORE = "capstan-worker-core";

/** Relay, Lambda functions of the rendered template, and the simulated provider, all on one real kube-apiserver. */
async function start() {
  await using stack = new AsyncDisposableStack();
  const built = testFolder("lambda");
  await buildInto(built);
  const eks = stack.use(await startEksAuthenticator("demo"));
  const server = stack.use(
    await startRealServer(process.env["KUBEBUILDER_ASSETS"] ?? "", { tokenWebhook: eks.kubeconfig }),
  );
  const redis = stack.use(await startRedis());
  const sqs = stack.use(await startSqs());
  const { cluster } = (load(server.kubeconfig) as Kubeconfig).clusters[0];
  // Lambda functions reach both through networks that a test can cut.
  const api = stack.use(await startProxy(cluster.server));
  const ledger = stack.use(await startProxy(redis.url));
  const withPassword = (url: string) => url.replace("//", `//default:${CANARY}@`);
  const emulated = `&endpoint=${sqs.endpoint}&createQueues=false`;

  const kubectl = kubectlFor(server.kubeconfigFile);
  const cloud = ["up", "--kubeconfig", server.kubeconfigFile, "--install-crds", "--roles", "cloud"];
  const clouds = stack.use(startCli([...cloud, "--empty", "--quiet"]));
  await eventually(() => expect(clouds.output()).toContain("kubectl"), WITHIN);
  const env = { ...process.env, KUBECONFIG: server.kubeconfigFile };
  const rendered = join(built, "rendered");
  await renderInto(rendered);
  for (const line of await commandsOfReadme()) {
    const command = line.replace(".capstan/rendered", rendered);
    await promisify(execFile)("sh", ["-c", command], { env });
  }
  stack.use(await startManager(server.kubeconfigFile, "--functions", "sim-*"));

  const parameters = {
    ImageUri: "capstan",
    Architecture: "arm64",
    SubnetIds: "subnet-1",
    SecurityGroupIds: "sg-1",
    RedisSecret: "capstan-redis",
    EksCluster: "demo",
    EksServer: api.url,
    EksCa: cluster["certificate-authority-data"],
    LogLevel: "warn",
    RedisMayLoseData: "true",
  };
  const template = await readStack(parameters, {
    "capstan-redis:SecretString:url": withPassword(ledger.url),
  });
  const platform = stack.use(
    await startLambdaPlatform({
      stack: template,
      sqs,
      entrypoint: [process.execPath, join(built, "infra/cli/main.js")],
      environments: (name) => (name === CORE ? 2 : 1),
      adapt: (variables) => ({ ...variables, CAPSTAN_QUEUE: `${variables["CAPSTAN_QUEUE"]}${emulated}` }),
    }),
  );
  for (const { name, groups } of template.lambdas) eks.admit(platform.principalOf(name), groups);
  const { accessKeyId, secretAccessKey } = platform.principalOf("capstan-relay");
  const queue = `sqs://us-east-1?redis=${withPassword(redis.url)}${emulated}`;
  const relay = stack.use(
    startCli(["relay", "--kubeconfig", server.kubeconfigFile, "--functions", "cluster-api"], {
      CAPSTAN_QUEUE: queue,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    }),
  );
  const running = stack.move();
  return { kubectl, api, ledger, platform, relay, eks, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Commands of the README that grant rights; cfn-lint runs in test/infra/deploy/lambda. */
async function commandsOfReadme(): Promise<readonly string[]> {
  const readme = await readFile("infra/deploy/lambda/README.md", "utf8");
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)];
  const commands = blocks.flatMap(([, block = ""]) => block.trim().split("\n"));
  expect(commands.filter((command) => command.startsWith("cfn-lint "))).toHaveLength(1);
  return commands.filter((command) => !command.startsWith("cfn-lint "));
}

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: Readonly<Record<"server" | "certificate-authority-data", string>> },
  ];
}

/** `sqs:` actions of a role, granted and used. */
function actionsOf(platform: LambdaPlatform, name: string) {
  const granted = platform
    .principalOf(name)
    .statements.flatMap(({ Effect, Action }) =>
      Effect === "Allow" ? Action.filter((action) => action.startsWith("sqs:")) : [],
    );
  const used = platform.calls.filter(({ principal, allowed }) => principal === name && allowed);
  return { granted: new Set(granted), used: new Set(used.map(({ action }) => action)) };
}

/** Works without a statement of a role, until the result is called. */
function takeAway(platform: LambdaPlatform, name: string, action: string): () => void {
  const role = platform.principalOf(name);
  const before = role.statements;
  role.statements = before.map((each) => ({ ...each, Action: each.Action.filter((one) => one !== action) }));
  expect(role.statements).not.toEqual(before);
  return () => {
    role.statements = before;
  };
}

describeWith(REAL.missing ?? redisMissing() ?? kubectlMissing(), REAL)(
  "the rendered template on a real kube-apiserver",
  () => {
    it("frozen and thawed Lambda functions bring pools to Running, with the rights of their roles", async () => {
      await using world = await start();
      const { kubectl, platform, relay } = world;
      const running = (pool: string) =>
        kubectl(`wait machinepool/${pool} --for=jsonpath={.status.phase}=Running --timeout=240s`);
      await kubectl("apply -f -", [simCluster("c1"), simPool("p1", "c1", 3)].join("---"));
      await running("p1");
      const environments = [...platform.environments.values()].flat();
      // The last event of one may still be with it.
      await eventually(() => {
        expect(environments.map(({ freezes }) => freezes > 0)).toEqual([true, true, true, true]);
      }, WITHIN);

      // Whatever they were connected to has forgotten them: Redis without a word, the API server with a reset.
      await Promise.all([world.ledger.cut("silent"), world.api.cut("refused")]);
      await Promise.all([world.ledger.mend(), world.api.mend()]);
      await kubectl("apply -f -", simPool("p2", "c1", 3));
      await running("p2");
      expect(platform.failures).toEqual([]);
      expect(world.eks.refusals).toEqual([]);

      // An event in the middle of a run makes its Lambda function send a token.
      let replicas = 3;
      const scale = async () => {
        replicas = replicas === 3 ? 4 : 3;
        await kubectl(`scale machinepool/p1 --replicas=${replicas}`);
      };
      const roles = ["capstan-relay", CORE];
      await eventually(async () => {
        const actions = roles.map((name) => actionsOf(platform, name));
        if (actions.some(({ granted, used }) => used.size < granted.size)) await scale();
        expect(actions.map(({ used }) => used)).toEqual(actions.map(({ granted }) => granted));
      }, WITHIN);
      expect(platform.calls.filter(({ allowed }) => !allowed)).toEqual([]);

      const refused = async (name: string, action: string, output: () => string, text: string) => {
        const giveBack = takeAway(platform, name, action);
        await eventually(async () => {
          await scale();
          expect(output()).toContain(text);
        }, WITHIN);
        giveBack();
      };
      const outputOfCore = () =>
        platform.environments
          .get(CORE)
          ?.map((each) => each.output())
          .join("") ?? "";
      expect(outputOfCore()).toContain('"Namespace":"capstan"');
      const deniedTo = (name: string) => `assumed-role/${name}/${name} is not authorized to perform: sqs:`;
      await refused(CORE, "sqs:SendMessage", outputOfCore, deniedTo(CORE));
      await refused("capstan-relay", "sqs:SendMessage", relay.output, deniedTo("capstan-relay"));
      await refused(
        CORE,
        "sqs:ReceiveMessage",
        () => platform.failures.join(),
        `${deniedTo(CORE)}receivemessage`,
      );
      await kubectl("apply -f -", simPool("p3", "c1", 1));
      await running("p3");
    });
  },
);
