import { machine } from "node:os";
import { apiserverBench } from "./apiserver.ts";
import { coldStartBench } from "./cold-start.ts";
import { fleetBench } from "./fleet.ts";
import { historyBench } from "./history.ts";
import { idleBench } from "./idle.ts";
import { machinepoolBench } from "./machinepool.ts";
import { machinesBench } from "./machines.ts";
import { mhcBench } from "./mhc.ts";
import { queueBench } from "./queue.ts";
import { relayBench } from "./relay.ts";
import { rolloutsBench } from "./rollouts.ts";
import { scaleBench } from "./scale.ts";
import { scalingBench } from "./scaling.ts";
import { shardBench } from "./shard.ts";
import { tracesBench } from "./traces.ts";
import { wakeBench } from "./wake.ts";

const BENCHES: { readonly [name: string]: () => Promise<void> } = {
  apiserver: apiserverBench,
  "cold-start": coldStartBench,
  fleet: fleetBench,
  history: historyBench,
  idle: idleBench,
  machinepool: machinepoolBench,
  machines: machinesBench,
  mhc: mhcBench,
  queue: queueBench,
  relay: relayBench,
  rollouts: rolloutsBench,
  scale: scaleBench,
  scaling: scalingBench,
  shard: shardBench,
  traces: tracesBench,
  wake: wakeBench,
};

const [name = "", ...sizes] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined || sizes.some((size) => !/^([1-9]\d*|--trial|--phase=[a-z-]+)$/.test(size))) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join(" | ")} [NUMBER ...] [--phase=NAME]`);
  process.exitCode = 2;
} else {
  console.log(`${name} on ${machine()}, Node.js ${process.version}`);
  await bench();
}
