import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { EMBEDDED } from "../support/processes/api-servers.ts";
import { startCli } from "../support/processes/cli.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";

const FOLDER = "infra/guides/examples";
const QUEUE = "own-queue.yaml";
/** The state that each manifest reaches, as arguments of `kubectl wait`. */
const BECOMES: { readonly [file: string]: string } = {
  "deployment.yaml": "machinedeployment/example --for=condition=Available",
  "health-check.yaml": "machinehealthcheck/demo-workers --for=jsonpath={.status.currentHealthy}=3",
  "machine.yaml": "machine/example --for=jsonpath={.status.phase}=Running",
  "pool.yaml": "machinepool/example --for=jsonpath={.status.readyReplicas}=2",
  "remediation-policy.yaml":
    "remediationpolicy/demo-workers --for=jsonpath={.metadata.ownerReferences[0].name}=demo",
  "remediation.yaml": "machinehealthcheck/demo-workers --for=condition=RemediationAllowed",
};

describeWith(kubectlMissing() ?? redisMissing())("the examples, beside the demo", () => {
  const stack = new AsyncDisposableStack();
  let kubectl: Kubectl;
  let kubeconfigFile = "";
  beforeAll(async () => {
    ({ kubeconfigFile } = stack.use(await EMBEDDED.start()));
    kubectl = kubectlFor(kubeconfigFile);
    stack.use(await startCapstan(kubeconfigFile));
    await kubectl("apply -f infra/playground/sim/example.yaml");
    await kubectl("wait cluster/demo --for=condition=Available --timeout=240s");
  });
  afterAll(() => stack.disposeAsync());

  it("are all tried here", async () => {
    const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".yaml"));
    expect(new Set(files)).toEqual(new Set([...Object.keys(BECOMES), QUEUE]));
  });

  it.each(Object.entries(BECOMES))("%s is applied and becomes what it says", async (file, becomes) => {
    await kubectl(`apply --validate=strict -f ${FOLDER}/${file}`);
    await kubectl(`wait ${becomes} --timeout=240s`);
  });

  it("a function of one's own, on a queue of one's own, labels the pool of a Cluster", async () => {
    await using redis = await startRedis();
    const shared = ["--config", `${FOLDER}/${QUEUE}`, "--queue", redis.url, "--kubeconfig", kubeconfigFile];
    await using _relay = startCli(["relay", ...shared]);
    await using _worker = startCli(["worker", ...shared]);
    await kubectl("label cluster/demo example.com/team=blue");
    const label = "--for=jsonpath={.metadata.labels.example\\.com/team}=blue";
    await kubectl(`wait machinepool/demo-pool ${label} --timeout=240s`);
  });
});
