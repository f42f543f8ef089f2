import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startApiServer } from "../../../../infra/playground/apiserver/entry.ts";
import { arnOf } from "../../../support/aws/stack.ts";
import { eventually } from "../../../support/eventually.ts";
import { MAIN, startCli } from "../../../support/processes/cli.ts";
import { kubectlFor, kubectlMissing } from "../../../support/processes/kubectl.ts";
import { startLambdaEnvironment } from "../../../support/processes/lambda-environment.ts";
import { redisMissing, startRedis } from "../../../support/processes/redis-server.ts";
import { startSqs, takeMessages } from "../../../support/processes/sqs.ts";
import { describeWith } from "../../../support/requires.ts";
import { testFolder } from "../../../support/test-folder.ts";

const QUEUE = "capstan-cluster-guard-live";
const TIMEOUT_SECONDS = 10;
const CLUSTER = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: c1, namespace: default }
spec:
  infrastructureRef: { apiGroup: infrastructure.sim.capstan.dev, kind: SimCluster, name: c1 }
`;

describeWith(redisMissing() ?? kubectlMissing())(
  "a Lambda function that stops in the middle of a run",
  () => {
    it("the platform ends it at its timeout, and another one runs the key when the lease is over", async () => {
      await using stack = new AsyncDisposableStack();
      const dir = testFolder("lambda");
      const server = stack.use(await startApiServer({ name: "test", recordRequests: true }));
      const kubeconfig = join(dir, "kubeconfig");
      await writeFile(kubeconfig, server.kubeconfig(), { mode: 0o600 });
      const [redis, sqs] = [stack.use(await startRedis()), stack.use(await startSqs())];
      const env = {
        KUBECONFIG: kubeconfig,
        CAPSTAN_QUEUE: `sqs://us-east-1?redis=${redis.url}&endpoint=${sqs.endpoint}`,
        AWS_ACCESS_KEY_ID: "test",
        AWS_SECRET_ACCESS_KEY: "test",
      };
      const relay = stack.use(startCli(["relay", "--functions", "cluster-guard", "--install-crds"], env));
      await eventually(() => expect(relay.output()).toContain("every watch has its first list"), {
        withinMs: 60_000,
      });

      const open = () =>
        startLambdaEnvironment({
          command: [
            process.execPath,
            MAIN,
            "lambda",
            "--functions",
            "cluster-guard",
            "--timeout-seconds",
            `${TIMEOUT_SECONDS}`,
          ],
          env,
          timeoutMs: TIMEOUT_SECONDS * 1_000,
        });
      const receive = () =>
        eventually(
          async () => {
            const messages = await takeMessages(sqs, QUEUE, 600);
            expect(messages).not.toHaveLength(0);
            return messages;
          },
          { withinMs: 60_000 },
        );
      const eventOf = (messages: Awaited<ReturnType<typeof takeMessages>>) => ({
        Records: messages.map(({ Body }, n) => ({
          messageId: `m${n}`,
          body: Body,
          eventSourceARN: arnOf(QUEUE),
        })),
      });
      const patches = () =>
        server.requests.filter(({ verb, resource }) => verb === "patch" && resource === "clusters");

      const on = { verbs: ["patch"], resource: "clusters.cluster.x-k8s.io" };
      server.faults.add({ on, effect: { kind: "silence", when: "before" }, times: 1 });
      const kubectl = kubectlFor(kubeconfig);
      await kubectl("apply -f -", CLUSTER);
      const first = await receive();
      const stuck = stack.use(await open());
      const outcome = stuck.invoke(eventOf(first));
      await eventually(() => expect(patches()).toHaveLength(1), { withinMs: 60_000 });
      stuck.child.kill("SIGSTOP");
      expect(await outcome).toEqual({ type: "timeout" });

      const other = stack.use(await open());
      // The relay finds the lease over, and sends the key again.
      const again = await receive();
      const handled = { type: "response", body: { batchItemFailures: [] } };
      expect(await other.invoke(eventOf(again))).toEqual(handled);
      const finalizers = await kubectl("get cluster/c1 -o jsonpath={.metadata.finalizers}");
      expect(finalizers).toContain("cluster.cluster.x-k8s.io");
      // SQS hands over the first message, too: no answer had it deleted.
      const sent = patches().length;
      expect(await other.invoke(eventOf(first))).toEqual(handled);
      expect(patches()).toHaveLength(sent);
    });
  },
);
