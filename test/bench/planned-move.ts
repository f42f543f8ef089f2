import { readMovePlan } from "../../infra/providers/clusterctl/move/read-plan.ts";
import { ensureNamespace, startSide, type TestSide } from "../support/management-side.ts";
import { plant } from "../support/planted.ts";
import { EMBEDDED, REAL } from "../support/processes/api-servers.ts";
import { restingCluster } from "../support/resting-cluster.ts";

const NAMESPACE = "fleet";
/** Of twelve objects each. */
const CLUSTERS = 84;
const WRITES = new Set(["create", "update", "patch", "delete"]);

/** A namespace with a thousand objects that can move, and a target for them. */
interface PlannedMove extends AsyncDisposable {
  readonly what: string;
  readonly args: readonly string[];
}

/** On real API servers where their binaries are there. */
export async function preparePlannedMove(): Promise<PlannedMove> {
  await using starting = new AsyncDisposableStack();
  const flavour = REAL.missing === undefined ? REAL : EMBEDDED;
  const source = starting.use(await startSide(flavour));
  const target = starting.use(await startSide(flavour));
  await ensureNamespace(source.client, NAMESPACE);
  const names = Array.from({ length: CLUSTERS }, (_, at) => `c${at}`);
  await Promise.all(names.map((name) => plant(source.client, NAMESPACE, restingCluster(name))));
  const [atSource, atTarget] = [await countsOf(source), await countsOf(target)];
  const { order } = await readMovePlan(
    { source: source.server, target: target.server },
    { namespace: NAMESPACE },
  );
  const requests = [await countsOf(source), await countsOf(target)].map(({ reads, writes }, at) => {
    const before = at === 0 ? atSource : atTarget;
    return { reads: reads - before.reads, writes: writes - before.writes };
  });
  const [here, there] = requests.map(({ reads, writes }) => `${reads} reads and ${writes} writes`);
  const started = starting.move();
  return {
    what: `move plan of ${order.flat().length} objects, ${flavour.name}; ${here} at the source, ${there} at the target`,
    args: [
      ...["move", "plan", "-n", NAMESPACE, "--kubeconfig", source.started.kubeconfigFile],
      ...["--to-kubeconfig", target.started.kubeconfigFile],
    ],
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Requests of plans so far. */
async function countsOf({ started }: TestSide): Promise<{ readonly reads: number; readonly writes: number }> {
  const own = (await started.requests()).filter(({ userAgent }) => userAgent.endsWith("move-plan"));
  const writes = own.filter(({ verb }) => WRITES.has(verb)).length;
  return { reads: own.length - writes, writes };
}
