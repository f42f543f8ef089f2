import { CLUSTER_NAME_LABEL } from "../../../../shared/api/indexes.ts";
import { apiVersionOf, groupOf, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import { textAt } from "../../../../shared/api/path.ts";
import { type ClaimTrial, type Snapshot, titleOf } from "../../../../shared/contract/rules/probe/subject.ts";
import { clusterOn, type Stage, setPaused } from "./manifest.ts";
import { remove } from "./scratch.ts";
import { addressPoolsIn } from "./views.ts";

const CLAIM = "IPAddressClaim";
/** No Cluster has this name. */
const MISSING = "contract-missing";

/** Claims of one pool, by their names. */
interface Claims {
  readonly pool: KubeObject;
  readonly ofPaused: string;
  readonly ofMissing: string;
}

/**
 * Claims an address of each pool twice while the Cluster is paused: for this Cluster, and for one that does not exist. Both
 * have to rest. Then ends the pause, waits until the first claim has its address, and removes both.
 */
export async function runClaimTrials(stage: Stage): Promise<ReadonlyMap<string, ClaimTrial>> {
  const { scratch, watcher, options } = stage;
  const pools = addressPoolsIn(scratch.roleOf, await watcher.look());
  const kind = scratch.kinds.find((one) => one.kind === CLAIM);
  if (pools.length === 0 || kind === undefined) return new Map();
  options.note("claims of addresses, of a paused and of a missing Cluster");
  await setPaused(stage, true);
  const all = pools.map(
    (pool, index): Claims => ({
      pool,
      ofPaused: `contract-claim-${index}`,
      ofMissing: `contract-claim-missing-${index}`,
    }),
  );
  for (const { pool, ofPaused, ofMissing } of all) {
    await claim(stage, kind, { pool, name: ofPaused, cluster: clusterOn(stage).metadata.name });
    await claim(stage, kind, { pool, name: ofMissing, cluster: MISSING });
  }
  await watcher.rest(options.restMs);
  const resting = await watcher.look();
  await setPaused(stage, false);
  const { last } = await watcher.until((snapshot) =>
    all.every(({ ofPaused }) => isServed(snapshot, ofPaused)),
  );
  const trials = all.map(({ pool, ofPaused, ofMissing }): readonly [string, ClaimTrial] => {
    const paused = writtenTo(resting, ofPaused);
    return [
      titleOf(pool),
      { paused, missing: writtenTo(last, ofMissing), isServed: isServed(last, ofPaused) },
    ];
  });
  const isOfTrial = ({ metadata: { name } }: KubeObject): boolean =>
    all.some(({ ofPaused, ofMissing }) => name === ofPaused || name === ofMissing);
  for (const object of last.values())
    if (object.kind === CLAIM && isOfTrial(object)) await remove(scratch, object);
  return new Map(trials);
}

interface Claimed {
  readonly pool: KubeObject;
  readonly name: string;
  readonly cluster: string;
}

async function claim({ scratch }: Stage, kind: Kind, { pool, name, cluster }: Claimed): Promise<void> {
  const { namespace } = scratch;
  const metadata = { name, namespace, labels: { [CLUSTER_NAME_LABEL]: cluster } };
  const poolRef = { apiGroup: groupOf(pool.apiVersion), kind: pool.kind, name: pool.metadata.name };
  const spec = { clusterName: cluster, poolRef };
  const object = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec };
  await scratch.client.create(kind, object as KubeObject);
}

function isServed(snapshot: Snapshot, name: string): boolean {
  return textAt(snapshot.get(`${CLAIM} ${name}`), "status.addressRef.name") !== "";
}

/** Signs of work on a claim. It may say that it is paused. */
function writtenTo(snapshot: Snapshot, name: string): readonly string[] {
  const finalizers = snapshot.get(`${CLAIM} ${name}`)?.metadata.finalizers ?? [];
  return [
    ...(finalizers.length > 0 ? ["metadata.finalizers"] : []),
    ...(isServed(snapshot, name) ? ["status.addressRef"] : []),
    ...(snapshot.has(`IPAddress ${name}`) ? [`IPAddress ${name}`] : []),
  ];
}
